/** The one style element of a page: the checked colours and numbers of the events on it. */

import { asset, Head } from "fresh/runtime";

/** Puts the rules of `lookStyles`, and the sheet that uses them, into the head; `asText` for a script. */
export function LookStyle({ styles, asText = false }: { styles: string; asText?: boolean }) {
  if (asText) {
    return (
      <Head>
        <meta key="looks" name="looks" content={styles} />
      </Head>
    );
  }
  return (
    <Head>
      <link key="events-css" rel="stylesheet" href={asset("/events.css")} />
      <style
        key="looks"
        // Numbers and #rrggbb, written by lib/events/theme.ts; nothing that was typed is in it.
        // deno-lint-ignore react-no-danger
        dangerouslySetInnerHTML={{ __html: styles }}
      />
    </Head>
  );
}

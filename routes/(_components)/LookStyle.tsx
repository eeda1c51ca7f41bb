/** The one style element of a page: the checked colours and numbers of the events on it. */

import { asset, Head } from "fresh/runtime";

/** Puts the rules of `lookStyles`, and the sheet that uses them, into the head. */
export function LookStyle({ styles }: { styles: string }) {
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

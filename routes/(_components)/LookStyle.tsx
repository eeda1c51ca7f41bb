/** The checked colours and numbers of the events on a page, in a style element of their own. */

import { Head } from "fresh/runtime";
import { faceLater } from "./face.tsx";
import { sheetStyle } from "./sheets.tsx";

/** Puts the rules of `lookStyles`, the sheet that uses them and the script of the display face into the head. */
export function LookStyle({ styles }: { styles: string }) {
  return (
    <Head>
      {faceLater()}
      {sheetStyle("events")}
      <style
        key="looks"
        // Numbers and #rrggbb, written by lib/site/theme.ts; nothing that was typed is in it.
        // deno-lint-ignore react-no-danger
        dangerouslySetInnerHTML={{ __html: styles }}
      />
    </Head>
  );
}

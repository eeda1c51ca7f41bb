/** The styles of a page with events. */

import { Head } from "fresh/runtime";
import { loadFontLate } from "./font_loading.tsx";
import { sheetStyle } from "./sheets.tsx";

/** Adds the rules of `lookStyles`, the sheet that uses them and the script that loads the font to the head. */
export function LookStyle({ looks }: { looks: string }) {
  return (
    <Head>
      {loadFontLate()}
      {sheetStyle("events")}
      <style
        key="looks"
        // Numbers and #rrggbb, written by lib/site/theme.ts; nothing that was typed is in it.
        // deno-lint-ignore react-no-danger
        dangerouslySetInnerHTML={{ __html: looks }}
      />
    </Head>
  );
}

/** The frame of the members' pages. */

import { Head } from "fresh/runtime";
import type { ComponentChildren } from "preact";
import { sheetStyle } from "../shared/sheets.tsx";
import { useSite } from "../shared/site.tsx";

/** A page of members. */
export function AccountFrame({ title, children }: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <article class="document usage account wide">
      <Head>
        <title>{`${title} · ${useSite().name}`}</title>
        <meta name="robots" content="noindex" />
        {sheetStyle("documents")}
        {sheetStyle("usage")}
        {sheetStyle("account")}
      </Head>
      {children}
    </article>
  );
}

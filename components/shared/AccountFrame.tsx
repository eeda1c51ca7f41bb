/** The frame of the members' pages, and of the desk's. */

import { Head } from "fresh/runtime";
import type { ComponentChildren } from "preact";
import { sheetStyle } from "./sheets.tsx";
import { useSite } from "./site.tsx";

/** A page of members, or of the desk. */
export function AccountFrame({ title, look, children }: {
  readonly title: string;
  /** A sheet of its own, whose name is also the page's class. */
  readonly look?: "desk";
  readonly children: ComponentChildren;
}) {
  return (
    <article class={`document usage account wide ${look ?? ""}`.trim()}>
      <Head>
        <title>{`${title} · ${useSite().name}`}</title>
        <meta name="robots" content="noindex" />
        {sheetStyle("documents")}
        {sheetStyle("usage")}
        {sheetStyle("account")}
        {look && sheetStyle(look)}
      </Head>
      {children}
    </article>
  );
}

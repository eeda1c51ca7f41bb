/** Shared parts of the members' pages: their frame, moments, and forms. */

import { Head } from "fresh/runtime";
import type { ComponentChildren } from "preact";
import { loadFontLate } from "../shared/font_loading.tsx";
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
        {loadFontLate()}
        {sheetStyle("documents")}
        {sheetStyle("usage")}
        {sheetStyle("account")}
      </Head>
      {children}
    </article>
  );
}

/** A moment in UTC, `2026-11-21 12:00`, or “never”. */
export function Moment({ at }: { readonly at: number | null }) {
  if (at === null) return <>never</>;
  const iso = new Date(at).toISOString();
  return <time dateTime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 16)}`}</time>;
}

/** A form with one button, below the fields that are its children. */
export function ButtonForm({ action, label, fields = {}, isQuiet = false, children }: {
  readonly action: string;
  readonly label: string;
  /** Hidden fields. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly isQuiet?: boolean;
  readonly children?: ComponentChildren;
}) {
  return (
    <form class={children ? "fields" : undefined} method="post" action={action}>
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      <button type="submit" class={isQuiet ? "quiet-button" : undefined}>{label}</button>
    </form>
  );
}

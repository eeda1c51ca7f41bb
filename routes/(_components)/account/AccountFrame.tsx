/** Shared parts of the members' pages: their frame, moments, and forms of one button. */

import { Head } from "fresh/runtime";
import type { ComponentChildren } from "preact";
import { loadFontLate } from "../font_loading.tsx";
import { sheetStyle } from "../sheets.tsx";
import { useSite } from "../site.tsx";

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

/** A form of one button. */
export function ButtonForm({ action, label, fields = {}, isQuiet = false }: {
  readonly action: string;
  readonly label: ComponentChildren;
  readonly fields?: Readonly<Record<string, string>>;
  readonly isQuiet?: boolean;
}) {
  return (
    <form method="post" action={action}>
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class={isQuiet ? "quiet-button" : undefined}>{label}</button>
    </form>
  );
}

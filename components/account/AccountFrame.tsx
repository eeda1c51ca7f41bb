/** Shared parts of the members' pages: their frame, moments, and forms. */

import { Head } from "fresh/runtime";
import type { ComponentChildren } from "preact";
import { durationInWords, formatMinute, momentInWords } from "../../lib/platform/time.ts";
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

/** A moment, or “never”: in UTC until `islands/OwnTimes.tsx` writes it in the reader's own zone. */
export function Moment({ at, now }: { readonly at: number | null; readonly now: number }) {
  if (at === null) return <>never</>;
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} class="moment">
      {momentInWords(date, new Date(now), "UTC")}
    </time>
  );
}

/** How long ago a moment was, or “never”. */
export function Ago({ at, now }: { readonly at: number | null; readonly now: number }) {
  if (at === null) return <>never</>;
  return (
    <time dateTime={new Date(at).toISOString()} title={formatMinute(at)}>
      {durationInWords(now - at)} ago
    </time>
  );
}

/** A form with one button, below the fields that are its children. */
export function ButtonForm({ action, label, fields = {}, isQuiet, isDangerous, children }: {
  readonly action: string;
  readonly label: string;
  /** Hidden fields. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly isQuiet?: boolean;
  /** Whether what the form does cannot be undone. */
  readonly isDangerous?: boolean;
  readonly children?: ComponentChildren;
}) {
  const look = isDangerous ? "danger" : isQuiet ? "quiet-button" : undefined;
  return (
    <form class={children ? "fields" : undefined} method="post" action={action}>
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      <button type="submit" class={look}>{label}</button>
    </form>
  );
}

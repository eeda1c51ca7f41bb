/** Moments, for people. */

import { durationInWords, formatMinute, momentInWords } from "../../lib/platform/time.ts";

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

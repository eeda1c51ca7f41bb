/** What is waiting for the analytics store, for metrics and for people. */

import { OUTBOX } from "../accounts/mod.ts";
import { listEntries } from "../kv/mod.ts";
import { ASIDE } from "./markers.ts";
import { getPause, type Pause } from "./pause.ts";

/** What is waiting. */
export interface Backlog {
  /** Pages of records, counted up to 10,000. */
  readonly waiting: number;
  /** Epoch milliseconds of the oldest booking among those counted; null if nothing waits. */
  readonly oldestAt: number | null;
  /** Pages that cannot be delivered, counted up to 10,000. */
  readonly aside: number;
  /** Set while the store is left alone. */
  readonly pause: Pause | null;
}

/** A backlog of this size is an outage whatever its exact number, and counting costs reads. */
const MAX_COUNT = 10_000;

/** Reads the backlog. */
export async function readBacklog(kv: Deno.Kv): Promise<Backlog> {
  let waiting = 0;
  let oldestAt: number | null = null;
  for await (
    const { key, value } of listEntries<unknown>(kv, [...OUTBOX], {
      leaveOut: () => void waiting++,
    })
  ) {
    const at = bookedAt(String(key.at(-1)), value);
    if (at !== null && (oldestAt === null || at < oldestAt)) oldestAt = at;
    if (++waiting === MAX_COUNT) break;
  }
  let aside = 0;
  for await (const _ of listEntries(kv, [...ASIDE], { leaveOut: () => void aside++ })) {
    if (++aside === MAX_COUNT) break;
  }
  return { waiting, oldestAt, aside, pause: await getPause(kv) };
}

/** A page's name begins with its time, except for swept requests: of those the day is known. */
function bookedAt(page: string, value: unknown): number | null {
  const [, time] = /^(\d{13})-/.exec(page) ?? [];
  if (time !== undefined) return Number(time);
  const day = typeof value === "object" && value !== null && "day" in value ? value.day : null;
  const at = typeof day === "string" ? Date.parse(day) : NaN;
  return Number.isNaN(at) ? null : at;
}

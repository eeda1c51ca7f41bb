/**
 * A month of an organisation that edits its table in Airtable while visitors come day and night, on a clock that
 * jumps from one event to the next: the number of calls, and the delay of edits.
 *
 *     const { calls, lags } = await simulateMonth({ records: 100, budget: 1_000, burstsPerDay: 8 });
 */

import { createRandom, type Random } from "../../lib/sandbox/random.ts";
import { createNotifiedWorld, DAY, HOUR, MINUTE, SECOND, START } from "./isolates.ts";

/** The parameters of a simulation. */
export interface MonthOptions {
  readonly records: number;
  readonly budget: number;
  readonly burstsPerDay: number;
  /** Whether Airtable reports changes; otherwise the table is read at the interval. */
  readonly isNotified?: boolean;
  readonly refreshSeconds?: number;
  readonly days?: number;
}

/** People edit between these hours (UTC). */
const WORKING_HOURS = [8, 20] as const;
/** A burst: somebody fills in some cells of a record. */
const EDITS = [1, 6] as const;
const EDIT_PAUSE_SECONDS = [2, 12] as const;
/** How long Airtable takes to send a notification. */
const NOTIFICATION_MILLISECONDS = [500, 5_000] as const;
/** While calls are used up, a visitor comes again. */
const AGAIN_MILLISECONDS = 10 * MINUTE;

/** Simulates a month; the same options give the same figures. */
export async function simulateMonth(
  { records, budget, burstsPerDay, isNotified = true, refreshSeconds = 120, days = 31 }:
    MonthOptions,
) {
  const random = createRandom(`month of ${records} records`);
  const edits = planEdits(random, burstsPerDay, days);
  await using world = await createNotifiedWorld({
    records,
    budget,
    isNotified,
    refreshSeconds,
    cronMilliseconds: 30 * MINUTE,
    passage: () => random.int(...NOTIFICATION_MILLISECONDS),
  });
  const { airtable, isolates, reads } = world;
  const end = START + days * DAY;
  const interval = isNotified ? HOUR : refreshSeconds * SECOND;
  let refusedAt: number | null = null;
  let visits = 0;
  let done = 0;
  while (world.now() < end && refusedAt === null) {
    const last = reads.at(-1) ?? START;
    const due = last + interval + SECOND;
    const visitAt = due > world.now() ? due : world.now() + AGAIN_MILLISECONDS;
    const editAt = edits[done] ?? Infinity;
    await world.run(Math.min(end, visitAt, editAt) - world.now());
    if (world.now() >= editAt) {
      const edited = random.int(0, records - 1);
      const text = `Edit ${++done}`;
      airtable.setRecords(
        airtable.records.map((record, at) =>
          at === edited ? { ...record, fields: { ...record.fields, Description: text } } : record
        ),
      );
    } else {
      const { source } = isolates[visits++ % isolates.length] ?? {};
      void Promise.try(() => source?.catalog()).catch(() => refusedAt = world.now());
      await world.run(0);
    }
  }
  const lags = edits.slice(0, done).flatMap((at) => {
    const read = reads.find((each) => each >= at);
    return read === undefined ? [] : [(read - at) / SECOND];
  });
  return {
    /** The number of calls that Airtable received. */
    calls: airtable.requests.length,
    reads: reads.length,
    /** Seconds from each edit to the read that shows it, sorted. */
    lags: lags.toSorted((a, b) => a - b),
    /** The days after which a request was refused because the calls were used up; null if none was. */
    refusedAfterDays: refusedAt === null ? null : (refusedAt - START) / DAY,
  };
}

/** When each edit is made, in epoch milliseconds. */
function planEdits(random: Random, burstsPerDay: number, days: number): number[] {
  const [from, to] = WORKING_HOURS;
  const edits: number[] = [];
  for (let day = 0; day < days; day++) {
    for (let burst = 0; burst < burstsPerDay; burst++) {
      let at = START + day * DAY + random.int(from * HOUR, to * HOUR);
      for (let left = random.int(...EDITS); left > 0; left--) {
        edits.push(at);
        at += random.int(...EDIT_PAUSE_SECONDS) * SECOND;
      }
    }
  }
  return edits.toSorted((a, b) => a - b);
}

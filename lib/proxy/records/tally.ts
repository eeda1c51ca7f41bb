/** Counts usage rows and refusals into groups; keeps only the sums of each group, and the durations. */

import { dayOf } from "../ledger/books.ts";
import type { UsageRow } from "./record.ts";
import { type Refusal, statusOfCode } from "./refusal.ts";
import { type Answer, type Grouping, type RefusalCount, sortGroups, type Totals } from "./store.ts";

/** Starts a count of usage rows. */
export function createTally(by: Grouping) {
  const column = by === "account" ? "account_id" : by;
  const total = createSums();
  const groups = new Map<string | null, ReturnType<typeof createSums>>();
  return {
    add(row: UsageRow): void {
      const key = row[column] === null ? null : String(row[column]);
      let group = groups.get(key);
      if (group === undefined) groups.set(key, group = createSums());
      group.add(row);
      total.add(row);
    },
    answer(): Answer {
      const counted = [...groups].map(([key, sums]) => ({ key, totals: sums.totals() }));
      return { groups: sortGroups(counted, by), total: total.totals() };
    },
  };
}

function createSums() {
  const sums = { requests: 0, failed: 0, cost: 0n, inputTokens: 0n, outputTokens: 0n };
  /** The number of requests by duration in milliseconds. */
  const durations = new Map<number, number>();
  return {
    add(row: UsageRow): void {
      sums.requests++;
      if (row.status === null || row.status >= 400) sums.failed++;
      sums.cost += BigInt(row.cost_nano_usd);
      sums.inputTokens += BigInt(row.input_tokens ?? 0);
      sums.outputTokens += BigInt(row.output_tokens ?? 0);
      const { duration_ms: duration } = row;
      if (duration !== null) durations.set(duration, (durations.get(duration) ?? 0) + 1);
    },
    totals(): Totals {
      const sorted = [...durations].sort(([a], [b]) => a - b);
      const count = sorted.reduce((sum, [, times]) => sum + times, 0);
      function atPercent(percent: number): number | null {
        // Whole numbers: 0.95 is not a binary fraction, and its products are sometimes rounded the wrong way.
        let rank = Math.floor((count * percent + 99) / 100);
        return sorted.find(([, times]) => (rank -= times) <= 0)?.[0] ?? null;
      }
      return { ...sums, medianMs: atPercent(50), p95Ms: atPercent(95) };
    },
  };
}

/** The key of a refusal's group. Refusals name no model. */
export const REFUSAL_KEYS = {
  account: ({ accountId }: Refusal) => accountId,
  endpoint: ({ endpoint }: Refusal) => endpoint,
  day: ({ lastAt }: Refusal) => dayOf(lastAt),
  status: ({ code }: Pick<Refusal, "code">) => statusOfCode(code),
  model: () => null,
} satisfies Record<Grouping, (refusal: Refusal) => string | null>;

/** Adds up equal counts: the most frequent first, and equally frequent ones by their names. */
export async function sumCounts(
  counts: Iterable<RefusalCount> | AsyncIterable<RefusalCount>,
): Promise<RefusalCount[]> {
  const sums = new Map<string, RefusalCount>();
  for await (const { key, code, reason, requests } of counts) {
    const name = `${key} ${code} ${reason}`;
    sums.set(name, { key, code, reason, requests: requests + (sums.get(name)?.requests ?? 0) });
  }
  return [...sums].sort(([a, { requests: ofA }], [b, { requests: ofB }]) =>
    ofB - ofA || (a < b ? -1 : 1)
  ).map(([, sum]) => sum);
}

/** Counts rows one by one into groups; keeps only the sums and durations of each group. */

import type { UsageRow } from "./record.ts";
import { type Answer, type Grouping, sortGroups, type Totals } from "./store.ts";

const KEYS: Readonly<Record<Grouping, (row: UsageRow) => string | null>> = {
  account: (row) => row.account_id,
  endpoint: (row) => row.endpoint,
  model: (row) => row.model,
  day: (row) => row.day,
  status: ({ status }) => status === null ? null : String(status),
};

/** Starts a count. */
export function createTally(by: Grouping) {
  const total = createSums();
  const groups = new Map<string | null, ReturnType<typeof createSums>>();
  return {
    add(row: UsageRow): void {
      const key = KEYS[by](row);
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

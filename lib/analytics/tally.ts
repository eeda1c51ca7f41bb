/** Counts rows one by one into groups; keeps only the sums and durations of each group. */

import type { UsageRow } from "./record.ts";
import {
  type Answer,
  type Figures,
  type Group,
  type Grouping,
  NO_FIGURES,
  sortGroups,
} from "./store.ts";

/** A count in progress. */
interface Tally {
  add(row: UsageRow): void;
  answer(): Answer;
}

interface Sums {
  requests: number;
  failed: number;
  cost: bigint;
  inputTokens: bigint;
  outputTokens: bigint;
  /** The number of requests by duration in milliseconds. */
  readonly durations: Map<number, number>;
}

/** Starts a count. */
export function createTally(by: Grouping): Tally {
  const groups = new Map<string | null, Sums>();
  return {
    add(row) {
      const key = KEYS[by](row);
      let sums = groups.get(key);
      if (sums === undefined) groups.set(key, sums = noSums());
      addRow(sums, row);
    },
    answer() {
      const total = noSums();
      const counted: Group[] = [];
      for (const [key, sums] of groups) {
        counted.push({ key, figures: toFigures(sums) });
        addSums(total, sums);
      }
      return { groups: sortGroups(counted, by), total: toFigures(total) };
    },
  };
}

const KEYS: Readonly<Record<Grouping, (row: UsageRow) => string | null>> = {
  account: (row) => row.account_id,
  endpoint: (row) => row.endpoint,
  model: (row) => row.model,
  day: (row) => row.day,
  status: ({ status }) => status === null ? null : String(status),
};

function noSums(): Sums {
  const { medianMs: _median, p95Ms: _p95, ...sums } = NO_FIGURES;
  return { ...sums, durations: new Map() };
}

function addRow(sums: Sums, row: UsageRow): void {
  sums.requests++;
  if (row.status === null || row.status >= 400) sums.failed++;
  sums.cost += BigInt(row.cost_nano_usd);
  sums.inputTokens += BigInt(row.input_tokens ?? 0);
  sums.outputTokens += BigInt(row.output_tokens ?? 0);
  if (row.duration_ms !== null) addDuration(sums, row.duration_ms, 1);
}

function addSums(to: Sums, from: Sums): void {
  to.requests += from.requests;
  to.failed += from.failed;
  to.cost += from.cost;
  to.inputTokens += from.inputTokens;
  to.outputTokens += from.outputTokens;
  for (const [duration, count] of from.durations) addDuration(to, duration, count);
}

function addDuration({ durations }: Sums, duration: number, count: number): void {
  durations.set(duration, (durations.get(duration) ?? 0) + count);
}

function toFigures({ durations, ...sums }: Sums): Figures {
  const sorted = [...durations].sort(([a], [b]) => a - b);
  const count = sorted.reduce((total, [, each]) => total + each, 0);
  // Whole numbers: 0.95 is not a binary fraction, and its products are sometimes rounded the wrong way.
  const at = (percent: number) => nthDuration(sorted, Math.floor((count * percent + 99) / 100));
  return { ...sums, medianMs: at(50), p95Ms: at(95) };
}

/** The `rank`-th of all durations, counted from 1. */
function nthDuration(sorted: readonly (readonly [number, number])[], rank: number): number | null {
  let seen = 0;
  for (const [duration, count] of sorted) {
    seen += count;
    if (seen >= rank) return duration;
  }
  return null;
}

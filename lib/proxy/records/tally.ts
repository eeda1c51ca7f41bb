/** Counts usage records into groups; keeps only the sums of each group, and the durations. */

import type { UsageRecord } from "../ledger/values.ts";
import { type Answer, type Grouping, sortGroups, type Totals } from "./question.ts";

const KEYS = {
  account: ({ accountId }) => accountId,
  endpoint: ({ endpoint }) => endpoint,
  model: ({ model }) => model,
  day: ({ day }) => day,
  status: ({ status }) => status === null ? null : String(status),
} satisfies Record<Grouping, (record: UsageRecord) => string | null>;

/** What is counted of a group's requests. */
interface Counter<T> {
  add(counted: T): void;
  totals(): Totals;
}

/** Starts a count of usage records. */
export function createTally(by: Grouping) {
  const groups = createGroups(by, createDetailedSums);
  return {
    add: (record: UsageRecord) => groups.add(KEYS[by](record), record),
    answer: groups.answer,
  };
}

/** Starts a count of sums, of which no details are known. */
export function createSumTally(by: Grouping) {
  return createGroups<Pick<Totals, "requests" | "failed" | "cost">>(by, () => {
    const sums = { requests: 0, failed: 0, cost: 0n };
    return {
      add({ requests, failed, cost }) {
        sums.requests += requests;
        sums.failed += failed;
        sums.cost += cost;
      },
      totals: () => ({ ...sums, details: null }),
    };
  });
}

function createGroups<T>(by: Grouping, create: () => Counter<T>) {
  const total = create();
  const groups = new Map<string | null, Counter<T>>();
  return {
    add(key: string | null, counted: T): void {
      let group = groups.get(key);
      if (group === undefined) groups.set(key, group = create());
      group.add(counted);
      total.add(counted);
    },
    answer(): Answer {
      const counted = [...groups].map(([key, sums]) => ({ key, totals: sums.totals() }));
      return { groups: sortGroups(counted, by), total: total.totals() };
    },
  };
}

function createDetailedSums(): Counter<UsageRecord> {
  const sums = { requests: 0, failed: 0, cost: 0n };
  const tokens = { inputTokens: 0n, outputTokens: 0n };
  /** The number of requests by duration in milliseconds. */
  const durations = new Map<number, number>();
  return {
    add({ status, cost, inputTokens, outputTokens, durationMs }) {
      sums.requests++;
      if (status === null || status >= 400) sums.failed++;
      sums.cost += cost;
      tokens.inputTokens += BigInt(inputTokens ?? 0);
      tokens.outputTokens += BigInt(outputTokens ?? 0);
      if (durationMs !== null) durations.set(durationMs, (durations.get(durationMs) ?? 0) + 1);
    },
    totals() {
      const sorted = [...durations].sort(([a], [b]) => a - b);
      const count = sorted.reduce((sum, [, times]) => sum + times, 0);
      function atPercent(percent: number): number | null {
        // Whole numbers: 0.95 is not a binary fraction, and its products are sometimes rounded the wrong way.
        let rank = Math.floor((count * percent + 99) / 100);
        return sorted.find(([, times]) => (rank -= times) <= 0)?.[0] ?? null;
      }
      return { ...sums, details: { ...tokens, medianMs: atPercent(50), p95Ms: atPercent(95) } };
    },
  };
}

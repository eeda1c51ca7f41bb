/** Counts requests into groups; keeps only the sums of each group, and the durations. */

import { isFailure, isRequest } from "../ledger/transitions.ts";
import type { UsageRecord } from "../ledger/values.ts";
import { type Answer, type Grouping, sortGroups, type Totals } from "./question.ts";

/** Some requests: one with its record, or those of a sum, of which no details are known. */
type Counted = Pick<Totals, "requests" | "failed" | "cost"> & { readonly record?: UsageRecord };

/**
 * Starts a count.
 *
 * @param hasDetails whether all requests come with their records.
 */
export function createTally(by: Grouping, hasDetails: boolean) {
  const total = createSums(hasDetails);
  const groups = new Map<string | null, ReturnType<typeof createSums>>();
  const member = by === "account" ? "accountId" : by === "key" ? "keyId" : by;

  function add(key: string | null, counted: Counted): void {
    let group = groups.get(key);
    if (group === undefined) groups.set(key, group = createSums(hasDetails));
    group.add(counted);
    total.add(counted);
  }

  return {
    add,
    addRecord(record: UsageRecord): void {
      const requests = isRequest(record) ? 1 : 0;
      const failed = isFailure(record) ? 1 : 0;
      const key = record[member];
      const { cost } = record;
      add(key === null ? null : String(key), { requests, failed, cost, record });
    },
    answer(): Answer {
      const counted = [...groups].map(([key, sums]) => ({ key, totals: sums.totals() }));
      return { groups: sortGroups(counted, by), total: total.totals() };
    },
  };
}

function createSums(hasDetails: boolean) {
  let [requests, failed, cost, inputTokens, outputTokens] = [0, 0, 0n, 0n, 0n];
  /** The number of requests by duration in milliseconds. */
  const durations = new Map<number, number>();

  /** By nearest rank. */
  function durationAt(percent: number): number | null {
    const sorted = [...durations].sort(([a], [b]) => a - b);
    const count = sorted.reduce((sum, [, times]) => sum + times, 0);
    // Whole numbers: 0.95 is not a binary fraction, and its products are sometimes rounded the wrong way.
    let rank = Math.floor((count * percent + 99) / 100);
    return sorted.find(([, times]) => (rank -= times) <= 0)?.[0] ?? null;
  }

  return {
    add({ record, ...sums }: Counted): void {
      requests += sums.requests;
      failed += sums.failed;
      cost += sums.cost;
      if (record === undefined) return;
      inputTokens += BigInt(record.inputTokens ?? 0);
      outputTokens += BigInt(record.outputTokens ?? 0);
      const { durationMs } = record;
      if (durationMs !== null) durations.set(durationMs, (durations.get(durationMs) ?? 0) + 1);
    },
    totals(): Totals {
      const details = hasDetails
        ? { inputTokens, outputTokens, medianMs: durationAt(50), p95Ms: durationAt(95) }
        : null;
      return { requests, failed, cost, details };
    },
  };
}

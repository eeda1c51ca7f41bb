/** The totals that a store must return, computed from the records in the simplest way. */

import type { UsageRecord } from "../../../lib/proxy/ledger/books.ts";
import type { Answer, Question, Totals } from "../../../lib/proxy/records/store.ts";

/** The totals of records without duplicates. */
export function expectedAnswer(records: readonly UsageRecord[], question: Question): Answer {
  const { from, to, accountId, by } = question;
  const asked = records.filter((record) =>
    record.day >= from && record.day <= to && (accountId === null || record.accountId === accountId)
  );
  const keyOf = (record: UsageRecord): string | null => {
    if (by === "account") return record.accountId;
    if (by === "status") return record.status === null ? null : `${record.status}`;
    return by === "model" ? record.model?.toWellFormed() ?? null : record[by];
  };
  const keys = [...new Set(asked.map(keyOf))];
  const groups = keys.map((key) => ({
    key,
    totals: expectedTotals(asked.filter((record) => keyOf(record) === key)),
  }));
  groups.sort((a, b) => {
    const difference = b.totals.cost - a.totals.cost;
    if (by !== "day" && difference !== 0n) return difference > 0n ? 1 : -1;
    if (a.key === null) return 1;
    return b.key === null || a.key < b.key ? -1 : 1;
  });
  return { groups, total: expectedTotals(asked) };
}

function expectedTotals(records: readonly UsageRecord[]): Totals {
  const sum = (values: readonly (bigint | number | null)[]) =>
    values.reduce<bigint>((total, value) => total + BigInt(value ?? 0), 0n);
  const durations = records.flatMap(({ durationMs }) => durationMs ?? []).sort((a, b) => a - b);
  /** The smallest duration that at least this many percent do not exceed. */
  const percentile = (percent: number) =>
    durations.find((_, index) => (index + 1) * 100 >= percent * durations.length) ?? null;
  return {
    requests: records.length,
    failed: records.filter(({ status }) => status === null || status > 399).length,
    cost: sum(records.map(({ cost }) => cost)),
    inputTokens: sum(records.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(records.map(({ outputTokens }) => outputTokens)),
    medianMs: percentile(50),
    p95Ms: percentile(95),
  };
}

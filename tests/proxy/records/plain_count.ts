/** Requests at random, and the totals that an answer must have, computed from the records in the simplest way. */

import fc from "fast-check";
import type { UsageRecord } from "../../../lib/proxy/ledger/values.ts";
import {
  type Answer,
  GROUPINGS,
  type Question,
  type Totals,
} from "../../../lib/proxy/records/question.ts";
import { NOON, TODAY } from "./clickhouse.ts";

/** The totals of records without duplicates. */
export function expectedAnswer(records: readonly UsageRecord[], question: Question): Answer {
  const { from, to, accountId, by } = question;
  const asked = records.filter((record) =>
    record.day >= from && record.day <= to && (accountId === null || record.accountId === accountId)
  );
  const keyOf = (record: UsageRecord): string | null => {
    if (by === "account") return record.accountId;
    if (by === "status") return record.status === null ? null : `${record.status}`;
    if (by === "key") return record.keyId;
    return record[by];
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
  const requests = records.filter(({ costFrom }) => costFrom !== "operator");
  const durations = records.flatMap(({ durationMs }) => durationMs ?? []).sort((a, b) => a - b);
  /** The smallest duration that at least this many percent do not exceed. */
  const percentile = (percent: number) =>
    durations.find((_, index) => (index + 1) * 100 >= percent * durations.length) ?? null;
  return {
    requests: requests.length,
    failed: requests.filter(({ status }) => status === null || status > 399).length,
    cost: sum(records.map(({ cost }) => cost)),
    details: {
      inputTokens: sum(records.map(({ inputTokens }) => inputTokens)),
      outputTokens: sum(records.map(({ outputTokens }) => outputTokens)),
      medianMs: percentile(50),
      p95Ms: percentile(95),
    },
  };
}

const DAYS = ["2026-11-19", "2026-11-20", TODAY, "2026-11-22"];
const ACCOUNTS = ["acc_aaaaaaaaaaaa", "acc_bbbbbbbbbbbb", "acc_cccccccccccc"];

/** Records at random, of few accounts and days, with amounts up to noise. */
export const anyRecord: fc.Arbitrary<UsageRecord> = fc.record({
  requestId: fc.uuid(),
  accountId: fc.constantFrom(...ACCOUNTS),
  keyId: fc.constantFrom("key1", "key2"),
  day: fc.constantFrom(...DAYS),
  endpoint: fc.constantFrom("websearch/search", "decision/systemone", "chat/completions"),
  model: fc.oneof(
    fc.constant(null),
    fc.constantFrom("a", "b/c", "", "日本\u{1f600}", "half \ud83d", 'quote" \\ \n'),
  ),
  // Some are equal: then the order of the groups is that of their keys.
  cost: fc.oneof(fc.constant(1n), fc.bigInt(0n, 10n ** 10n), fc.bigInt(-(10n ** 10n), 10n ** 24n)),
  costFrom: fc.constantFrom(
    "provider" as const,
    "reservation" as const,
    "sweep" as const,
    "operator" as const,
  ),
  inputTokens: fc.option(fc.oneof(fc.nat(10_000), fc.maxSafeNat())),
  outputTokens: fc.option(fc.nat(10_000)),
  status: fc.option(fc.constantFrom(200, 399, 400, 429, 503)),
  durationMs: fc.option(fc.nat(50)),
  at: fc.nat(10 ** 9).map((after) => NOON + after),
}, { noNullPrototype: true });

/** Questions at random about {@linkcode anyRecord}. */
export const anyQuestion: fc.Arbitrary<Question> = fc.record({
  from: fc.constantFrom("2026-11-18", ...DAYS),
  to: fc.constantFrom(...DAYS, "2026-12-01"),
  accountId: fc.option(fc.constantFrom(...ACCOUNTS, "acc_nobodyatall0")),
  by: fc.constantFrom(...GROUPINGS),
});

/** Answers from the books: what sums and records tell, for whichever account and days. */

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  askRecords,
  askSums,
  needsRecords,
  RECORD_DAYS,
} from "../../../lib/proxy/records/books.ts";
import type { Answer, Question } from "../../../lib/proxy/records/question.ts";
import { openKv } from "../../../lib/platform/kv/open.ts";
import { bookRecords, moveDay } from "../../support/booked.ts";
import { record, TODAY } from "./clickhouse.ts";
import { anyQuestion, anyRecord, expectedAnswer } from "./plain_count.ts";

const QUESTION: Question = { from: TODAY, to: TODAY, accountId: null, by: "account" };

/** The answer without what only records tell. */
function withoutDetails({ groups, total }: Answer): Answer {
  return {
    groups: groups.map(({ key, totals }) => ({ key, totals: { ...totals, details: null } })),
    total: { ...total, details: null },
  };
}

Deno.test("sums and records answer as plain counting does, whichever days have left the accounts' values", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(anyRecord, { selector: ({ requestId }) => requestId, maxLength: 25 }),
      fc.array(anyQuestion, { minLength: 1, maxLength: 5 }),
      fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
      async (records, questions, moves) => {
        using kv = await openKv(":memory:");
        await bookRecords(kv, ...records);
        const days = new Map(records.map(({ accountId, day }) => [`${accountId} ${day}`, day]));
        for (const [index, [name, day]] of [...days].entries()) {
          if (moves[index]) await moveDay(kv, name.split(" ")[0] ?? "", day);
        }
        for (const question of questions) {
          const expected = expectedAnswer(records, question);
          assert.deepEqual(await askRecords(kv, question), expected);
          if (needsRecords(question)) continue;
          assert.deepEqual(await askSums(kv, question), withoutDetails(expected));
        }
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("durations are at the nearest rank, of those that are known", async () => {
  using kv = await openKv(":memory:");
  const of = (accountId: string, ...durations: readonly (number | null)[]) =>
    durations.map((durationMs) => record({ accountId, durationMs }));
  const to20 = Array.from({ length: 20 }, (_, index) => 10 * (20 - index));
  await bookRecords(kv, ...of("none", null, null), ...of("one", 7), ...of("two", 9, 1, null));
  await bookRecords(kv, ...of("twenty", ...to20), ...of("more", ...to20, 1000));
  const { groups, total } = await askRecords(kv, QUESTION);
  const seen = Object.fromEntries(
    groups.map(({ key, totals: { details } }) => [key, [details?.medianMs, details?.p95Ms]]),
  );
  assert.deepEqual(seen, {
    none: [null, null],
    one: [7, 7],
    two: [1, 9],
    twenty: [100, 190],
    more: [110, 200],
  });
  assert.deepEqual([total.details?.medianMs, total.details?.p95Ms], [100, 200]);
});

Deno.test("groups come by cost, the highest first, and days in order", async () => {
  using kv = await openKv(":memory:");
  await bookRecords(
    kv,
    record({ day: "2026-11-20", cost: 1n, model: "b" }),
    record({ cost: 5n, model: "a" }),
    record({ cost: 1n, model: null }),
    record({ day: "2026-11-19", cost: 9n, model: "c" }),
    record({ cost: 1n, model: "" }),
  );
  const question = { ...QUESTION, from: "2026-11-01" };
  const keysOf = ({ groups }: Answer) => groups.map(({ key }) => key);
  assert.deepEqual(keysOf(await askSums(kv, { ...question, by: "day" })), [
    "2026-11-19",
    "2026-11-20",
    TODAY,
  ]);
  assert.deepEqual(keysOf(await askRecords(kv, { ...question, by: "model" })), [
    "c",
    "a",
    "",
    "b",
    null,
  ]);
});

Deno.test("records of more than 31 days, and sums of what only records tell, are refused", async () => {
  using kv = await openKv(":memory:");
  assert.equal(RECORD_DAYS, 31);
  assert.equal((await askRecords(kv, { ...QUESTION, from: "2026-10-22" })).total.requests, 0);
  await assert.rejects(askRecords(kv, { ...QUESTION, from: "2026-10-21" }), RangeError);
  await assert.rejects(askSums(kv, { ...QUESTION, by: "model" }), TypeError);
});

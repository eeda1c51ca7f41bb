/** Answers from the books: what sums and records tell, for whichever account and days. */

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  askRecords,
  askSums,
  needsRecords,
  RECORD_DAYS,
} from "../../../lib/proxy/records/books.ts";
import type { Answer } from "../../../lib/proxy/records/question.ts";
import { openKv } from "../../../lib/platform/kv/open.ts";
import { bookRecords, moveDay } from "../../support/booked.ts";
import { QUESTION } from "./clickhouse.ts";
import { anyQuestion, anyRecord, expectedAnswer } from "./plain_count.ts";

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

Deno.test("records of more than 31 days, and sums of what only records tell, are refused", async () => {
  using kv = await openKv(":memory:");
  assert.equal(RECORD_DAYS, 31);
  assert.equal((await askRecords(kv, { ...QUESTION, from: "2026-10-22" })).total.requests, 0);
  await assert.rejects(askRecords(kv, { ...QUESTION, from: "2026-10-21" }), RangeError);
  await assert.rejects(askSums(kv, { ...QUESTION, by: "model" }), TypeError);
});

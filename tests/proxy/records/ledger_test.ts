/** From the ledger to the reports: sums, records and ClickHouse agree to the nano-dollar, whatever happened. */
// Not quick: thousands of bookings.

import assert from "node:assert/strict";
import fc from "fast-check";
import { askRecords, askSums } from "../../../lib/proxy/records/books.ts";
import { createOutbox } from "../../../lib/proxy/records/outbox.ts";
import type { Answer, Question } from "../../../lib/proxy/records/question.ts";
import { openKv } from "../../../lib/platform/kv/open.ts";
import { DAY, MINUTE, openLedger, START } from "../../support/accounts.ts";
import { countInserted, createStandIn, TODAY } from "./clickhouse.ts";

const ACCOUNTS = ["acc_aaaaaaaaaaaa", "acc_bbbbbbbbbbbb"];

const QUESTION: Question = { from: TODAY, to: TODAY, accountId: null, by: "day" };

const anyRequest = fc.record({
  accountId: fc.constantFrom(...ACCOUNTS),
  endpoint: fc.constantFrom("search", "chat/completions"),
  amount: fc.bigInt(1n, 10n ** 9n),
  /** "unknown" if the provider states no cost; "crash" without a settlement, "late" if it comes after the sweep. */
  end: fc.constantFrom("cost", "unknown", "crash", "late"),
  cost: fc.bigInt(0n, 10n ** 9n),
  status: fc.constantFrom(200, 404, 502),
});

/** What both kinds of answer tell. */
const told = ({ groups, total }: Answer) =>
  [...groups.map(({ key, totals }) => ({ key, ...totals })), { key: "total", ...total }]
    .map(({ details: _details, ...sums }) => sums);

Deno.test("sums, records and ClickHouse agree after any settlements, sweeps, corrections and moved days", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRequest, { maxLength: 20 }), async (requests) => {
      using kv = await openKv(":memory:");
      const { standIn, clickHouse } = createStandIn();
      let now = START;
      const ledger = openLedger(kv, () => now, { hasOutbox: true });
      const outbox = createOutbox({ kv, clickHouse, now: () => now, log: console });
      const late: (() => Promise<void>)[] = [];
      const reserve = async (requestId: string, request: { accountId: string; amount: bigint }) => {
        const asked = { requestId, keyId: "key", endpoint: "search", model: null, ...request };
        const admission = await ledger.reserve({ ...asked, limit: 10n ** 18n });
        assert.ok(admission.admitted);
        return admission.reservation;
      };
      for (const [index, { end, cost, status, ...request }] of requests.entries()) {
        const reservation = await reserve(`request-${index}`, request);
        const settle = () =>
          ledger.settle(reservation, { cost: end === "unknown" ? null : cost, status });
        if (end === "late") late.push(settle);
        else if (end !== "crash") await settle();
      }
      async function assertAgreement(): Promise<void> {
        for (const accountId of [null, ...ACCOUNTS]) {
          for (const by of ["account", "endpoint", "key", "day"] as const) {
            const question = { ...QUESTION, accountId, by };
            assert.deepEqual(
              told(await askSums(kv, question)),
              told(await askRecords(kv, question)),
            );
          }
        }
        await outbox.deliver();
        const { total } = await askSums(kv, QUESTION);
        assert.deepEqual(countInserted(standIn), [total.requests, total.cost]);
      }
      await assertAgreement();
      now += 2 * MINUTE;
      await ledger.sweep();
      await assertAgreement();
      for (const settle of late) await settle();
      await assertAgreement();
      assert.equal((await askSums(kv, QUESTION)).total.requests, requests.length);
      // The next requests move the day out of the accounts' values.
      now += 3 * DAY;
      for (const accountId of ACCOUNTS) {
        await reserve(`later ${accountId}`, { accountId, amount: 1n });
      }
      await assertAgreement();
    }),
    { numRuns: 25 },
  );
});

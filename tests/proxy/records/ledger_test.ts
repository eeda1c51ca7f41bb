/** From the ledger to the totals: the stores agree with the day books to the nano-dollar. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { createOutbox } from "../../../lib/proxy/records/outbox.ts";
import type { UsageStore } from "../../../lib/proxy/records/store.ts";
import { openKv } from "../../../lib/platform/kv/open.ts";
import { openLedger } from "../../support/accounts.ts";
import { createEmbedded, MINUTE, NOON, openClickHouseStore, TODAY } from "./stores.ts";

const ACCOUNTS = ["acc_aaaaaaaaaaaa", "acc_bbbbbbbbbbbb"];
const ENDPOINTS = ["websearch/search", "chat/completions"];
const silent = { error() {}, warn() {} };

const anyRequest = fc.record({
  account: fc.constantFrom(...ACCOUNTS),
  endpoint: fc.constantFrom(...ENDPOINTS),
  amount: fc.bigInt(1n, 10n ** 9n),
  /** Null if the provider states none; "crash" without a settlement, "late" if it comes after the sweep. */
  end: fc.constantFrom("cost", "unknown", "crash", "late"),
  cost: fc.bigInt(0n, 10n ** 9n),
  status: fc.constantFrom(200, 404, 502),
});

Deno.test("many records of one commit reach the embedded store, with the longest names", async () => {
  using kv = await openKv(":memory:");
  using embedded = await createEmbedded();
  const ledger = openLedger(kv, () => NOON);
  // JSON takes six bytes for such a character.
  const model = "\u0001".repeat(100);
  const [accountId = ""] = ACCOUNTS;
  const admissions = await Promise.all(Array.from({ length: 90 }, (_, index) =>
    ledger.reserve({
      requestId: crypto.randomUUID() + index,
      accountId,
      keyId: "key_aaaaaaaaaaaa",
      endpoint: "decision",
      model,
      amount: 5n,
      limit: 10n ** 18n,
    })));
  await Promise.all(admissions.map((admission) => {
    assert.ok(admission.admitted);
    return ledger.settle(admission.hold, { cost: 3n, status: 200 });
  }));
  await createOutbox({ kv, store: embedded.store, now: () => NOON, log: silent }).flush();
  const question = { from: TODAY, to: TODAY, accountId, by: "endpoint" as const };
  const { total } = await embedded.store.query(question);
  assert.deepEqual([total.requests, total.cost], [90, 270n]);
});

Deno.test("both stores agree with the day books after any settlements, sweeps and corrections", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRequest, { maxLength: 25 }), async (requests) => {
      const kv = await openKv(":memory:");
      using embedded = await createEmbedded();
      await using clickHouse = await openClickHouseStore();
      const stores: UsageStore[] = [clickHouse.store, embedded.store];
      let now = NOON;
      const ledger = openLedger(kv, () => now);
      const late: (() => Promise<void>)[] = [];
      await Promise.all(
        requests.map(async ({ account, endpoint, amount, end, cost, status }, index) => {
          const admission = await ledger.reserve({
            requestId: `request-${index}`,
            accountId: account,
            keyId: "key",
            endpoint,
            model: null,
            amount,
            limit: 10n ** 18n,
          });
          assert.ok(admission.admitted);
          const settle = () =>
            ledger.settle(admission.hold, { cost: end === "unknown" ? null : cost, status });
          if (end === "late") late.push(settle);
          else if (end !== "crash") await settle();
        }),
      );
      const deliver = async () => {
        const markers = await Array.fromAsync(kv.list({ prefix: ["outbox"] }));
        for (const store of stores) {
          // Each store gets all records: the markers are restored for the second.
          for (const { key, value } of markers) await kv.set(key, value);
          const outbox = createOutbox({ kv, store, now: () => now, log: silent });
          await outbox.flush();
        }
      };
      await deliver();
      now += 2 * MINUTE;
      await ledger.sweep();
      await deliver();
      for (const settle of late) await settle();
      await deliver();

      for (const account of ACCOUNTS) {
        const { days: [today] } = await ledger.status(account, 1);
        assert.ok(today);
        assert.equal(today.book.reserved, 0n);
        for (const store of stores) {
          const question = { from: TODAY, to: TODAY, accountId: account, by: "endpoint" as const };
          const { groups, total } = await store.query(question);
          assert.equal(total.cost, today.book.spent);
          assert.equal(total.requests, today.book.requests);
          const byEndpoint = groups.map(({ key, totals: { requests, cost } }) => [
            key,
            { requests, spent: cost },
          ]);
          assert.deepEqual(Object.fromEntries(byEndpoint), today.book.byEndpoint);
        }
      }
      kv.close();
    }),
    { numRuns: 15 },
  );
});

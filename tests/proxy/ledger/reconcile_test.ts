/** The reconciliation, in a database in use. */

import assert from "node:assert/strict";
import { reconcileAccount } from "../../../lib/proxy/ledger/reconcile.ts";
import { dayOf } from "../../../lib/platform/utc_days.ts";
import { ledgerKey, type LedgerValue } from "../../../lib/proxy/ledger/values.ts";
import { openLedger, START } from "../../support/accounts.ts";
import { faultyKv } from "../../support/faulty_kv.ts";

const SEARCH = { accountId: "acc_a", keyId: "key", endpoint: "search", model: null, amount: 10n };
const LIMITS = { limit: 10n ** 12n, cap: { id: "key", limitNanoUsd: 10n ** 12n } };
const ALL = { from: null, correct: false };

Deno.test("a reconciliation finds no difference in correct books, whatever is booked between its reads", async () => {
  using kv = await Deno.openKv(":memory:");
  let now = START;
  const ledger = openLedger(kv, () => now);
  let count = 0;
  async function book(end: "settle" | "leave"): Promise<void> {
    const admission = await ledger.reserve({ ...SEARCH, ...LIMITS, requestId: `r${count++}` });
    assert.ok(admission.admitted);
    if (end === "leave") return;
    await ledger.settle(admission.reservation, { cost: 7n, status: 200 });
  }
  for (let request = 0; request < 250; request++) await book("settle");
  for (let request = 0; request < 3; request++) await book("leave");
  now += 61_000;
  let reads = 0;
  const busy = faultyKv(kv, async () => {
    // The first three reads find a moment at the second attempt; later, something is booked before each of them.
    if (++reads === 2 || reads > 6) await book(reads % 2 === 0 ? "settle" : "leave");
    if (reads === 8) await ledger.sweep();
    return "work" as const;
  });
  assert.deepEqual(await reconcileAccount(busy, "acc_a", ALL), []);
  assert.ok(reads >= 10, `${reads} reads`);

  const key = ledgerKey("acc_a");
  const { value } = await kv.get<LedgerValue>(key);
  assert.ok(value);
  const byKey = { other: { requests: 1, failures: 0, spent: 7n } };
  for (const wrong of [{ spent: 1n }, { reserved: 1n }, { requests: 1 }, { byKey }]) {
    const day = dayOf(START);
    const sums = value.days[day];
    assert.ok(sums);
    await kv.set(key, { ...value, days: { [day]: { ...sums, ...wrong } } });
    const [difference, ...others] = await reconcileAccount(kv, "acc_a", ALL);
    assert.deepEqual([difference?.day, others], [day, []]);
    assert.partialDeepStrictEqual(difference?.book, wrong);
  }
});

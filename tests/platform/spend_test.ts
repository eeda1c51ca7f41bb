/** The counters of money, against the books that they follow. */
// Alone: its meter is registered before any module of the service is loaded.

import assert from "node:assert/strict";
import { type Attributes, createNoopMeter, metrics } from "@opentelemetry/api";
import { openKv } from "../../lib/platform/kv/open.ts";

/** The counted dollars, by counter. */
const sums = new Map<string, number>();
const noop = createNoopMeter();
const counting = (name: string) => ({
  add: (value: number, _attributes?: Attributes) => {
    sums.set(name, (sums.get(name) ?? 0) + value);
  },
});
metrics.setGlobalMeterProvider({
  getMeter: () =>
    Object.assign(Object.create(noop), { createCounter: counting, createUpDownCounter: counting }),
});
// The counters are created when this module is loaded.
const { openLedger } = await import("../support/accounts.ts");

Deno.test("the sweep's charge is counted, and corrected when the response comes after it", async () => {
  using kv = await openKv(":memory:");
  let now = Date.parse("2026-11-21T12:00:00Z");
  const ledger = openLedger(kv, () => now);
  const admission = await ledger.reserve({
    requestId: "late",
    accountId: "acc_aaaaaaaaaaaa",
    keyId: "key",
    endpoint: "search",
    model: null,
    amount: 7_000_000_000n,
    limit: 10n ** 12n,
  });
  assert.ok(admission.admitted);
  now += 61_000;
  assert.equal(await ledger.sweep(), 1);
  assert.equal(sums.get("foyer.spend.settled"), 7);
  await ledger.settle(admission.reservation, { cost: 2_000_000_000n, status: 200 });
  assert.equal(sums.get("foyer.spend.reserved"), 7);
  assert.equal(sums.get("foyer.spend.settled"), 2);
});

Deno.test("a suspect cost is counted once in its day, also when the answer comes after the sweep", async () => {
  using kv = await openKv(":memory:");
  let now = Date.parse("2026-11-21T12:00:00Z");
  const warned: string[] = [];
  const log = { warn: (message: string) => void warned.push(message), error() {} };
  const ledger = openLedger(kv, () => now, { log });
  const reserve = async (requestId: string) => {
    const bid = { accountId: "acc_aaaaaaaaaaaa", keyId: "key", endpoint: "search", model: null };
    const admission = await ledger.reserve({ ...bid, requestId, amount: 1_000n, limit: 10n ** 9n });
    assert.ok(admission.admitted);
    return admission.reservation;
  };
  const suspect = async () =>
    (await ledger.status("acc_aaaaaaaaaaaa", 1)).days[0]?.sums.suspectCosts ?? 0;

  await ledger.settle(await reserve("usual"), { cost: 10_000n, status: 200 });
  assert.deepEqual([await suspect(), warned.length], [0, 0]);
  const dear = await reserve("dear");
  await ledger.settle(dear, { cost: 10_001n, status: 200 });
  await ledger.settle(await reserve("unusable"), { cost: null, unusableCost: "-5", status: 200 });
  assert.equal(await suspect(), 2);
  const late = await reserve("late");
  now += 61_000;
  assert.equal(await ledger.sweep(), 1);
  await ledger.settle(late, { cost: 20_000n, status: 200 });
  assert.equal(await suspect(), 3);
  assert.equal(sums.get("foyer.costs.suspect"), 3);
  assert.equal(warned.length, 3);
  // A repeated settlement books nothing.
  await ledger.settle(dear, { cost: 10_001n, status: 200 });
  assert.equal(await suspect(), 3);
});

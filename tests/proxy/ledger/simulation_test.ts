/** The simulation behind `static/docs/scale.md`, short: many isolates, slow commits, one account. */

import assert from "node:assert/strict";
import { type Load, type Outcome, simulate } from "../../../bench/simulated_ledger.ts";

const LOAD: Load = {
  isolates: 5,
  accounts: 1,
  rate: 150,
  seconds: 2,
  warmUpSeconds: 0,
  latency: [10, 50],
  limitShare: 100,
  seed: 7,
};

/** Every request was answered, and the books were exact at half-time and in the end. */
function assertInOrder({ asked, admitted, refused, late, failed, faults }: Outcome): void {
  assert.deepEqual(faults, []);
  assert.equal(failed, 0);
  assert.equal(admitted + refused + late, asked);
}

Deno.test("isolates that contend for one account lose nothing and book exactly", async () => {
  const outcome = await simulate(LOAD);
  assertInOrder(outcome);
  assert.equal(outcome.refused, 0);
  assert.ok(outcome.conflicts > 10, "a trial without conflicts says nothing");
  assert.ok(outcome.hot.spend === outcome.conflicts, "the day is in every commit");
});

Deno.test("only the last admitted request may exceed the limit", async () => {
  const outcome = await simulate({ ...LOAD, limitShare: 0.4 });
  assertInOrder(outcome);
  assert.ok(outcome.refused > 0);
  assert.ok(outcome.passedBy >= 0 && outcome.passedBy < 1, `${outcome.passedBy}`);
});

Deno.test("where a commit may check ten keys only, each isolate learns it from one refusal, and books exactly", async () => {
  const outcome = await simulate({ ...LOAD, maxChecks: 10 });
  assertInOrder(outcome);
  assert.ok(outcome.refusals > 0 && outcome.refusals <= LOAD.isolates, `${outcome.refusals}`);
});

Deno.test("a seed determines everything that happens", async () => {
  const load = { ...LOAD, seconds: 1, rate: 40, accounts: 3 };
  assert.deepEqual(await simulate(load), await simulate(load));
  assert.notDeepEqual(await simulate(load), await simulate({ ...load, seed: 8 }));
});

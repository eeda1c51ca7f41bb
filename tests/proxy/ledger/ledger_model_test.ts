/**
 * The ledger under random interleavings of several isolates, faults, deaths and clocks. A failure is shrunk, and names
 * its seed and path: `FOYER_LEDGER_SEED=<seed>` repeats it, `FOYER_LEDGER_RUNS=<count>` makes more runs.
 */
// Not quick: thousands of schedules of many isolates.

import assert from "node:assert/strict";
import fc from "fast-check";
import { type FaultProfile, runLedger } from "./ledger_run.ts";
import { createMemoryKv } from "../../support/memory_kv.ts";

const seed = Deno.env.get("FOYER_LEDGER_SEED") || undefined;
const runs = Number(Deno.env.get("FOYER_LEDGER_RUNS") || 300);

/** A failure is shrunk for so long at most. */
const LONGEST_MILLISECONDS = 100 * runs + 10_000;

const weathers: fc.Arbitrary<FaultProfile> = fc.record({
  isolates: fc.integer({ min: 1, max: 4 }),
  faults: fc.constantFrom(0, 0, 12, 25),
  deaths: fc.constantFrom(0, 0, 4),
  jumps: fc.boolean(),
  isAhead: fc.constantFrom(false, false, true),
  isServiceLimited: fc.constantFrom(false, false, true),
  caps: fc.constantFrom(0, 2, 100),
});
const choices = fc.array(fc.nat({ max: 1_000_000 }), {
  minLength: 200,
  maxLength: 700,
  size: "max",
});

Deno.test("the books are right after every commit, under any faults", async () => {
  const totals: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(weathers, choices, async (weather, choices) => {
      const tally = await runLedger(createMemoryKv(), weather, choices);
      for (const [name, count] of Object.entries(tally)) totals[name] = (totals[name] ?? 0) + count;
    }),
    {
      numRuns: runs,
      // A long trial is repeated by its seed, to shrink what it found.
      endOnFailure: seed === undefined && runs > 1_000,
      interruptAfterTimeLimit: LONGEST_MILLISECONDS,
      markInterruptAsFailure: true,
      ...seed !== undefined && { seed: Number(seed) },
    },
  );
  // deno-lint-ignore no-console -- a long trial is started by hand, and its figures are wanted
  if (runs > 1_000) console.info(totals);
  // The runs prove something only if all of this happens in them.
  if (runs < 100) return;
  for (const [name, count] of Object.entries(totals)) {
    assert.ok(count > runs / 100, `${name}: ${count} in ${runs} runs`);
  }
});

Deno.test("over a real database the same moves lead to the same books", async () => {
  using kv = await Deno.openKv(":memory:");
  await fc.assert(
    fc.asyncProperty(weathers, choices, async (weather, choices) => {
      const tally = await runLedger(kv, weather, choices);
      assert.deepEqual(tally, await runLedger(createMemoryKv(), weather, choices));
    }),
    { numRuns: 6, seed: 1, endOnFailure: true },
  );
});

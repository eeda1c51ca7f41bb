/**
 * The ledger under random interleavings of several isolates, faults, deaths and clocks. A failure names
 * its seed: `FOYER_LEDGER_SEED=<seed>` makes that run alone, `FOYER_LEDGER_RUNS=<count>` makes more.
 */
// Not quick: thousands of schedules of many isolates.

import assert from "node:assert/strict";
import { runLedger, WEATHERS } from "./ledger_run.ts";
import { createMemoryKv } from "../../support/memory_kv.ts";

const only = Deno.env.get("FOYER_LEDGER_SEED") || null;
const runs = only === null ? Number(Deno.env.get("FOYER_LEDGER_RUNS") || 400) : 1;
const first = Number(only ?? 1);

/** Scenarios that need a midnight, a long pause or a fault at one moment. */
const RARE = new Set(["overMidnight", "gone", "unknown"]);

async function run(kv: Deno.Kv, seed: number): Promise<Record<string, number>> {
  const weather = WEATHERS[seed % WEATHERS.length];
  assert.ok(weather !== undefined);
  try {
    return await runLedger(kv, seed, weather, Math.floor(seed / WEATHERS.length) % 3 === 2);
  } catch (error) {
    throw new Error(`FOYER_LEDGER_SEED=${seed}: ${error}`, { cause: error });
  }
}

Deno.test("the books are right after every commit, under any faults", async () => {
  const totals: Record<string, number> = {};
  for (let seed = first; seed < first + runs; seed++) {
    for (const [name, count] of Object.entries(await run(createMemoryKv(), seed))) {
      totals[name] = (totals[name] ?? 0) + count;
    }
  }
  // deno-lint-ignore no-console -- a long trial is started by hand, and its figures are wanted
  if (runs > 1_000) console.info(totals);
  // The runs prove something only if all of this happens in them.
  if (runs < 100) return;
  for (const [name, count] of Object.entries(totals)) {
    const least = RARE.has(name) ? runs / 100 : runs / 10;
    assert.ok(count > least, `${name}: ${count}`);
  }
});

Deno.test("over a real database the same moves lead to the same books", async () => {
  using kv = await Deno.openKv(":memory:");
  for (let seed = first; seed < first + Math.min(runs, 8); seed++) {
    assert.deepEqual(await run(kv, seed), await run(createMemoryKv(), seed));
  }
});

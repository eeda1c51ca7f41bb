/** A minute of the ordeal; `deno task ordeal` runs longer ones. */

import assert from "node:assert/strict";
import { runOrdeal } from "./ordeal.ts";
import { makePlan } from "./plan.ts";

const SEED = "suite";
const MINUTES = 1;

Deno.test("a minute of load and faults: money is exact, no event too old, each answer logged once", async () => {
  const steps: string[] = [];
  const plan = makePlan(SEED, MINUTES);
  const tell = (line: string) => void steps.push(line);
  const { faults, figures } = await runOrdeal({ seed: SEED, plan, minutes: MINUTES, tell });
  assert.deepEqual(faults, [], steps.join("\n"));
  // Without load and faults it would prove nothing.
  assert.ok(Number(figures["booked"]) > 100, "requests were booked");
  assert.ok(Number(figures["processes"]) > 2, "processes were ended");
});

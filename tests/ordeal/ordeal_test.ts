/** Half a minute of the ordeal; `deno task ordeal` runs longer ones. */
// Alone: while it lasts, other tests run.

import assert from "node:assert/strict";
import { runOrdeal } from "./ordeal.ts";
import { makePlan, type Planned } from "./plan.ts";

/** Its plan has a step of every kind. */
const SEED = "2";
const MINUTES = 0.5;
/** Fewer callers than in longer ordeals, because other tests run meanwhile. */
const CALLERS = { readers: 2, members: 6 };
/** Both processes restart while the disk is full, which no short plan contains by chance. */
const NO_ROOM_TO_START: readonly Planned[] = [
  { at: 20_000, kind: "full", milliseconds: 3_000 },
  { at: 20_500, kind: "term", process: 0 },
  { at: 20_500, kind: "term", process: 1 },
];

Deno.test("under load and faults money is exact, no event too old, each answer logged once", async () => {
  const steps: string[] = [];
  const plan = [...makePlan(SEED, MINUTES), ...NO_ROOM_TO_START].toSorted((a, b) => a.at - b.at);
  const tell = (line: string) => void steps.push(line);
  const { faults, figures } = await runOrdeal({
    seed: SEED,
    plan,
    minutes: MINUTES,
    callers: CALLERS,
    tell,
  });
  assert.deepEqual(faults, [], steps.join("\n"));
  // Without load and faults, the ordeal would prove nothing.
  assert.ok(Number(figures["booked"]) > 100, "requests were booked");
  assert.ok(Number(figures["processes"]) > 2, "processes were ended");
  for (const name of ["overKeysLimit", "overServiceLimit"]) {
    assert.ok(Number(figures[name]) > 0, name);
  }
});

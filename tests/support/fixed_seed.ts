/**
 * Lets the properties of a run try the same inputs each time, so that no chance decides whether a change passes.
 * `deno task test:random` tries others. `tests/run.ts` imports it before all tests.
 */

import fc from "fast-check";

const SEED = 20_261_121;

if (Deno.env.get("FOYER_RANDOM_INPUTS") !== "on") fc.configureGlobal({ seed: SEED });

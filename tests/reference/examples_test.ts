/** The examples of the reference are what the service answers. */

import assert from "node:assert/strict";
import { type Example, EXAMPLES } from "../../lib/reference/examples.ts";
import { ask, readAnswer, startReferenceFoyer } from "./world.ts";

const FILE = new URL("../../lib/reference/examples.json", import.meta.url);

Deno.test("each example is what a served Foyer answers to its request", async () => {
  await using foyer = await startReferenceFoyer();
  const member = await foyer.createMember();
  const heard: Record<string, Example> = {};
  for (const [name, example] of Object.entries(EXAMPLES)) {
    // Charges are booked in the background, and told by the usage of the next example.
    await foyer.services.ledger.flush();
    const answer = await readAnswer(await ask(foyer, member, example));
    heard[name] = { ...example, answer };
  }
  if (Deno.env.has("FOYER_RECORD_EXAMPLES")) {
    await Deno.writeTextFile(FILE, `${JSON.stringify(heard, null, 2)}\n`);
  } else assert.deepEqual(heard, EXAMPLES);
});

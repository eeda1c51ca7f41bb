/** The examples of the reference are the responses of the service. */

import assert from "node:assert/strict";
import answers from "../../../lib/operate/reference/answers.json" with { type: "json" };
import { sampleRecords } from "../../../lib/sandbox/sample.ts";
import { startFoyer } from "../../support/foyer.ts";
import {
  ask,
  exampleRequests,
  operations,
  OTHER_REQUESTS,
  readAnswer,
  RECORD,
  startReferenceFoyer,
} from "./world.ts";

const FILE = new URL("../../../lib/operate/reference/answers.json", import.meta.url);

Deno.test("each example is the response of a served Foyer to its request", async () => {
  await using foyer = await startReferenceFoyer();
  const member = await foyer.createMember();
  const heard: Record<string, unknown> = {};
  for (const [name, request] of Object.entries(exampleRequests)) {
    // Charges are booked in the background, and the usage of the next example shows them.
    await foyer.services.ledger.flush();
    const response = await ask(foyer, member, request);
    heard[name] = await readAnswer(response, member);
    if (name in OTHER_REQUESTS) continue;
    const found = `${name} answers ${response.status}: ${JSON.stringify(heard[name])}`;
    assert.equal(response.status, 200, found);
  }
  if (Deno.env.get("FOYER_RECORD_EXAMPLES")) {
    await Deno.writeTextFile(FILE, `${JSON.stringify(heard, null, 2)}\n`);
  } else assert.deepEqual(heard, answers, `recorded anew by ${RECORD}`);
});

Deno.test("on the sample, every address that the reference gives as an example answers", async () => {
  await using foyer = await startFoyer({ records: sampleRecords() });
  const failed = [];
  for (const { path, method, operation: { parameters = [], security } } of operations) {
    if (method !== "get" || security !== undefined) continue;
    const values = new Map(parameters.map(({ name, example }) => [name, String(example)]));
    const address = path.replace(/\{(\w+)\}/g, (_, name) => values.get(name) ?? "");
    const response = await foyer.get(address);
    // Cards are drawn in a process of their own, which this world lacks.
    if (response.status === 200 || address.endsWith("/card")) continue;
    failed.push(`${response.status} ${address}`);
  }
  assert.deepEqual(failed, []);
});

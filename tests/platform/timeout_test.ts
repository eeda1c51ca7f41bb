/** Limits that share a timer. */

import assert from "node:assert/strict";
import { startLimit } from "../../lib/platform/timeout.ts";

Deno.test("limits that pass at about the same time pass in their order, without those that were cancelled", async () => {
  const passed: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = () => void passed.push("same work");
  startLimit(work, 20);
  startLimit(work, 20);
  const cancel = startLimit(() => passed.push("cancelled"), 20);
  startLimit(() => passed.push("later"), 250);
  startLimit(resolve, 450);
  cancel();
  cancel();
  await promise;
  assert.deepEqual(passed, ["same work", "same work", "later"]);
});

Deno.test("a process ends while a cancelled limit has not passed, and not before one that was not", async () => {
  const { href } = new URL("../../lib/platform/timeout.ts", import.meta.url);
  const code = `import { startLimit } from ${JSON.stringify(href)};
    startLimit(() => {}, 3_600_000)();
    startLimit(() => console.log("passed"), 1);`;
  const args = ["eval", code];
  const { success, stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
  assert.deepEqual([success, new TextDecoder().decode(stdout)], [true, "passed\n"]);
});

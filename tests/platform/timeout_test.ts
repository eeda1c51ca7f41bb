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
  // A limit does not keep a process alive, and nothing else here does.
  const alive = setInterval(() => {}, 1_000);
  await promise;
  clearInterval(alive);
  assert.deepEqual(passed, ["same work", "same work", "later"]);
});

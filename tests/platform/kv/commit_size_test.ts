/** Commits that exceed a limit are made in parts. */

import assert from "node:assert/strict";
import { inFittingParts, limitChecks } from "../../../lib/platform/kv/commit_size.ts";
import { markRemote } from "../../../lib/platform/kv/open.ts";

/** Processes at most `most` items at a time; returns the parts. */
async function partsOf(
  items: readonly number[],
  most: number,
  tooMany: Error,
): Promise<number[][]> {
  const parts: number[][] = [];
  await inFittingParts(items, (some) => {
    if (some.length > most) return Promise.reject(tooMany);
    parts.push([...some]);
    return Promise.resolve();
  });
  return parts;
}

Deno.test("work that exceeds a limit is done for halves, down to single items, in their order", async () => {
  const refusals = [
    new TypeError("Too many checks (max 100)"),
    new Error("KV Connect failed to call 'http://kv/atomic_write' (status=400)"),
    new Error("KV Connect failed to call 'http://kv/atomic_write' (status=413)"),
  ];
  for (const refusal of refusals) {
    assert.deepEqual(await partsOf([1, 2, 3, 4, 5], 5, refusal), [[1, 2, 3, 4, 5]]);
    assert.deepEqual(await partsOf([1, 2, 3, 4, 5], 3, refusal), [[1, 2, 3], [4, 5]]);
    assert.deepEqual(await partsOf([1, 2, 3], 1, refusal), [[1], [2], [3]]);
    await assert.rejects(partsOf([1, 2], 0, refusal), refusal);
  }
});

Deno.test("work that fails for another reason is not tried again", async () => {
  const failure = new Error("KV Connect failed to call 'http://kv/atomic_write' (status=500)");
  await assert.rejects(partsOf([1, 2], 1, failure), failure);
});

Deno.test("items that need many checks are committed one by one where a server allows ten", async () => {
  using kv = markRemote(await Deno.openKv(":memory:"));
  const tried: number[] = [];
  await inFittingParts([1, 2], async (some) => {
    tried.push(some.length);
    if (tried.length > 3) throw new Error("tried too often");
    const operation = kv.atomic();
    operation.commit = () =>
      Promise.reject(
        new Error("KV Connect failed to call 'http://kv' (status=400): too many checks"),
      );
    if (some.length < 2) return;
    limitChecks(kv, operation);
    operation.check(...Array.from({ length: 30 }, (_, at) => ({ key: [at], versionstamp: null })));
    await operation.commit();
  });
  assert.deepEqual(tried, [2, 1, 1]);
});

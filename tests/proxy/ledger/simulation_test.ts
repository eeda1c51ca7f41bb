/** The simulation behind `static/docs/scale.md`, short: a database over a network. */

import assert from "node:assert/strict";
import { simulate } from "../../../bench/simulated_ledger.ts";

const LOAD = {
  isolates: 1,
  accounts: 5,
  callers: 1,
  searches: 20,
  latency: [10, 50],
  seed: 7,
} as const;

Deno.test("over a network, a search waits for exactly one commit and no read before its call", async () => {
  const { errors, commits, mostCommits, reads, p99Milliseconds } = await simulate({
    ...LOAD,
    accounts: 1,
  });
  assert.deepEqual(errors, []);
  assert.deepEqual([commits, mostCommits, reads], [1, 1, 0]);
  assert.ok(p99Milliseconds <= 2 * LOAD.latency[1], `${p99Milliseconds} ms`);
});

Deno.test("callers of one account wait for the commit in progress and their own, and isolates book exactly", async () => {
  const one = await simulate({ ...LOAD, accounts: 1, callers: 16 });
  assert.deepEqual([one.errors, one.lost], [[], 0]);
  assert.ok(one.mostCommits <= 2, `${one.mostCommits} commits`);
  const four = await simulate({ ...LOAD, accounts: 1, callers: 16, isolates: 4 });
  assert.deepEqual(four.errors, []);
  assert.ok(four.lost > 0, "a trial without conflicts says nothing");
});

Deno.test("a seed determines everything that happens", async () => {
  assert.deepEqual(await simulate(LOAD), await simulate(LOAD));
  assert.notDeepEqual(await simulate(LOAD), await simulate({ ...LOAD, seed: 8 }));
});

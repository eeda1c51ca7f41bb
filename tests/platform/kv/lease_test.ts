/** Leases: one holder at a time, and none for longer than its time. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { type Lease, takeLease } from "../../../lib/platform/kv/lease.ts";
import { openKv } from "../../../lib/platform/kv/open.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const TIME = 60_000;

/** Takes a lease that must be free. */
async function take(kv: Deno.Kv, now: number): Promise<Lease> {
  const lease = await takeLease(kv, "l", TIME, now);
  assert.ok(lease);
  return lease;
}

/** Whether a write under the lease's guard succeeds. */
async function writes(kv: Deno.Kv, lease: Lease): Promise<boolean> {
  return (await lease.guard(kv.atomic()).set(["x"], 1).commit()).ok;
}

Deno.test("one of many simultaneous takers gets a lease", async () => {
  using kv = await openKv(":memory:");
  const all = await Promise.all(Array.from({ length: 50 }, () => takeLease(kv, "l", TIME, NOW)));
  assert.equal(all.filter((lease) => lease !== null).length, 1);
});

Deno.test("a lease is respected by who has a slower clock, or looked at it some time ago", async () => {
  using kv = await openKv(":memory:");
  await take(kv, NOW);
  for (const behind of [1, 5_000, TIME]) {
    assert.equal(await takeLease(kv, "l", TIME, NOW - behind), null, `${behind} ms behind`);
  }
});

Deno.test("a clock that went far back does not lock a lease", async () => {
  using kv = await openKv(":memory:");
  const before = await take(kv, NOW);
  const after = await take(kv, NOW - TIME - 1);
  assert.equal(await writes(kv, before), false);
  assert.ok(await writes(kv, after));
});

Deno.test("a lease is granted exactly when it is free, in any sequence of takes, releases and waits", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("wait" as const), time: fc.integer({ min: 0, max: 2 * TIME }) }),
    fc.record({ kind: fc.constant("take" as const) }),
    fc.record({ kind: fc.constant("release" as const), which: fc.nat(3) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      using kv = await openKv(":memory:");
      let now = NOW;
      const taken: Lease[] = [];
      let holder: { lease: Lease; endsAt: number } | null = null;
      for (const step of steps) {
        if (step.kind === "wait") now += step.time;
        else if (step.kind === "release") {
          const lease = taken.at(-1 - step.which);
          await lease?.release();
          if (holder?.lease === lease) holder = null;
        } else {
          const lease = await takeLease(kv, "l", TIME, now);
          assert.equal(lease !== null, holder === null || holder.endsAt <= now);
          if (lease === null) continue;
          taken.push(lease);
          holder = { lease, endsAt: now + TIME };
        }
      }
      for (const lease of taken) assert.equal(await writes(kv, lease), lease === holder?.lease);
    }),
    { numRuns: 60 },
  );
});

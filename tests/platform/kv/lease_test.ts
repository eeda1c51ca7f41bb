/** Leases: one holder at a time, and none for longer than its time. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { type Lease, takeLease } from "../../../lib/platform/kv/lease.ts";
import { openKv } from "../../../lib/platform/kv/open.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const TIME = 60_000;

async function withKv(run: (kv: Deno.Kv) => Promise<void>): Promise<void> {
  const kv = await openKv(":memory:");
  try {
    await run(kv);
  } finally {
    kv.close();
  }
}

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

Deno.test("a lease has one holder until its time is over", () =>
  withKv(async (kv) => {
    const lease = await take(kv, NOW);
    for (const now of [NOW, NOW + 1, NOW + TIME - 1]) {
      assert.equal(await takeLease(kv, "l", TIME, now), null);
      assert.ok(await writes(kv, lease));
    }
    assert.ok(await takeLease(kv, "another", TIME, NOW));
    await take(kv, NOW + TIME);
  }));

Deno.test("who lost a lease writes nothing under it, and gives back nothing of the new holder's", () =>
  withKv(async (kv) => {
    const late = await take(kv, NOW);
    assert.ok(await writes(kv, late), "no other isolate took it over");
    const holder = await take(kv, NOW + TIME);
    assert.equal(await writes(kv, late), false);
    await late.release();
    assert.equal(await takeLease(kv, "l", TIME, NOW + TIME + 1), null);
    assert.ok(await writes(kv, holder));
  }));

Deno.test("a lease that was given back is free at once, and no longer guards", () =>
  withKv(async (kv) => {
    const lease = await take(kv, NOW);
    await lease.release();
    assert.equal(await writes(kv, lease), false);
    const next = await take(kv, NOW);
    await lease.release();
    assert.ok(await writes(kv, next), "a second release does no harm");
  }));

Deno.test("one of many simultaneous takers gets a lease", () =>
  withKv(async (kv) => {
    const all = await Promise.all(Array.from({ length: 50 }, () => takeLease(kv, "l", TIME, NOW)));
    assert.equal(all.filter((lease) => lease !== null).length, 1);
  }));

Deno.test("a lease is respected by who has a slower clock, or looked at it some time ago", () =>
  withKv(async (kv) => {
    await take(kv, NOW);
    for (const behind of [1, 5_000, TIME]) {
      assert.equal(await takeLease(kv, "l", TIME, NOW - behind), null, `${behind} ms behind`);
    }
  }));

Deno.test("a clock that went far back does not lock a lease", () =>
  withKv(async (kv) => {
    const before = await take(kv, NOW);
    const after = await take(kv, NOW - TIME - 1);
    assert.equal(await writes(kv, before), false);
    assert.ok(await writes(kv, after));
  }));

Deno.test("a lease is granted exactly when it is free, in any sequence of takes, releases and waits", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("wait" as const), time: fc.integer({ min: 0, max: 2 * TIME }) }),
    fc.record({ kind: fc.constant("take" as const) }),
    fc.record({ kind: fc.constant("release" as const), which: fc.nat(3) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), (steps) =>
      withKv(async (kv) => {
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
      })),
    { numRuns: 60 },
  );
});

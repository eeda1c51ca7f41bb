/**
 * The promise of five minutes, under a clock that the test moves: no interleaving of
 * requests, cron runs, failing and slow reads and several isolates breaks it.
 */
// Not quick: thousands of schedules of clocks that differ.

import assert from "node:assert/strict";
import fc from "fast-check";
import { ReadError } from "../../lib/events/reading/record_store.ts";
import { PublicError } from "../../lib/platform/http/errors.ts";
import {
  ask,
  createWorld,
  type Isolate,
  LEASE,
  retryAfter,
  seenAt,
  START,
  type World,
} from "../support/isolates.ts";
import { step } from "../support/step.ts";

const SECOND = 1_000;
const MINUTE = 60_000;

Deno.test("a snapshot is served for five minutes, and refreshed in the background from the second minute on", async () => {
  await using world = await createWorld();
  const isolate = world.isolate();
  assert.equal(seenAt(await ask(world, isolate)), 0);
  await world.time.advance(119 * SECOND);
  assert.equal(seenAt(await ask(world, isolate)), 0);
  await world.time.settle();
  assert.equal(world.store.reads, 1);
  await world.time.advance(2 * SECOND);
  assert.equal(seenAt(await ask(world, isolate)), 0, "the one who finds it old does not wait");
  await isolate.source.refresh();
  assert.equal(seenAt(await ask(world, isolate)), 121 * SECOND);
  assert.equal(world.store.reads, 2);
});

Deno.test("a request waits 25 seconds for a slow read, which continues and serves the next", async () => {
  await using world = await createWorld();
  const isolate = world.isolate();
  const end = world.store.close();
  const asked = ask(world, isolate);
  await world.time.until(() => world.store.reads === 1);
  await world.time.advance(25 * SECOND);
  retryAfter(await asked);
  end();
  await isolate.source.refresh();
  assert.equal(seenAt(await ask(world, isolate)), 0);
  assert.equal(world.store.reads, 1);
});

Deno.test("after a refusal the store is left alone for as long as it asks, by every isolate", async () => {
  await using world = await createWorld();
  const isolates = world.isolates(2);
  world.store.failure = new ReadError("rate_limited", "429", 30);
  for (let second = 0; second < 30; second += 3) {
    for (const isolate of [...isolates, world.isolate()]) {
      assert.equal(retryAfter(await ask(world, isolate)), 30 - second);
      await isolate.source.refresh();
    }
    await world.time.advance(3 * SECOND);
  }
  assert.equal(world.store.reads, 1);
  world.store.failure = null;
  assert.equal(seenAt(await ask(world, isolates[1] as Isolate)), 30 * SECOND);
});

Deno.test("an isolate whose clock is a little behind serves another's snapshot, for no longer", async () => {
  await using world = await createWorld();
  await ask(world, world.isolate());
  // From here on, the world's clock is the one of such an isolate: five seconds behind.
  const behind = 5 * SECOND;
  await world.time.advance(-behind);
  const answer = await ask(world, world.isolate());
  assert.equal(seenAt(answer), 0);
  assert.ok(!(answer instanceof PublicError) && answer.maxAgeSeconds + behind / SECOND <= 300);
  assert.equal(world.store.reads, 1);
  world.store.failure = new ReadError("unavailable", "down");
  await world.time.advance(300 * SECOND - 1);
  assert.equal(seenAt(await ask(world, world.isolate())), 0);
  await world.time.advance(1);
  retryAfter(await ask(world, world.isolate()));
});

Deno.test("a snapshot read by a clock that was ahead does not count as young when that time comes", async () => {
  await using world = await createWorld();
  const [ahead, right] = world.isolates(2) as [Isolate, Isolate];
  await world.time.advance(2 * MINUTE);
  assert.equal(seenAt(await ask(world, ahead)), 2 * MINUTE);
  await world.time.advance(-2 * MINUTE);
  world.store.failure = new ReadError("unavailable", "down");
  retryAfter(await ask(world, right));
  await world.time.advance(2 * MINUTE + 1 * SECOND);
  retryAfter(await ask(world, right));
  retryAfter(await ask(world, world.isolate()));
  world.store.failure = null;
  await world.time.advance(5 * SECOND);
  assert.equal(seenAt(await ask(world, right)), world.time.now() - START);
});

Deno.test("every isolate knows the age of the stored snapshot, and whether the last read succeeded", async () => {
  await using world = await createWorld();
  const [reader, other] = world.isolates(2) as [Isolate, Isolate];
  assert.deepEqual([await other.source.age(), await other.source.isUp()], [null, null]);
  await ask(world, reader);
  await world.time.advance(130 * SECOND);
  assert.deepEqual([await other.source.age(), await other.source.isUp()], [130 * SECOND, true]);
  world.store.failure = new ReadError("unavailable", "down");
  await reader.source.refresh();
  assert.deepEqual([await other.source.age(), await other.source.isUp()], [130 * SECOND, false]);
  world.store.failure = null;
});

const anyIsolate = { isolate: fc.nat(2) };
const seconds = fc.oneof(
  fc.constantFrom(1, 5, 30, 61, 74, 76, 120, 121, 179, 224, 226, 294, 295, 296, 300, 4_000),
  fc.integer({ min: 1, max: 300 }),
);
const does = fc.constantFrom(
  ..."right right slow slow end end down 429 broken".split(" "),
);
const anyStep = fc.oneof(
  { weight: 6, arbitrary: step("ask", anyIsolate) },
  { weight: 2, arbitrary: step("cron", anyIsolate) },
  { weight: 6, arbitrary: step("advance", { seconds }) },
  { weight: 3, arbitrary: step("store", { does }) },
  { weight: 2, arbitrary: step("freeze", { ...anyIsolate, operations: fc.nat(14) }) },
  { weight: 3, arbitrary: step("thaw", anyIsolate) },
  { weight: 1, arbitrary: step("back", { seconds: fc.constantFrom(1, 4, 6, 60, 310) }) },
  // The old isolate dies at once, or still finishes.
  { weight: 1, arbitrary: step("restart", anyIsolate) },
);
type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

/** The errors of a store that does not respond correctly. */
const FAILURES: Readonly<Record<string, unknown>> = {
  "down": new ReadError("unavailable", "down"),
  "429": new ReadError("rate_limited", "429", 30),
  "broken": new TypeError("x is not iterable"),
};

class Schedule {
  readonly pending: Promise<unknown>[] = [];
  private readonly isolates: Isolate[];
  private readonly dead: Isolate[] = [];
  private readonly ends: (() => void)[] = [];
  private wentBack = false;

  constructor(private readonly world: World) {
    this.isolates = world.isolates(3);
  }

  async take(step: Step): Promise<void> {
    const { world: { time, store } } = this;
    switch (step.kind) {
      case "ask":
        this.pending.push(ask(this.world, this.at(step)));
        break;
      case "cron":
        this.pending.push(this.at(step).source.refresh());
        break;
      case "advance":
        await time.advance(step.seconds * SECOND);
        break;
      case "back":
        this.wentBack = true;
        await time.advance(-step.seconds * SECOND);
        break;
      case "store":
        if (step.does === "slow") this.ends.push(store.close());
        else if (step.does === "end") this.ends.shift()?.();
        else {
          store.gate = Promise.resolve();
          store.failure = FAILURES[step.does] ?? null;
        }
        break;
      case "freeze":
        this.at(step).freeze(step.operations);
        break;
      case "thaw":
        this.at(step).thaw();
        break;
      case "restart":
        this.dead.push(this.at(step));
        this.isolates[step.isolate] = this.world.isolate();
    }
    await time.settle();
  }

  /** With a working store and no stopped isolate (stopped ones resume), all requests are answered soon. */
  async recover(): Promise<void> {
    const { world, world: { time, store } } = this;
    store.open();
    for (const isolate of [...this.isolates, ...this.dead]) isolate.thaw();
    await time.through(Promise.all(this.pending), 5 * SECOND);
    const recoverBy = time.now() + LEASE + 60 * SECOND;
    for (const isolate of this.isolates) {
      for (;;) {
        const answer = await time.through(ask(world, isolate), 5 * SECOND);
        if (!(answer instanceof PublicError)) break;
        assert.ok(time.now() <= recoverBy, "a store that works again is read again");
        await time.advance(retryAfter(answer) * SECOND);
      }
    }
    // A lease from the future binds no isolate.
    if (!this.wentBack) assert.deepEqual(store.collisions, [], "two reads at once");
  }

  private at({ isolate }: { isolate: number }): Isolate {
    // Steps name one of the three.
    return this.isolates[isolate] as Isolate;
  }
}

Deno.test("no interleaving gives a client data older than five minutes, its cache included", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 8, maxLength: 40 }), async (steps) => {
      await using world = await createWorld();
      const schedule = new Schedule(world);
      for (const step of steps) await schedule.take(step);
      await schedule.recover();
    }),
    { numRuns: 60, endOnFailure: true },
  );
});

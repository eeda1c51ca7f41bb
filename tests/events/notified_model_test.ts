/**
 * The promise with notifications: whatever becomes of them, of the hook, of isolates and of their clocks, no edit is
 * served later than the written rule says, and no call is made beyond the budget.
 */
// Not quick: hours of many worlds.

import assert from "node:assert/strict";
import fc from "fast-check";
import { PublicError } from "../../lib/platform/http/errors.ts";
import type { WebhookRights } from "../../lib/sandbox/airtable_webhooks.ts";
import {
  createNotifiedWorld,
  DAY,
  HOUR,
  MINUTE,
  type NotifiedIsolate,
  type NotifiedWorld,
  type Passage,
  SECOND,
} from "../support/isolates.ts";
import { step } from "../support/step.ts";

/**
 * The maximum time from the moment at which data are known to be wrong to their last use, the caches of clients
 * included.
 */
const LAG = 300 * SECOND;

const isolate = fc.nat(1);
const seconds = fc.oneof(
  fc.constantFrom(1, 5, 6, 10, 11, 25, 50, 61, 76, 240, 294, 296, 301, 3_590, 3_610),
  fc.integer({ min: 1, max: 400 }),
);
const edits = fc.integer({ min: 10, max: 90 });
const does = fc.constantFrom<Passage>(
  "arrive",
  "arrive",
  "lose",
  "refuse",
  "double",
  4_000,
  40_000,
);
const outage = { ahead: fc.constantFrom(0, HOUR), pause: fc.integer({ min: 10, max: 100 }) };
const anyStep = fc.oneof(
  { weight: 6, arbitrary: step("ask", { isolate }) },
  { weight: 5, arbitrary: step("edit") },
  { weight: 6, arbitrary: step("run", { seconds }) },
  { weight: 1, arbitrary: step("burst", { edits, pause: fc.constantFrom(3, 4, 12, 19) }) },
  { weight: 4, arbitrary: step("network", { does }) },
  { weight: 1, arbitrary: step("forge", { isolate }) },
  { weight: 1, arbitrary: step("end the hook", { way: fc.nat(1) }) },
  { weight: 2, arbitrary: step("die", { isolate, operations: fc.nat(16) }) },
  { weight: 1, arbitrary: step("skew", { isolate, ahead: fc.integer({ min: -2, max: 2 }) }) },
  { weight: 1, arbitrary: step("fail") },
  { weight: 1, arbitrary: step("outage", outage) },
);
type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

/** A world under a schedule, with an oracle of the allowed responses. */
class Schedule {
  private does: Passage = "arrive";
  /** The notifications that it still concerns: after many that fail, Airtable pauses for hours. */
  private left = 0;
  private edits = 0;

  constructor(readonly world: NotifiedWorld, private readonly isPolled: boolean) {}

  /** The fate of the next notification. */
  passage(): Passage {
    return this.left-- > 0 ? this.does : "arrive";
  }

  /** A dead isolate has been replaced. */
  private at(index: number): NotifiedIsolate {
    const living = this.world.isolates.filter(({ isFrozen }) => !isFrozen);
    const found = living[index % Math.max(1, living.length)];
    return found ?? this.world.add();
  }

  async take(step: Step): Promise<void> {
    const { world } = this;
    switch (step.kind) {
      case "ask":
        return await this.ask(this.at(step.isolate));
      case "edit":
        world.edit(`edit ${++this.edits}`);
        return;
      case "run":
        return await world.run(step.seconds * SECOND);
      case "burst":
        for (let edits = 0; edits < step.edits; edits++) {
          world.edit(`edit ${++this.edits}`);
          await world.run(step.pause * SECOND);
          await this.ask(this.at(edits % 2));
        }
        return;
      case "network":
        this.does = step.does;
        this.left = step.does === "lose" ? Infinity : 3;
        return;
      case "forge": {
        const body = new TextEncoder().encode("{}");
        const isTaken = { value: false };
        const mac = `hmac-sha256=${"0".repeat(64)}`;
        void this.at(step.isolate).receive(mac, body).then((value) => isTaken.value = value);
        await world.run(SECOND);
        assert.equal(isTaken.value, false);
        return;
      }
      case "end the hook":
        for (const id of world.airtable.webhooks.ids) {
          if (step.way === 0) world.airtable.webhooks.drop(id);
          else world.airtable.webhooks.invalidate(id);
        }
        return;
      case "die":
        this.at(step.isolate).freeze(step.operations);
        return;
      case "skew":
        this.at(step.isolate).ahead = step.ahead * SECOND;
        return;
      case "fail":
        world.airtable.faults.push({ kind: "status", status: 500 });
        return;
      case "outage":
        // No read succeeds, and the first notification comes to an isolate whose clock is wrong.
        world.airtable.faults.push({ kind: "status", status: 500, sticky: true });
        this.at(0).ahead = step.ahead;
        for (let edits = 0; edits < 6; edits++) {
          world.edit(`edit ${++this.edits}`);
          await world.run(step.pause * SECOND);
          this.at(0).ahead = 0;
          for (const index of [0, 1]) await this.ask(this.at(index));
        }
        world.airtable.faults.clear();
    }
  }

  /** Sends a request, and checks the response against the rule. */
  async ask(isolate: NotifiedIsolate): Promise<void> {
    const { world } = this;
    const answer = await world.ask(isolate).catch((error) => {
      // A dead isolate does not respond.
      if (isolate.isFrozen) return null;
      throw error;
    });
    if (answer === null || answer instanceof PublicError) return;
    const seenUntil = world.now() + answer.maxAgeSeconds * SECOND;
    const shown = world.editions.findIndex(({ name }) => name === answer.name);
    const next = world.editions[shown + 1];
    if (next === undefined) return;
    // An edit is known at the latest at the next regular read; a notification makes that earlier.
    const told = world.arrivals.find((each) => each.isTaken && each.editions > shown + 1)?.at;
    const known = Math.min(next.at + (this.isPolled ? 0 : HOUR), told ?? Infinity);
    assert.ok(
      seenUntil <= known + LAG,
      `${answer.name} may be seen ${seenUntil - known} ms after the next edition was known`,
    );
  }

  /** After the faults, all edits are shown, and the next one within a minute. */
  async recover(): Promise<void> {
    const { world } = this;
    this.left = 0;
    world.airtable.faults.clear();
    for (const isolate of world.isolates) if (!isolate.isFrozen) isolate.thaw();
    const [first, second] = [this.at(0), this.at(1)];
    // A hook that Airtable has never reached is checked once a day.
    if (await world.life() === null) await world.run(DAY);
    for (let minutes = 0; minutes < 4 * 60; minutes += 20) {
      // A change without a notification makes the service check its hook.
      if (minutes % 80 === 0) world.edit(`edit ${++this.edits}`);
      await world.run(20 * MINUTE);
      for (const isolate of [first, second]) await this.ask(isolate);
    }
    world.edit("the last");
    await world.run(this.isPolled ? 5 * MINUTE : MINUTE);
    for (const isolate of [first, second]) {
      // The first request learns of the new snapshot.
      await this.ask(isolate);
      await world.run(SECOND);
      const answer = await world.ask(isolate);
      assert.ok(!(answer instanceof PublicError), String(answer));
      assert.equal(answer.name, "the last");
    }
  }
}

Deno.test("no interleaving serves an edit later than the rule says, or makes a call beyond the budget", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { minLength: 8, maxLength: 40 }),
      fc.constantFrom<WebhookRights>("creator", "creator", "creator", "editor"),
      fc.constantFrom(undefined, undefined, 6, 20, 1_000),
      async (steps, rights, budget) => {
        const schedule: { current?: Schedule } = {};
        await using world = await createNotifiedWorld({
          ...budget === undefined ? {} : { budget },
          standIn: { webhookRights: () => rights },
          passage: () => schedule.current?.passage() ?? "arrive",
        });
        const taken = new Schedule(world, rights === "editor");
        schedule.current = taken;
        for (const each of steps) await taken.take(each);
        if (budget === undefined) await taken.recover();
        const { length: sent } = world.airtable.requests;
        const counted = (await world.calls())?.calls ?? 0;
        assert.ok(
          sent <= counted && counted <= (budget ?? Infinity),
          `${sent} sent, ${counted} counted`,
        );
      },
    ),
    { numRuns: 40, endOnFailure: true },
  );
});

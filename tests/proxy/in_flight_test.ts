/** The places and the memory of the requests in flight. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { parseConfig } from "../../lib/platform/config/config.ts";
import { createInFlight, type Slot } from "../../lib/proxy/in_flight.ts";
import { bodiesBytes } from "../../lib/proxy/proxy.ts";

const ROOMY = { requests: 1_000, bodyBytes: 100, largeAnswers: 4 };
const BUSY = { code: "service_unavailable" };

/** The place of an account's request. */
function enterAs(inFlight: ReturnType<typeof createInFlight>, accountId: string): Slot {
  const slot = inFlight.enter();
  slot.claim(accountId);
  return slot;
}

Deno.test("bytes of a body that arrive after its request was given up take no room from others", () => {
  const inFlight = createInFlight({ ...ROOMY, requests: 4 });
  const late = enterAs(inFlight, "one");
  late.hold(40);
  late.release();
  assert.throws(() => late.hold(1), BUSY);
  const next = enterAs(inFlight, "one");
  next.hold(50);
  assert.throws(() => next.hold(1), BUSY);
});

Deno.test("a place that is given back twice is free once", () => {
  const inFlight = createInFlight({ ...ROOMY, requests: 1 });
  const slot = inFlight.enter();
  slot.release();
  slot.release();
  inFlight.enter();
  assert.throws(() => inFlight.enter(), BUSY);
});

Deno.test("a large answer that is given up, or ends otherwise, waits no longer", async () => {
  const inFlight = createInFlight({ ...ROOMY, largeAnswers: 2 });
  const controller = new AbortController();
  const { signal } = controller;
  const [first, second, third] = [1, 2, 3].map(() => enterAs(inFlight, "one"));
  await first?.enlarge(signal);
  const [abandoned, released] = [
    second?.enlarge(signal),
    third?.enlarge(new AbortController().signal),
  ];
  third?.release();
  await released;
  controller.abort(new Error("the caller has gone"));
  await assert.rejects(abandoned!, /the caller has gone/);
  second?.release();
  first?.release();
  await enterAs(inFlight, "one").enlarge(new AbortController().signal);
});

Deno.test("accounts that take turns to fill the room get as much as each other, and as much stays free", () => {
  const accounts = fc.integer({ min: 1, max: 8 });
  const turns = fc.array(fc.tuple(fc.nat(7), fc.integer({ min: 1, max: 40 })), { minLength: 1 });
  fc.assert(fc.property(accounts, turns, (count, turns) => {
    const maxBodyBytes = 10_000;
    const inFlight = createInFlight({ ...ROOMY, bodyBytes: maxBodyBytes });
    const held = Array.from({ length: count }, () => 0);
    const slots = held.map((_, index) => enterAs(inFlight, String(index)));
    const take = (index: number, bytes: number): boolean => {
      try {
        slots[index]?.hold(bytes);
      } catch {
        return false;
      }
      held[index] = (held[index] ?? 0) + bytes;
      return true;
    };
    for (const [turn, bytes] of turns) take(turn % count, bytes);
    for (let isFull = false; !isFull;) {
      isFull = held.map((_, index) => take(index, 40)).every((taken) => !taken);
    }
    const share = maxBodyBytes / (count + 1);
    // Each account stops up to one piece of 40 early, and so do those that it was compared with.
    for (const bytes of held) assert.ok(Math.abs(bytes - share) <= 40 * (count + 2), `${held}`);
    enterAs(inFlight, "modest").hold(13);
  }));
});

Deno.test("a hundred of the largest bodies fit beside each other, and two wherever larger ones are allowed", () => {
  const byDefault = parseConfig({});
  assert.ok(bodiesBytes(byDefault) >= 100 * byDefault.MAX_BODY_BYTES);
  const largest = parseConfig({ MAX_BODY_BYTES: String(100 * 1024 * 1024) });
  assert.ok(bodiesBytes(largest) >= 2 * largest.MAX_BODY_BYTES);
});

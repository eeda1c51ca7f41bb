/** The rule by which events are right and read again, against what it promises in words. */

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  applyRefreshRule,
  MIN_INTERVAL_MILLISECONDS,
  type RefreshFacts,
} from "../../lib/events/freshness.ts";
import {
  HOURLY_MILLISECONDS,
  MAX_AGE_MILLISECONDS,
  MAX_SKEW_MILLISECONDS,
} from "../../lib/events/values.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const NOW = Date.parse("2026-11-21T12:00:00Z");
const POLL = 120 * SECOND;

/** Moments around now: just past, hours ago, a little in the future by another clock, far in it. */
const moment = fc.oneof(
  fc.integer({ min: -70 * SECOND, max: 0 }),
  fc.integer({ min: -3 * HOUR, max: 0 }),
  fc.integer({ min: 0, max: MAX_SKEW_MILLISECONDS }),
  fc.integer({ min: MAX_SKEW_MILLISECONDS + 1, max: 2 * HOUR }),
).map((distance) => NOW + distance);

const facts: fc.Arbitrary<RefreshFacts> = fc.record({
  now: fc.constant(NOW),
  snapshot: fc.record({
    readAt: fc.oneof(
      fc.integer({ min: -310 * SECOND, max: MAX_SKEW_MILLISECONDS }),
      fc.integer({ min: -2 * HOUR, max: 0 }),
    ).map((distance) => NOW + distance),
    hookId: fc.constantFrom("none", "one", "other"),
  }),
  waiting: fc.option(
    fc.tuple(moment, moment).map(([one, other]) => ({
      firstAt: Math.min(one, other),
      lastAt: Math.max(one, other),
    })),
  ),
  hook: fc.option(fc.record({ id: fc.constantFrom("one", "other"), until: moment })),
  fittingMilliseconds: fc.constantFrom(0, 100 * SECOND, 200 * SECOND, 2_000 * SECOND),
});

Deno.test("a snapshot is right at most until the moment of the rule, and at least until its read began", () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { rightUntil, isAwaited, isNotified } = applyRefreshRule(given, POLL);
      const { now, snapshot: { readAt, hookId }, waiting, hook } = given;
      assert.ok(rightUntil >= readAt);
      const isAlive = hook !== null && hook.id === hookId && now < hook.until;
      assert.equal(isNotified, isAlive);
      assert.equal(isAwaited, waiting !== null);
      const bounds = [now, readAt + HOURLY_MILLISECONDS];
      if (waiting !== null) bounds.push(waiting.firstAt);
      if (hook !== null) bounds.push(hook.until);
      if (!isAlive) bounds.push(readAt);
      const expected = Math.max(readAt, Math.min(...bounds));
      // The time of a notification from the future tells nothing.
      const isFuture = waiting !== null && waiting.firstAt > now + MAX_SKEW_MILLISECONDS;
      assert.equal(rightUntil, isFuture ? readAt : expected);
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("the next read comes before the snapshot is refused, within the promised time, and not too soon", () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { rightUntil, dueAt, isNotified } = applyRefreshRule(given, POLL);
      const { now, snapshot: { readAt }, waiting, fittingMilliseconds } = given;
      assert.ok(dueAt <= rightUntil + MAX_AGE_MILLISECONDS);
      const polled = Math.min(Math.max(POLL, fittingMilliseconds), MAX_AGE_MILLISECONDS);
      assert.ok(dueAt <= readAt + (isNotified ? HOUR : polled));
      assert.ok(dueAt >= readAt + MIN_INTERVAL_MILLISECONDS);
      if (waiting === null || waiting.firstAt > now) return;
      assert.ok(
        dueAt <= Math.max(readAt + MIN_INTERVAL_MILLISECONDS, waiting.firstAt + 50 * SECOND),
      );
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("a later notification does not bring the first one's read forward", () => {
  fc.assert(
    fc.property(facts, fc.integer({ min: 0, max: 300 * SECOND }), (given, later) => {
      const { waiting } = given;
      if (waiting === null) return;
      const more = { ...given, waiting: { ...waiting, lastAt: waiting.lastAt + later } };
      const [before, after] = [given, more].map((each) => applyRefreshRule(each, POLL));
      assert.ok(before && after && after.dueAt >= before.dueAt);
      assert.equal(after.rightUntil, before.rightUntil);
    }),
    { numRuns: 1_000 },
  );
});

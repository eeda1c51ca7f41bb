/** The rule by which events are right and read again, against what it promises in words. */

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  applyRefreshRule,
  HOURLY_MILLISECONDS,
  MIN_INTERVAL_MILLISECONDS,
  type RefreshFacts,
} from "../../lib/events/refresh_rule.ts";
import { MAX_AGE_MILLISECONDS, MAX_SKEW_MILLISECONDS } from "../../lib/events/values.ts";

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
  readAt: fc.oneof(
    fc.integer({ min: -310 * SECOND, max: MAX_SKEW_MILLISECONDS }),
    fc.integer({ min: -2 * HOUR, max: 0 }),
  ).map((distance) => NOW + distance),
  markServed: fc.constantFrom(null, "1", "2"),
  hookOfRead: fc.constantFrom(null, "one", "other"),
  mark: fc.option(
    fc.tuple(moment, moment, fc.constantFrom("1", "2")).map(([one, other, version]) => ({
      firstAt: Math.min(one, other),
      lastAt: Math.max(one, other),
      version,
    })),
  ),
  hook: fc.option(fc.record({ id: fc.constantFrom("one", "other"), until: moment })),
  areCallsScarce: fc.boolean(),
});

Deno.test("a snapshot is right at most until the moment of the rule, and at least until its read began", () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { rightUntil, isMarked, isNotified } = applyRefreshRule(given, POLL);
      const { now, readAt, mark, hook } = given;
      assert.ok(rightUntil >= readAt);
      const isAlive = hook !== null && hook.id === given.hookOfRead && now < hook.until;
      assert.equal(isNotified, isAlive);
      assert.equal(isMarked, mark !== null && mark.version !== given.markServed);
      const bounds = [now, readAt + HOURLY_MILLISECONDS];
      if (isMarked && mark !== null) bounds.push(mark.firstAt);
      if (hook !== null) bounds.push(hook.until);
      if (!isAlive) bounds.push(readAt);
      const expected = Math.max(readAt, Math.min(...bounds));
      // The time of a mark from the future tells nothing.
      const isFuture = isMarked && mark !== null && mark.firstAt > now + MAX_SKEW_MILLISECONDS;
      assert.equal(rightUntil, isFuture ? readAt : expected);
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("the next read comes before the snapshot is refused, within the promised time, and not too soon", () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { rightUntil, dueAt, isMarked, isNotified } = applyRefreshRule(given, POLL);
      const { now, readAt, mark, areCallsScarce } = given;
      assert.ok(dueAt <= rightUntil + MAX_AGE_MILLISECONDS);
      assert.ok(dueAt <= readAt + (isNotified ? HOUR : POLL));
      assert.ok(dueAt >= readAt + MIN_INTERVAL_MILLISECONDS);
      if (!isMarked || mark === null || mark.firstAt > now) return;
      const promised = areCallsScarce ? 240 * SECOND : 50 * SECOND;
      assert.ok(dueAt <= Math.max(readAt + MIN_INTERVAL_MILLISECONDS, mark.firstAt + promised));
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("a served mark has no effect, and a later mark does not bring the first one's read forward", () => {
  fc.assert(
    fc.property(facts, fc.integer({ min: 0, max: 300 * SECOND }), (given, later) => {
      const { mark } = given;
      if (mark === null) return;
      const served = { ...given, markServed: mark.version };
      assert.deepEqual(
        applyRefreshRule(served, POLL),
        applyRefreshRule({ ...served, mark: null }, POLL),
      );
      const waiting = { ...given, markServed: null };
      const more = { ...waiting, mark: { ...mark, lastAt: mark.lastAt + later } };
      assert.ok(applyRefreshRule(more, POLL).dueAt >= applyRefreshRule(waiting, POLL).dueAt);
      assert.equal(
        applyRefreshRule(more, POLL).rightUntil,
        applyRefreshRule(waiting, POLL).rightUntil,
      );
    }),
    { numRuns: 1_000 },
  );
});

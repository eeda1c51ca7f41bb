/** The sliding window against a naive log of every admission. */

import assert from "node:assert/strict";
import { serialize } from "node:v8";
import fc from "fast-check";
import {
  countRequest,
  type RatePolicy,
  rateStateAt,
} from "../../../lib/proxy/ledger/rate_window.ts";

const START = Date.parse("2026-11-21T12:00:00Z");

type Window = Parameters<typeof rateStateAt>[0];
/** The exactness that is promised: 1/119 of the window. */
const slotOf = ({ windowSeconds }: RatePolicy) => windowSeconds * 1_000 / 119;

/** A log of admissions, each with its own time. */
function createNaiveLog({ windowSeconds }: RatePolicy) {
  const admitted: number[] = [];
  return {
    admitted,
    /** Those in the window that ends at a moment; `slack` makes the window shorter or longer. */
    countAt: (now: number, slack = 0) =>
      admitted.filter((at) => at > now - windowSeconds * 1_000 - slack).length,
  };
}

const policies = fc.record({
  requests: fc.integer({ min: 1, max: 12 }),
  windowSeconds: fc.oneof(
    fc.integer({ min: 1, max: 5 }),
    fc.constantFrom(60, 1_799, 1_800, 1_801, 3_601, 86_400),
    fc.integer({ min: 1, max: 86_400 }),
  ),
});

/** Pauses as parts of the window: bursts, single steps, silences longer than it. */
const pauses = fc.array(
  fc.oneof(
    fc.constant(0),
    fc.double({ min: 0, max: 0.02, noNaN: true }),
    fc.double({ min: 0, max: 0.5, noNaN: true }),
    fc.double({ min: 0.9, max: 2.5, noNaN: true }),
  ),
  { maxLength: 120 },
);

Deno.test("the window never admits more than the limit, and is too strict by less than a slot", () => {
  fc.assert(
    fc.property(policies, pauses, (policy, pauses) => {
      const log = createNaiveLog(policy);
      let window: Window = [];
      let now = START;
      for (const pause of pauses) {
        now += Math.round(pause * policy.windowSeconds * 1_000);
        const state = rateStateAt(window, policy, now);
        const inWindow = log.countAt(now);
        if (state.remaining > 0) {
          assert.ok(inWindow < policy.requests, "one more than the limit");
          window = countRequest(window, policy, now);
          log.admitted.push(now);
          const after = rateStateAt(window, policy, now);
          assert.equal(after.remaining, state.remaining - 1);
        } else {
          const slack = slotOf(policy);
          assert.ok(log.countAt(now, slack) >= policy.requests, "refused by more than a slot");
        }
        assert.ok(state.remaining <= policy.requests - inWindow);
      }
    }),
    { numRuns: 600 },
  );
});

Deno.test("a refused caller is refused until a millisecond before resetsAt, and admitted at it", () => {
  fc.assert(
    fc.property(policies, pauses, (policy, pauses) => {
      let window: Window = [];
      let now = START;
      let refused = 0;
      for (const pause of pauses) {
        now += Math.round(pause * policy.windowSeconds * 200);
        const { remaining, resetsAt } = rateStateAt(window, policy, now);
        if (remaining > 0) {
          assert.equal(resetsAt === null, remaining === policy.requests);
          window = countRequest(window, policy, now);
          continue;
        }
        refused++;
        assert.ok(resetsAt !== null && resetsAt > now);
        assert.ok(resetsAt <= now + policy.windowSeconds * 1_000);
        assert.equal(rateStateAt(window, policy, resetsAt - 1).remaining, 0);
        assert.ok(rateStateAt(window, policy, resetsAt).remaining > 0);
        // As a caller that obeys `Retry-After`.
        now = resetsAt;
        window = countRequest(window, policy, now);
      }
      fc.pre(refused > 0);
    }),
    { numRuns: 400 },
  );
});

Deno.test("a limit that was lowered: resetsAt is when there is room, not when the first one leaves", () => {
  const before = { requests: 5, windowSeconds: 60 };
  const after = { requests: 2, windowSeconds: 60 };
  let window: Window = [];
  for (let second = 0; second < 5; second++) {
    window = countRequest(window, before, START + second * 1_000);
  }
  const { remaining, resetsAt } = rateStateAt(window, after, START + 5_000);
  assert.equal(remaining, 0);
  assert.equal(resetsAt, START + 63_000, "four have to leave");
  assert.equal(rateStateAt(window, after, START + 62_999).remaining, 0);
  assert.equal(rateStateAt(window, after, START + 63_000).remaining, 1);
  assert.equal(rateStateAt(window, { requests: 9, windowSeconds: 60 }, START + 5_000).remaining, 4);
});

Deno.test("admissions of one slot count until the latest of them has left the window", () => {
  const policy = { requests: 2, windowSeconds: 119 };
  // Slots of a second.
  const [first, latest] = [START + 100, START + 900];
  const window = countRequest(countRequest([], policy, first), policy, latest);
  assert.equal(window.length, 2);
  assert.equal(rateStateAt(window, policy, first + 119_000).remaining, 0);
  assert.equal(rateStateAt(window, policy, latest + 118_999).remaining, 0);
  assert.equal(rateStateAt(window, policy, latest + 119_000).remaining, 2);
});

Deno.test("a clock that goes back locks no caller out for longer than two windows", () => {
  const jumps = fc.array(
    fc.oneof(
      fc.double({ min: 0, max: 0.3, noNaN: true }),
      fc.double({ min: -3, max: 0, noNaN: true }),
    ),
    { maxLength: 80 },
  );
  fc.assert(
    fc.property(policies, jumps, (policy, jumps) => {
      let window: Window = [];
      let now = START;
      for (const jump of jumps) {
        now += Math.round(jump * policy.windowSeconds * 1_000);
        const state = rateStateAt(window, policy, now);
        assert.ok((state.resetsAt ?? now) <= now + policy.windowSeconds * 1_000);
        assert.ok(window.length <= 2 * 120);
        if (jump < 0 && jump > -1 && window.length > 0) {
          assert.ok(state.remaining < policy.requests, "the last one still counts");
        }
        if (state.remaining > 0) window = countRequest(window, policy, now);
      }
      const free = rateStateAt(window, policy, now + 2 * policy.windowSeconds * 1_000);
      assert.deepEqual([free.remaining, free.resetsAt], [policy.requests, null]);
    }),
    { numRuns: 400 },
  );
});

Deno.test("the value stays small: a day's window, a billion requests, a clock that swings", () => {
  const policy = { requests: 1_000_000_000, windowSeconds: 86_400 };
  let window: Window = [];
  // One request in every slot for more than a day, twice over, an hour back each time.
  let now = START;
  for (let round = 0; round < 2; round++) {
    for (let step = 0; step < 2_000; step++) {
      now += 48_000;
      window = countRequest(window, policy, now);
    }
    now -= 3_600_000;
  }
  assert.ok(window.length <= 2 * 120, `${window.length / 2} slots`);
  assert.ok(serialize(window).length < 4 * 1024);

  const busy: Window = [START, 999_999_998];
  const full = countRequest(countRequest(busy, policy, START), policy, START);
  assert.equal(rateStateAt(full, policy, START).remaining, 0);
  assert.equal(rateStateAt(full, policy, START + 86_399_999).remaining, 0);
  assert.equal(rateStateAt(full, policy, START + 86_400_000).remaining, 1_000_000_000);
});

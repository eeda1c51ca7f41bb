/** The places and the room of the requests that are in flight. */

import assert from "node:assert/strict";
import { createInFlight } from "../../lib/proxy/in_flight.ts";

const LIMITS = { maxRequests: 10, maxRequestsOfAccount: 10, maxBodyBytes: 100 };

Deno.test("what comes of a body after its request was given up takes no room from others", () => {
  const inFlight = createInFlight({ ...LIMITS, maxRequests: 2 });
  const late = inFlight.enter();
  late.hold(60);
  late.release();
  assert.throws(() => late.hold(1), { code: "service_unavailable" });
  const next = inFlight.enter();
  next.hold(100);
  assert.throws(() => next.hold(1), { code: "service_unavailable" });
});

Deno.test("a place that is given back twice is free once", () => {
  const inFlight = createInFlight({ ...LIMITS, maxRequests: 1 });
  const slot = inFlight.enter();
  slot.release();
  slot.release();
  inFlight.enter();
  assert.throws(() => inFlight.enter(), { code: "service_unavailable" });
});

Deno.test("one account cannot take every place, and has its own again when its requests are over", () => {
  const inFlight = createInFlight({ ...LIMITS, maxRequestsOfAccount: 2 });
  const enter = (accountId: string) => {
    const slot = inFlight.enter();
    slot.claim(accountId);
    return slot;
  };
  const [first] = [enter("one"), enter("one")];
  assert.throws(() => enter("one"), { code: "service_unavailable" });
  enter("other");
  first.release();
  first.release();
  enter("one");
  assert.throws(() => enter("one"), { code: "service_unavailable" });
});

/** The places and the room of the requests that are in flight. */

import assert from "node:assert/strict";
import { createInFlight } from "../../lib/proxy/in_flight.ts";

Deno.test("what comes of a body after its request was given up takes no room from others", () => {
  const inFlight = createInFlight({ maxRequests: 2, maxBodyBytes: 100 });
  const late = inFlight.enter();
  late.hold(60);
  late.release();
  assert.throws(() => late.hold(1), { code: "service_unavailable" });
  const next = inFlight.enter();
  next.hold(100);
  assert.throws(() => next.hold(1), { code: "service_unavailable" });
});

Deno.test("a place that is given back twice is free once", () => {
  const inFlight = createInFlight({ maxRequests: 1, maxBodyBytes: 100 });
  const slot = inFlight.enter();
  slot.release();
  slot.release();
  inFlight.enter();
  assert.throws(() => inFlight.enter(), { code: "service_unavailable" });
});

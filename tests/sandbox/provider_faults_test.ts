/** The faults of the providers, as people plan them. */

import assert from "node:assert/strict";
import { createDecisionStandIn } from "../../lib/sandbox/decision.ts";
import { serve } from "./provider_stand_in.ts";

Deno.test("faults are planned, shown and cleared over HTTP", async () => {
  await using served = serve(createDecisionStandIn);
  const control = (method: string, body?: unknown) =>
    fetch(`${served.origin}/sandbox/faults`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const planned = [
    { kind: "delay", ms: 5 },
    { kind: "stall", ms: 5 },
    { kind: "reset", after: "headers" },
    { kind: "status", status: 429, retryAfterSeconds: 3 },
    { kind: "content-type", contentType: "text/plain", nth: 2 },
    { kind: "cost", text: "1e-9", sticky: true },
    { kind: "huge", bytes: 9, length: false },
    { kind: "redirect", location: "/", status: 301 },
    ...["hang", "reset", "cut", "truncated", "garbage", "html", "split", "missing-cost", "endless"]
      .map((kind) => ({ kind })),
    { kind: "gzip" },
    { kind: "no-length" },
  ];
  const response = await control("POST", planned);
  assert.equal(response.status, 201);
  assert.deepEqual(await response.json(), planned);
  assert.deepEqual(await (await control("GET")).json(), planned);
  assert.equal((await control("DELETE")).status, 204);
  assert.equal(served.standIn.faults.pending.length, 0);
  for (
    const [fault, reason] of [
      [{ kind: "meteor" }, /kind/],
      [{ kind: "status", status: 418 }, /400[^]*status/],
      [{ kind: "huge" }, /at bytes/],
      [{ kind: "cost" }, /at text/],
    ] as const
  ) {
    const refused = await control("POST", fault);
    assert.equal(refused.status, 400);
    assert.match((await refused.json()).error, reason);
  }
});

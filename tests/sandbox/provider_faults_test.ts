import assert from "node:assert/strict";
import { createDecisionStandIn } from "../../lib/sandbox/decision.ts";
import type { ProviderFault } from "../../lib/sandbox/provider.ts";
import { serveStandIn } from "../../lib/sandbox/serve_stand_in.ts";
import { createWebsearchStandIn } from "../../lib/sandbox/websearch.ts";
import { KEY, serve, type Served } from "./provider_stand_in.ts";

const ANSWER = { query: "sourdough bread" };
const STREAM = { ...ANSWER, stream: true };
const DECISION = { state: "late", questions: { q: { type: "noul" } } };

function websearch(...faults: ProviderFault[]) {
  return serve(createWebsearchStandIn, ...faults);
}

function decision(...faults: ProviderFault[]) {
  return serve(createDecisionStandIn, ...faults);
}

/** Calls both providers, with the same fault in their next response. */
async function both(
  fault: ProviderFault,
  test: (served: Served, ask: (init?: RequestInit) => Promise<Response>) => Promise<void>,
) {
  await using first = websearch(fault);
  await test(first, (init) => first.ask("/answer", ANSWER, init));
  await using second = decision(fault);
  await test(second, (init) => second.ask("/v1/systemone", DECISION, init));
}

Deno.test("faults come in order, by their number, and stay if they are sticky", async () => {
  await using served = websearch(
    { kind: "status", status: 500 },
    { kind: "status", status: 429, nth: 2 },
    { kind: "status", status: 529, nth: 4, sticky: true },
  );
  const statuses = [];
  for (let i = 0; i < 6; i++) {
    const response = await served.ask("/answer", ANSWER);
    statuses.push(response.status);
    await response.body?.cancel();
  }
  assert.deepEqual(statuses, [500, 429, 200, 529, 529, 529]);
});

Deno.test("every status has the provider's layout, with Retry-After only if requested", async () => {
  for (const status of [400, 401, 402, 403, 404, 422, 429, 500, 502, 503, 529] as const) {
    await using search = websearch({ kind: "status", status, retryAfterSeconds: 7 });
    const flat = await search.ask("/answer", ANSWER);
    assert.equal(flat.status, status);
    assert.equal(flat.headers.get("Retry-After"), "7");
    const keys = status === 429 ? ["error"] : ["requestId", "error", "tag"];
    assert.deepEqual(Object.keys(await flat.json()), keys);

    await using decide = decision({ kind: "status", status });
    const detailed = await decide.ask("/v1/systemone", DECISION);
    assert.equal(detailed.status, status);
    assert.equal(detailed.headers.get("Retry-After"), null);
    assert.deepEqual(Object.keys(await detailed.json()), ["detail"]);
    assert.equal(search.standIn.charges.size + decide.standIn.charges.size, 0);
  }
});

Deno.test("a reset comes before the headers where the stand-in is served behind its own listener", async () => {
  const standIn = createWebsearchStandIn({ apiKey: KEY, now: () => 0 });
  standIn.faults.push({ kind: "reset" }, { kind: "reset", after: "headers" }, { kind: "hang" });
  const served = serveStandIn(standIn.fetch);
  const ask = (signal?: AbortSignal) =>
    fetch(`${served.origin}/answer`, {
      method: "POST",
      headers: { "x-api-key": KEY },
      body: JSON.stringify(ANSWER),
      ...(signal ? { signal } : {}),
    });
  await assert.rejects(ask(), TypeError);
  const headers = await ask();
  assert.equal(headers.status, 200);
  await assert.rejects(headers.text(), TypeError);

  const caller = new AbortController();
  const hanging = assert.rejects(ask(caller.signal), { name: "AbortError" });
  while (standIn.active === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  caller.abort();
  await hanging;
  assert.equal(await standIn.requests.at(-1)?.ended, "aborted");
  assert.equal((await (await ask()).json()).sandbox, true);

  standIn.faults.push({ kind: "hang" });
  const cutOff = assert.rejects(ask(), TypeError);
  while (standIn.active === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await served.shutdown();
  await cutOff;
});

Deno.test("a cost is in the response as written, and is charged rounded up", async (t) => {
  const cases = [
    { text: "1e-9", searchNano: 1n, decisionNano: 1n },
    { text: "1e6", searchNano: 10n ** 15n, decisionNano: 42_000_000n },
    { text: "0.00700000000000000000000001", searchNano: 7_000_001n, decisionNano: 1n },
    { text: "0.10", searchNano: 100_000_000n, decisionNano: 5n },
    { text: "0", searchNano: 0n, decisionNano: 0n },
    // For a value that is not a number from 0 upwards, the real cost is charged.
    { text: "-1", searchNano: 5_000_000n, decisionNano: 84n },
    { text: '"free"', searchNano: 5_000_000n, decisionNano: 84n },
    { text: "1e999999", searchNano: 5_000_000n, decisionNano: 84n },
  ];
  for (const { text, searchNano, decisionNano } of cases) {
    await t.step(text, async () => {
      const headers = { "x-request-id": "a" };
      await using search = websearch({ kind: "cost", text, sticky: true });
      const json = await (await search.ask("/answer", ANSWER, { headers })).text();
      assert.ok(json.includes(`"total":${text}`), json);
      assert.equal(search.standIn.charges.get("a") ?? 0n, searchNano);
      assert.ok((await (await search.ask("/answer", STREAM)).text()).includes(`"total":${text}`));

      await using decide = decision({ kind: "cost", text });
      const answered = await decide.ask("/v1/systemone", DECISION, { headers });
      assert.ok((await answered.text()).includes(`"input_tokens":${text},`));
      assert.equal(decide.standIn.charges.get("a") ?? 0n, decisionNano);
    });
  }
});

Deno.test("a redirect leads to the stand-in or to a configured address, and is not charged", async () => {
  await both({ kind: "redirect" }, async (served, ask) => {
    const response = await ask({ redirect: "manual" });
    await response.body?.cancel();
    assert.equal(response.status, 307);
    assert.match(response.headers.get("Location") ?? "", /^\/[^?]+\?redirected=1$/);
    assert.equal(served.standIn.charges.size, 0);
    const location = "https://elsewhere.example/";
    served.standIn.faults.push({ kind: "redirect", status: 302, location });
    const away = await ask({ redirect: "manual" });
    await away.body?.cancel();
    assert.equal(away.status, 302);
    assert.equal(away.headers.get("Location"), location);
  });
});

Deno.test("faults are planned, shown and cleared over HTTP", async () => {
  await using served = decision();
  const control = (method: string, body?: unknown) =>
    fetch(`${served.origin}/sandbox/faults`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const planned = [
    { kind: "delay", ms: 5 },
    { kind: "stall", ms: 5 },
    { kind: "reset", after: "headers" },
    { kind: "status", status: 429, retryAfterSeconds: 3, match: { requestId: "a" } },
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
      [{ kind: "hang", match: 7 }, /object/],
    ] as const
  ) {
    const refused = await control("POST", fault);
    assert.equal(refused.status, 400);
    assert.match((await refused.json()).error, reason);
  }
});

import assert from "node:assert/strict";
import { createDecisionStandIn } from "../../lib/sandbox/decision.ts";
import type { ProviderFault } from "../../lib/sandbox/provider.ts";
import { serveStandIn } from "../../lib/sandbox/serve_stand_in.ts";
import { createWebsearchStandIn } from "../../lib/sandbox/websearch.ts";
import { eventsOf, KEY, serve, type Served } from "./provider_stand_in.ts";

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

/** Resolves once the stand-in has got so many requests. */
async function seen({ standIn }: Served, count: number) {
  while (standIn.requests.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
}

function endOf({ standIn }: Served) {
  return standIn.requests.at(-1)?.ended ?? assert.fail("no request");
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

Deno.test("a fault can be meant for one request id or one path", async () => {
  await using served = websearch(
    { kind: "status", status: 503, match: { requestId: "b" } },
    { kind: "status", status: 502, match: { path: "/search" } },
  );
  const status = async (path: string, id: string) => {
    const response = await served.ask(path, ANSWER, { headers: { "x-request-id": id } });
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await status("/answer", "a"), 200);
  assert.equal(await status("/answer", "b"), 503);
  assert.equal(await status("/search", "c"), 502);
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

Deno.test("a delayed answer comes when its promise resolves", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using served = websearch({ kind: "delay", until: promise });
  let isAnswered = false;
  const delayed = served.ask("/answer", ANSWER).then((response) => {
    isAnswered = true;
    return response.json();
  });
  await seen(served, 1);
  // Another request is answered meanwhile, so the delayed one had its chance to come too early.
  await (await served.ask("/answer", ANSWER)).body?.cancel();
  assert.equal(isAnswered, false);
  resolve();
  assert.equal((await delayed).sandbox, true);
});

Deno.test("a hang and a long delay end when the caller disconnects, charged and with no timer left", async () => {
  for (const fault of [{ kind: "hang" }, { kind: "delay", ms: 600_000 }] as const) {
    await both(fault, async (served, ask) => {
      const caller = new AbortController();
      const headers = { "x-request-id": "a" };
      const hanging = assert.rejects(ask({ signal: caller.signal, headers }));
      await seen(served, 1);
      assert.equal(served.standIn.active, 1);
      caller.abort();
      await hanging;
      assert.equal(await endOf(served), "aborted");
      assert.equal(served.standIn.active, 0);
      assert.ok((served.standIn.charges.get("a") ?? 0n) > 0n);
    });
  }
});

Deno.test("a stalled body continues when its promise resolves, or ends when the caller disconnects", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using served = websearch({ kind: "stall", until: promise }, { kind: "stall" });
  const late = await served.ask("/answer", STREAM);
  const reader = late.body?.getReader() ?? assert.fail("no body");
  let text = "";
  const decoder = new TextDecoder();
  text += decoder.decode((await reader.read()).value);
  assert.ok(!text.includes("costDollars"));
  resolve();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += decoder.decode(next.value);
  }
  assert.equal(eventsOf(text).at(-1).costDollars.total, 0.005);
  assert.equal(await endOf(served), "complete");

  const caller = new AbortController();
  const silent = await served.ask("/answer", STREAM, { signal: caller.signal });
  const second = silent.body?.getReader() ?? assert.fail("no body");
  await second.read();
  const waiting = assert.rejects(second.read(), { name: "AbortError" });
  caller.abort();
  await waiting;
  assert.equal(await endOf(served), "aborted");
});

Deno.test("resets and cuts break the connection, and are charged", async () => {
  const faults = [{ kind: "reset" }, { kind: "reset", after: "headers" }, { kind: "cut" }] as const;
  for (const fault of faults) {
    await both(fault, async (served, ask) => {
      const headers = { "x-request-id": "a" };
      const whole = async () => await (await ask({ headers })).text();
      await assert.rejects(whole(), TypeError);
      assert.equal(await endOf(served), "complete");
      assert.equal(served.standIn.active, 0);
      assert.ok((served.standIn.charges.get("a") ?? 0n) > 0n);
    });
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

Deno.test("a cut stream gives its first half and then breaks", async () => {
  await using served = websearch({ kind: "cut" });
  const { body } = await served.ask("/answer", STREAM);
  const reader = body?.getReader() ?? assert.fail("no body");
  const first = new TextDecoder().decode((await reader.read()).value);
  assert.match(first, /^data: \{/);
  await assert.rejects(reader.read(), TypeError);
});

Deno.test("half a body, garbage and HTML all come with 200", async () => {
  await both({ kind: "truncated" }, async (_, ask) => {
    const response = await ask();
    assert.equal(response.status, 200);
    const text = await response.text();
    assert.match(text, /^\{/);
    assert.throws(() => JSON.parse(text), SyntaxError);
  });
  await both({ kind: "garbage" }, async (_, ask) => {
    const response = await ask();
    assert.equal(response.headers.get("Content-Type"), "application/json");
    await assert.rejects(response.json(), SyntaxError);
  });
  await both({ kind: "html" }, async (_, ask) => {
    const response = await ask();
    assert.match(response.headers.get("Content-Type") ?? "", /^text\/html/);
    assert.match(await response.text(), /^<!DOCTYPE html>/);
  });
});

Deno.test("another content type carries the right body", async () => {
  await both({ kind: "content-type", contentType: "text/plain" }, async (_, ask) => {
    const response = await ask();
    assert.equal(response.headers.get("Content-Type"), "text/plain");
    assert.equal(typeof await response.json(), "object");
  });
});

Deno.test("a split body arrives byte by byte and whole", async () => {
  for (const body of [ANSWER, STREAM]) {
    await using served = websearch({ kind: "split" });
    const chunks = await Array.fromAsync((await served.ask("/answer", body)).body ?? []);
    const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    // The network may join some chunks, but not most.
    assert.ok(chunks.length > total / 2, `${chunks.length} chunks of ${total} bytes`);
    const text = await new Blob(chunks).text();
    const last = body === STREAM ? eventsOf(text).at(-1) : JSON.parse(text);
    assert.equal(last.costDollars.total, 0.005);
  }
});

Deno.test("a cost can be missing, and is charged too", async () => {
  await using search = websearch({ kind: "missing-cost", sticky: true });
  for (const body of [ANSWER, STREAM]) {
    const headers = { "x-request-id": JSON.stringify(body) };
    const text = await (await search.ask("/answer", body, { headers })).text();
    assert.ok(text.includes("requestId") && !text.includes("cost"));
    assert.equal(search.standIn.charges.get(headers["x-request-id"]), 5_000_000n);
  }
  await using decide = decision({ kind: "missing-cost" });
  const answered = await (await decide.ask("/v1/systemone", DECISION)).json();
  assert.deepEqual(Object.keys(answered), ["model", "answers"]);
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

Deno.test("a caller's text cannot take the place of the cost", async () => {
  await using served = websearch();
  const outputSchema = { type: "object", properties: { "%FIGURE%": { enum: ["%FIGURE%"] } } };
  const response = await served.ask("/answer", { ...ANSWER, outputSchema });
  const { answer, costDollars } = await response.json();
  assert.deepEqual(answer, { "%FIGURE%": "%FIGURE%" });
  assert.equal(costDollars.total, 0.005);
});

Deno.test("an endless body is made only as fast as it is read, and ends with its reader", async () => {
  for (const body of [ANSWER, STREAM]) {
    await using served = websearch({ kind: "endless" });
    const response = await served.ask("/answer", body);
    const reader = response.body?.getReader() ?? assert.fail("no body");
    await reader.read();
    const produced = () => served.standIn.requests[0]?.producedBytes ?? 0;
    let before = -1;
    while (produced() > before) {
      before = produced();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    // The bytes that the sockets between the two hold, on loopback.
    assert.ok(before < 32 * 1024 * 1024, `${before} bytes without a reader`);
    for (let read = 0; read < before + 1_000_000;) {
      read += (await reader.read()).value?.length ?? assert.fail("ended");
    }
    assert.ok(produced() > before);
    await reader.cancel();
    assert.equal(await endOf(served), "aborted");
    assert.equal(served.standIn.active, 0);
  }
});

Deno.test("a huge answer has exactly its size, holds the right one, and may keep its size to itself", async () => {
  const bytes = 3_000_000;
  for (const length of [true, false]) {
    for (const body of [ANSWER, STREAM]) {
      await using served = websearch({ kind: "huge", bytes, length });
      const response = await served.ask("/answer", body);
      assert.equal(response.headers.get("Content-Length"), length ? String(bytes) : null);
      const text = await response.text();
      assert.equal(text.length, bytes);
      const last = body === STREAM ? eventsOf(text).at(-1) : JSON.parse(text);
      assert.equal(last.costDollars.total, 0.005);
      assert.equal(await endOf(served), "complete");
    }
  }
});

Deno.test("a compressed answer comes to callers that did not ask for one", async () => {
  await both({ kind: "gzip" }, async (_, ask) => {
    const response = await ask({ headers: { "Accept-Encoding": "identity" } });
    assert.equal(response.headers.get("Content-Encoding"), "gzip");
    // Deno's fetch leaves it compressed when the caller named the encodings itself.
    const bytes = await response.bytes();
    assert.deepEqual([...bytes.subarray(0, 2)], [0x1f, 0x8b]);
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    assert.equal(typeof await new Response(plain).json(), "object");
  });
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

Deno.test("JSON announces its length unless configured otherwise", async () => {
  await both({ kind: "no-length" }, async (_, ask) => {
    const chunked = await ask();
    assert.equal(chunked.headers.get("Content-Length"), null);
    const text = await chunked.text();
    const plain = await ask();
    assert.equal(plain.headers.get("Content-Length"), String(text.length));
    await plain.body?.cancel();
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

Deno.test("charges are listed over HTTP, and add up for an id that comes twice", async () => {
  await using served = websearch();
  const headers = { "x-request-id": "twice" };
  for (let i = 0; i < 2; i++) {
    await (await served.ask("/answer", ANSWER, { headers })).body?.cancel();
  }
  const told = await (await fetch(`${served.origin}/sandbox/charges`)).json();
  assert.deepEqual(told, { charges: { twice: "10000000" } });
});

Deno.test("a request is remembered with its headers and the bytes of its body", async () => {
  await using served = websearch();
  const headers = { "X-Mark": "a" };
  const body = '{ "query":  "tides" }';
  await (await served.ask("/answer?b=1", undefined, { headers, body })).json();
  const [request] = served.standIn.requests;
  assert.equal(request?.method, "POST");
  assert.equal(request?.path, "/answer?b=1");
  assert.equal(request?.headers["x-mark"], "a");
  assert.equal(new TextDecoder().decode(request?.body), body);
  assert.equal(await request?.ended, "complete");
  assert.ok((request?.producedBytes ?? 0) > 100);
});

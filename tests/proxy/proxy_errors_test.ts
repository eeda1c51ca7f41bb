/** Providers' responses that no HTTP server sends on purpose, and their results for the caller. */
// Not quick: it sends long bodies.

import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { PublicError } from "../../lib/platform/http/errors.ts";
import { parseConfig } from "../../lib/platform/config/config.ts";
import { createForwarder, type Outcome } from "../../lib/proxy/internal/forward.ts";
import { SingleBody } from "../../lib/proxy/upstream.ts";
import { createWebsearchEndpoints } from "../../lib/proxy/websearch.ts";
import { startRealTimer, type StartTimer } from "../../lib/platform/timeout.ts";
import { PROVIDER_KEYS, startFoyer } from "../support/foyer.ts";
import { until } from "../support/until.ts";
import { ask, askRaw, booksOf, type RawConnection, reply, startRawProvider } from "./proxy.ts";

const HELD = [7_000_000n, "reservation"] as const;
const FREE = [0n, "provider"] as const;

const JSON_TYPE = "application/json";
const PRIVATE = '{"error":"private"}';
const PAGE = "<html><h1>Private page of the provider</h1></html>";

Deno.test("an error whose body is not for clients keeps its meaning, not its words, and is free", async () => {
  const table = [
    { status: 400, type: "text/html", body: PAGE, expected: 400, code: "bad_request" },
    { status: 404, type: "text/html", body: PAGE, expected: 404, code: "not_found" },
    { status: 409, type: "text/plain", body: "private", expected: 400, code: "bad_request" },
    { status: 413, type: "text/html", body: PAGE, expected: 413, code: "payload_too_large" },
    { status: 422, type: JSON_TYPE, body: PAGE, expected: 422, code: "validation_failed" },
    { status: 422, type: JSON_TYPE, body: '["private"]', expected: 422, code: "validation_failed" },
    { status: 429, type: "text/html", body: PAGE, expected: 429, code: "rate_limited" },
    { status: 529, type: "text/html", body: PAGE, expected: 529, code: "upstream_overloaded" },
    ...([401, 402, 403, 500, 503] as const).map((status) => (
      { status, type: JSON_TYPE, body: PRIVATE, expected: 502, code: "upstream_error" } as const
    )),
    { status: 504, type: JSON_TYPE, body: PRIVATE, expected: 504, code: "upstream_timeout" },
    { status: 524, type: "text/html", body: PAGE, expected: 504, code: "upstream_timeout" },
  ] as const;
  for (const { status, type, body, expected, code } of table) {
    const { response, text, charge, noted, logged } = await askRaw(
      reply(status, type, body, "Retry-After: 3"),
    );
    assert.equal(response.status, expected, `${status} ${type}`);
    assert.deepEqual(noted, [], "it has a usage record, so it is no refusal of the service's own");
    assert.equal(response.headers.get("x-refused-by"), "upstream");
    assert.equal(response.headers.get("retry-after"), "3");
    assert.doesNotMatch(text ?? "", /private/i);
    if (expected === 502) assert.ok(logged.join().includes(`the provider answered ${status}`));
    assert.equal(JSON.parse(text ?? "").error.type, code);
    // After a gateway's time limit, the work behind it may have been done.
    const [cost, from] = expected === 504 ? HELD : FREE;
    assert.deepEqual(charge, { status: expected, cost, from }, `${status} ${type}`);
  }
});

Deno.test("a 429 and a 529 always say how long to wait, with the provider's body or without", async () => {
  for (const status of [429, 529]) {
    for (const [field, seconds] of [["X-Other: 1", "2"], ["Retry-After: 7", "7"]] as const) {
      for (const body of ['{"error":"slow down"}', PAGE]) {
        const { response } = await askRaw(reply(status, JSON_TYPE, body, field));
        assert.equal(response.status, status);
        assert.equal(response.headers.get("retry-after"), seconds);
      }
    }
  }
});

Deno.test("an error is free even if its body cannot be read, and one that hangs ends with its time limit and its connection", async () => {
  const half = (status: number) => reply(status, JSON_TYPE, '{"error":', "Content-Length: 99");
  const brotli = reply(429, JSON_TYPE, "\x0b\x02\x80{}\x03", "Content-Encoding: br");
  let closed = 0;
  const hangs = (status: number) => async (connection: RawConnection) => {
    await half(status)(connection);
    await connection.read();
    closed++;
  };
  /** The first limits are for the request's body and the head of the response; later ones pass at once. */
  const passAfterHead = (): StartTimer => {
    let begun = 0;
    return (work, milliseconds) => startRealTimer(work, begun++ < 2 ? milliseconds : 0);
  };
  for (
    const [answer, status, startLimit] of [
      [half(422), 422],
      [brotli, 429],
      [hangs(422), 422, passAfterHead()],
      [hangs(500), 502, passAfterHead()],
    ] as const
  ) {
    const { response, charge } = await askRaw(answer, startLimit ? { startLimit } : {});
    assert.equal(response.status, status);
    assert.deepEqual(charge, { status, cost: 0n, from: "provider" });
  }
  await until(() => closed === 2);
});

Deno.test("an error that states a cost is charged it, passed on or not", async () => {
  const body = '{"error":"the search was made","costDollars":{"total":0.003}}';
  for (const [status, expected] of [[422, 422], [529, 529], [500, 502], [503, 502], [504, 504]]) {
    const { response, charge } = await askRaw(reply(status!, JSON_TYPE, body));
    assert.equal(response.status, expected);
    assert.deepEqual(charge, { status: expected, cost: 3_000_000n, from: "provider" });
  }
});

Deno.test("no error, no answer that is read whole and no header repeats the service's key to the caller", async () => {
  const key = PROVIDER_KEYS.websearch;
  const escaped = [...key].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join("");
  const wordings = [key, `Bearer ${key}.`, escaped, escaped.toUpperCase().replaceAll("U", "u")];
  for (const wording of wordings) {
    const bodies = [
      `{"error":"The key ${wording} may not search"}`,
      `{"${wording}":1}`,
      `{"error":"${wording}","error":"${"x".repeat(1_500_000)}"}`,
    ];
    for (const body of bodies) {
      const { response, text } = await askRaw(reply(422, JSON_TYPE, body));
      const { error, code } = JSON.parse(text ?? "");
      assert.deepEqual([response.status, code], [422, "validation_failed"]);
      assert.equal(error.message, "The web search provider does not accept the body.");
    }
    const results = "x".repeat(100_000);
    const found = `{"results":["${results}","${wording}"],"costDollars":{"total":0.007}}`;
    const { response, text, charge } = await askRaw(reply(200, JSON_TYPE, found));
    assert.equal(response.status, 502);
    assert.match(text ?? "", /sent a response that repeats the service's key/);
    assert.deepEqual(charge, { status: 502, cost: 7_000_000n, from: "provider" });
  }
  const fields = [`Retry-After: ${key}`, `Retry-After-Ms: 1 ${key}`, `X-Should-Retry: ${key}`];
  const found = '{"results":[],"costDollars":{"total":0.007}}';
  for (const [status, body] of [[200, found], [429, '{"error":"slow"}'], [429, "slow"]] as const) {
    const { response, text } = await askRaw(reply(status, JSON_TYPE, body, ...fields));
    assert.equal(response.status, status);
    assert.ok(![...response.headers.values(), text].join().includes(key));
  }
});

Deno.test("an error that repeats a long body is passed on whole", async () => {
  const body = JSON.stringify({ detail: [{ loc: ["body"], input: "x".repeat(1_500_000) }] });
  const { response, text, charge } = await askRaw(reply(422, JSON_TYPE, body));
  assert.equal(response.status, 422);
  assert.equal(text, body);
  assert.deepEqual(charge, { status: 422, cost: 0n, from: "provider" });
});

Deno.test("a request under which a kept connection breaks is not sent again: 502, and charged", async () => {
  const found = '{"results":[],"costDollars":{"total":0.007}}';
  const requestsIn = (text: string) => text.split("POST /search").length - 1;
  let last = "";
  await using provider = startRawProvider(async (connection) => {
    await reply(200, JSON_TYPE, found)(connection);
    last = await connection.read((text) => requestsIn(text) === 2 && text.endsWith("}"));
  });
  await using foyer = await startFoyer({ env: { WEBSEARCH_API_URL: provider.origin } });
  const member = await foyer.createMember();
  const statuses = [await ask(foyer, member.key), await ask(foyer, member.key)]
    .map(({ status }) => status);
  assert.deepEqual(statuses, [200, 502]);
  assert.equal(requestsIn(last), 2, "on the connection of the first request");
  assert.equal(provider.heads.length, 1, "and on no other");
  assert.equal((await booksOf(foyer, member)).spent, 2n * HELD[0]);
});

Deno.test("a response that is not HTTP, or is compressed unasked, is 502 and charged", async () => {
  const brotli = reply(200, JSON_TYPE, "\x0b\x02\x80{}\x03", "Content-Encoding: br");
  const noGzip = reply(200, JSON_TYPE, "{}", "Content-Encoding: gzip");
  const noise = (connection: RawConnection) => connection.send("SSH-2.0-OpenSSH_9.9\r\n\r\n");
  for (const answer of [brotli, noGzip, noise]) {
    const { response, charge, text } = await askRaw(answer);
    assert.equal(response.status, 502);
    assert.equal(JSON.parse(text ?? "").error.type, "upstream_error");
    assert.deepEqual(charge, { status: 502, cost: HELD[0], from: HELD[1] });
  }
});

const LONG = `{"costDollars":{"total":0.5,"total":0.25},"results":["${"x".repeat(600_000)}"]}`;

Deno.test("a long answer comes whole, compressed or not; of costs that repeat the last counts", async () => {
  const zipped = gzipSync(LONG);
  const gzip = "Content-Encoding: gzip";
  const table = [
    [LONG],
    [LONG, "Connection: close"],
    [zipped, gzip],
    [zipped, gzip, "Connection: close"],
  ] as const;
  for (const [body, ...fields] of table) {
    const { response, text, charge } = await askRaw(reply(200, JSON_TYPE, body, ...fields));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-encoding"), null);
    assert.ok(text === LONG);
    assert.deepEqual(charge, { status: 200, cost: 250_000_000n, from: "provider" });
  }
});

Deno.test("a truncated long response breaks for the caller, and is charged its reservation", async () => {
  for (const framing of ["Connection: close", "Content-Length: 700000"]) {
    const { response, text, charge } = await askRaw(
      reply(200, JSON_TYPE, LONG.slice(0, -2), framing),
    );
    assert.equal(response.status, 200);
    assert.equal(text, null, framing);
    assert.deepEqual(charge, { status: 200, cost: HELD[0], from: HELD[1] });
  }
});

/** A direct call of the forwarder, for moments at which a test of the route cannot intervene. */
function call(
  request: Request,
  doFetch: typeof fetch,
  { acquireLargeResponse = () => Promise.resolve(false), startLimit = startRealTimer }: {
    readonly acquireLargeResponse?: (signal: AbortSignal) => Promise<boolean>;
    readonly startLimit?: StartTimer;
  } = {},
) {
  const { provider, path } = createWebsearchEndpoints(parseConfig({})).search;
  const outcomes: Outcome[] = [];
  let released = 0;
  const body = new SingleBody(new TextEncoder().encode("{}"));
  const forward = createForwarder({
    fetch: doFetch,
    timeoutSeconds: 60,
    startLimit,
    now: Date.now,
  });
  const { headers, signal } = request;
  const observer = {
    headers: () => ({}),
    finish: (outcome: Outcome) => void outcomes.push(outcome),
    progress() {},
  };
  const slot = { acquireLargeResponse, release: () => void released++ };
  const own = { requestId: "r", observer, slot };
  const answer = forward({ provider, apiKey: "a key", path, body, headers, signal, ...own });
  return { answer, outcomes, isReleased: () => released > 0 };
}

Deno.test("an unforeseen fault ends the call too: its reservation is charged once", async () => {
  const odd = {
    ok: true,
    get status() {
      throw new Error("unforeseen");
    },
    headers: new Headers(),
    body: null,
  };
  // Only the parts that the forwarder uses.
  const { answer, outcomes } = call(
    new Request("http://foyer.example/"),
    () => Promise.resolve(odd as unknown as Response),
  );
  await assert.rejects(answer, /unforeseen/);
  assert.deepEqual(outcomes.map(({ cost, status }) => [cost, status]), [[null, 500]]);
});

Deno.test("an answer that its caller does not read keeps its place until it is sent or dropped", async () => {
  for (const size of [100_000, 250_000, 500_000]) {
    const text = JSON.stringify({ costDollars: { total: 0.25 }, results: ["x".repeat(size)] });
    const headers = { "content-type": "application/json" };
    const ask = () =>
      call(
        new Request("http://foyer.example/"),
        () => Promise.resolve(new Response(new Blob([text]).stream(), { headers })),
      );
    const read = ask();
    const response = await read.answer;
    assert.equal(read.isReleased(), false);
    assert.equal(await response.text(), text);
    assert.equal(read.isReleased(), true);
    const dropped = ask();
    const reader = (await dropped.answer).body?.getReader();
    await reader?.read();
    assert.equal(dropped.isReleased(), false);
    await reader?.cancel();
    assert.equal(dropped.isReleased(), true);
    assert.deepEqual(read.outcomes.map(({ cost }) => cost), [250_000_000n]);
  }
});

Deno.test("a large answer for which this service has no room in time is free, and no fault of the provider's", async () => {
  const large = "x".repeat(100_000);
  // A head that the caller gets before the answer is large, an answer, and an error.
  const table = [
    ["text/event-stream", 200, true],
    ["application/json", 200, false],
    ["application/json", 422, false],
  ] as const;
  for (const [type, status, hasHead] of table) {
    let lapse = () => {};
    const startLimit: StartTimer = (work) => {
      lapse = work;
      return () => lapse = () => {};
    };
    const acquireLargeResponse = (signal: AbortSignal) =>
      new Promise<boolean>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        lapse();
      });
    const answers = () => {
      const parts = ["data: {}\n\n", ...Array.from({ length: 8 }, () => large)].values();
      const body = new ReadableStream({
        type: "bytes",
        pull(controller) {
          controller.enqueue(new TextEncoder().encode(parts.next().value ?? large));
        },
      });
      return Promise.resolve(new Response(body, { status, headers: { "content-type": type } }));
    };
    const request = new Request("http://foyer.example/");
    const { answer, outcomes, isReleased } = call(request, answers, {
      acquireLargeResponse,
      startLimit,
    });
    const failure = await answer.then((response) => response.text()).catch((error) => error);
    if (!hasHead) {
      assert.ok(failure instanceof PublicError);
      assert.equal(failure.code, "service_unavailable");
      assert.deepEqual(failure.headers, { "retry-after": "2", "x-refused-by": "foyer" });
    }
    const expected = hasHead ? 200 : 503;
    assert.deepEqual(outcomes.map(({ cost, status }) => [cost, status]), [[0n, expected]], type);
    assert.equal(isReleased(), hasHead, "the proxy releases the place of a request without answer");
  }
});

Deno.test("a provider that breaks the connection is not charged for only if it had to wait for this service's memory", async () => {
  for (const [hasWaited, cost, status] of [[true, 0n, 503], [false, null, 502]] as const) {
    const parts = [100_000, null].values();
    const body = new ReadableStream({
      type: "bytes",
      pull(controller) {
        const size = parts.next().value ?? null;
        if (size === null) controller.error(new Error("connection reset"));
        else controller.enqueue(new Uint8Array(size));
      },
    });
    const headers = { "content-type": "application/json" };
    const { answer, outcomes } = call(
      new Request("http://foyer.example/"),
      () => Promise.resolve(new Response(body, { headers })),
      { acquireLargeResponse: () => Promise.resolve(hasWaited) },
    );
    await assert.rejects(answer, PublicError);
    assert.deepEqual(outcomes.map((each) => [each.cost, each.status]), [[cost, status]]);
  }
});

/** Which headers pass the proxy: up to the provider, down to the caller. */

import assert from "node:assert/strict";
import { PROVIDER_KEYS, startFoyer } from "../support/foyer.ts";
import {
  announced,
  ask,
  askRaw,
  beginPost,
  connect,
  DECISION,
  head,
  PATHS,
  reply,
  SEARCH,
  startRawProvider,
  STREAM,
} from "./proxy.ts";

/** Headers that a caller may send and no provider may see. */
const PRIVATE = [
  "Cookie: session=private",
  "X-Forwarded-For: 203.0.113.9",
  "X-Forwarded-Proto: https",
  "X-Real-IP: 203.0.113.9",
  "Forwarded: for=203.0.113.9",
  "Via: 1.1 private",
  "Proxy-Authorization: Basic private",
  "Referer: https://private.example/",
  "Origin: https://private.example",
  "User-Agent: private/1.0",
  "Accept-Language: de",
  "Accept-Encoding: gzip, br",
  "X-Request-Id: private",
  "Traceparent: 00-private",
  "Idempotency-Key: private",
  "TE: trailers",
  "Connection: keep-alive, x-private",
  "X-Private: private",
  "Range: bytes=0-1",
  "If-None-Match: private",
];

/** The caller's own: the provider gets JSON in any case. */
const JSON_TYPE = 'Application/JSON; charset="UTF-8"';

/** Sends a raw request with these headers, and returns the response's text. */
async function post(origin: string, path: string, body: unknown, fields: string[]) {
  using connection = await connect(origin);
  const text = JSON.stringify(body);
  const all = [...fields, `Content-Type: ${JSON_TYPE}`, `Content-Length: ${text.length}`];
  await connection.send(head("POST", path, ...all), text);
  return await connection.read((text) => /\r\n\r\n.*\}$/s.test(text));
}

Deno.test("a provider gets these headers and no other, whichever header has the caller's key", async () => {
  await using foyer = await startFoyer({ env: { DECISION_MODEL_PREFIX: undefined } });
  const { key } = await foyer.createMember();
  const { websearch, decision, services: { config } } = foyer;
  const fields = [
    ...PRIVATE,
    "TypeSafe-Danger-Zone-Images: true",
    "typesafe-danger-zone-something: new",
    "X-TypeSafe-SDK: private",
    "Exa-Beta: dynamic-highlights-2026-08-28,another",
    "Exa-Betamax: private",
    "OpenAI-Beta: private",
  ];
  const table = [
    [PATHS.search, SEARCH, websearch, config.WEBSEARCH_API_URL, {
      "x-api-key": PROVIDER_KEYS.websearch,
      "exa-beta": "dynamic-highlights-2026-08-28,another",
    }],
    [PATHS.decision, DECISION, decision, config.DECISION_API_URL, {
      "authorization": `Bearer ${PROVIDER_KEYS.decision}`,
      "typesafe-danger-zone-images": "true",
      "typesafe-danger-zone-something": "new",
    }],
  ] as const;
  const callers = [
    ["*/*", `Authorization: Bearer ${key}`],
    ["application/json;q=0.9", `x-api-key: ${key}`, "Accept: application/json;q=0.9"],
  ] as const;
  for (const [path, body, { requests }, url, secrets] of table) {
    for (const [accept, ...own] of callers) {
      const answer = await post(foyer.origin, path, body, [...fields, ...own]);
      assert.deepEqual(requests.at(-1)?.headers, {
        "host": new URL(url).host,
        accept,
        "accept-encoding": "identity",
        // The headers that `fetch` adds by default; they reveal nothing about the caller.
        "accept-language": "*",
        "content-length": String(JSON.stringify(body).length),
        "content-type": "application/json",
        "user-agent": "foyer",
        "x-request-id": /^x-request-id: (.+)\r$/im.exec(answer)?.[1],
        ...secrets,
      });
    }
  }
});

/** Headers that a provider may send and no caller may see. */
const ACCOUNT = [
  "Set-Cookie: account=private",
  "Server: private",
  "X-Powered-By: private",
  "X-RateLimit-Remaining: 7",
  'RateLimit: "private";r=7',
  "X-Credits-Left: 9",
  "X-Request-Id: private",
  "X-Spending-Warning: private",
  "X-Cost-Usd: 9",
  "X-Refused-By: private",
  "Keep-Alive: timeout=5",
  "Strict-Transport-Security: max-age=1",
  "Access-Control-Allow-Origin: https://private.example",
  "Cache-Control: public, max-age=60",
  "ETag: private",
  "Alt-Svc: h3",
  "Link: <https://private.example>",
  "Content-Disposition: attachment; filename=private",
  "Proxy-Authenticate: private",
  "WWW-Authenticate: private",
];
/** The decision provider's header, which its client shows to people. */
const ITS_REQUEST_ID = "x-typesafe-request-id";
const DECIDED = '{"model":"one","usage":{"input_tokens":7}}';
const KEPT = {
  "retry-after": "7",
  "retry-after-ms": "7000",
  "x-should-retry": "false",
};
const ALWAYS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  "cache-control": "no-store",
  "ratelimit": '"default";r=749;t=1800',
  "ratelimit-policy": '"default";q=750;w=1800',
  "x-content-type-options": "nosniff",
};

Deno.test("the caller gets these headers and no other, of answers, streams and errors alike", async () => {
  const json = "application/json; charset=utf-8";
  const paid = '{"costDollars":{"total":0.1}}';
  const long = `{"padding":"${"x".repeat(300_000)}","costDollars":{"total":0.1}}`;
  const table = [
    { status: 200, body: paid, cost: "0.1" },
    { status: 200, body: long },
    { status: 200, body: `data: ${paid}\n\n`, isStream: true },
    { status: 400, body: '{"error":"no"}', cost: "0" },
    { status: 429, body: '{"error":"no"}', cost: "0" },
    { status: 200, body: DECIDED, path: PATHS.decision, asked: DECISION, cost: "0.000000294" },
  ];
  for (const row of table) {
    const { status, body, cost, isStream = false, path = PATHS.answer, asked = SEARCH } = row;
    const type = isStream ? "text/event-stream" : json;
    const kept = Object.entries(KEPT).map(([name, value]) => `${name}: ${value}`);
    const framing = isStream ? ["Connection: close"] : [];
    const fields = [...framing, `${ITS_REQUEST_ID}: its own`, ...kept, ...ACCOUNT];
    const { response, text } = await askRaw(reply(status, type, body, ...fields), {
      path,
      body: isStream ? STREAM : asked,
    });
    assert.deepEqual([response.status, text], [status, body]);
    assert.notEqual(response.statusText, "X");
    const { date: _date, "x-request-id": id, vary: _vary, ...headers } = Object.fromEntries(
      response.headers,
    );
    assert.match(id ?? "", /^[0-9a-f-]{36}$/);
    assert.deepEqual(headers, {
      ...ALWAYS,
      ...KEPT,
      ...path === PATHS.decision && { [ITS_REQUEST_ID]: "its own" },
      ...cost && { "x-cost-usd": cost },
      "content-type": type,
      ...(isStream
        ? { "transfer-encoding": "chunked", "x-accel-buffering": "no" }
        : { "content-length": `${body.length}` }),
      ...(status === 200 ? {} : { "x-refused-by": "upstream" }),
    });
  }
});

Deno.test("a Retry-After that goes down is whole seconds or a date ahead, and a long one says that no client should retry", async () => {
  let fields: string[] = [];
  let status = 429;
  let type = "application/json";
  await using provider = startRawProvider((connection) =>
    reply(status, type, '{"error":"no"}', ...fields, "Connection: close")(connection)
  );
  await using foyer = await startFoyer({ env: { WEBSEARCH_API_URL: provider.origin } });
  const { key } = await foyer.createMember();
  const { clock: { now } } = foyer;
  const date = (seconds: number) => new Date(now + seconds * 1_000).toUTCString();
  const [ahead, far] = [date(30), date(3_600)];
  const form850 = `${far.slice(0, 3)}day, ${far.slice(5, 16).replaceAll(" ", "-")}${far.slice(16)}`;
  // What the provider sends, what the caller gets, and whether a retry is advised against.
  const table: readonly [sent: string, got: string, isLong?: boolean][] = [
    ["7", "7"],
    ["0", "0"],
    ["60", "60"],
    ["61", "61", true],
    ["99999999999999999999", "2147483", true],
    [ahead, ahead],
    [far, far, true],
    [form850, far, true],
    ["Fri, 31 Dec 9999 23:59:59 GMT", "2147483", true],
    ...[
      "",
      "soon",
      "-5",
      "1.5",
      "1e3",
      "0x10",
      "10, 20",
      "10s",
      "Infinity",
      "2026-11-28",
      "Sat Nov 28 12:00:00 2026",
      "Wed, 21 Oct 2015 07:28:00 GMT",
      "Sat, 99 Nov 2026 12:00:00 GMT",
    ].map((sent): [string, string] => [sent, "2"]),
  ];
  const waits = async () => {
    const { headers } = await ask(foyer, key);
    const names = ["retry-after", "retry-after-ms", "x-should-retry"];
    return names.map((name) => headers.get(name));
  };
  // Passed on with the provider's body, as an error of ours with its status, and as a 502 and a 504 of ours.
  const answers = [[429, "application/json"], [529, "text/html"], [503, "text/html"], [
    504,
    "application/json",
  ]] as const;
  for (const [answered, as] of answers) {
    [status, type] = [answered, as];
    for (const [sent, got, isLong = false] of table) {
      fields = [`Retry-After: ${sent}`];
      assert.deepEqual(await waits(), [got, null, isLong ? "false" : null], `${status} ${sent}`);
    }
    fields = [];
    assert.deepEqual(await waits(), ["2", null, null]);
    fields = ["Retry-After-Ms: soon", "X-Should-Retry: perhaps"];
    assert.deepEqual(await waits(), ["2", null, null]);
    fields = ["Retry-After-Ms: 1500", "X-Should-Retry: true"];
    assert.deepEqual(await waits(), ["2", "1500", "true"]);
    fields = ["Retry-After: 1", "Retry-After-Ms: 90000", "X-Should-Retry: true"];
    assert.deepEqual(await waits(), ["1", "90000", "false"]);
  }
});

Deno.test("a refusal of the service's own that lasts says that no client should retry", async () => {
  await using foyer = await startFoyer({ env: { RATE_LIMIT_REQUESTS: "1" } });
  const poor = await ask(foyer, (await foyer.createMember(0n)).key);
  assert.deepEqual([poor.status, poor.headers.get("x-should-retry")], [402, "false"]);
  const { key } = await foyer.createMember();
  await ask(foyer, key);
  for (const [later, advice] of [[0, "false"], [1_760_000, null]] as const) {
    foyer.clock.now += later;
    const { status, headers } = await ask(foyer, key);
    assert.deepEqual([status, headers.get("x-should-retry")], [429, advice]);
  }
});

Deno.test("the body arrives uncompressed for any Accept-Encoding: a stream is not held back", async () => {
  await using foyer = await startFoyer();
  const { key } = await foyer.createMember();
  for (const body of [SEARCH, STREAM]) {
    const text = JSON.stringify(body);
    const fields = ["Accept-Encoding: gzip, br", announced(text)];
    using connection = await beginPost(foyer, PATHS.answer, key, fields, text);
    const answer = await connection.read((text) => /\}$|\r\n0\r\n\r\n$/.test(text));
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.doesNotMatch(answer, /^content-encoding:/im);
    assert.match(answer, /costDollars/);
  }
});

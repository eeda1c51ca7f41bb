/** Which headers pass the proxy: up to the provider, down to the caller. */

import assert from "node:assert/strict";
import { PROVIDER_KEYS, startFoyer } from "../support/foyer.ts";
import {
  announced,
  askRaw,
  beginPost,
  connect,
  DECISION,
  head,
  PATHS,
  reply,
  SEARCH,
  STREAM,
} from "./door.ts";

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

/** The caller's own, which is forwarded unchanged. */
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
    "Exa-Beta: x",
  ];
  const table = [
    [PATHS.search, SEARCH, websearch, config.WEBSEARCH_API_URL, {
      "x-api-key": PROVIDER_KEYS.websearch,
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
        "content-type": JSON_TYPE,
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
    { status: 200, body: paid },
    { status: 200, body: long },
    { status: 200, body: `data: ${paid}\n\n`, isStream: true },
    { status: 400, body: '{"error":"no"}' },
    { status: 429, body: '{"error":"no"}' },
    { status: 200, body: DECIDED, path: PATHS.decision, asked: DECISION },
  ];
  for (const { status, body, isStream = false, path = PATHS.answer, asked = SEARCH } of table) {
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
      "content-type": type,
      ...(isStream ? { "transfer-encoding": "chunked" } : { "content-length": `${body.length}` }),
      ...(status === 200 ? {} : { "x-refused-by": "upstream" }),
    });
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

/** The proxy's addresses, and the order of their checks. */

import assert from "node:assert/strict";
import { updateAccount } from "../../lib/accounts/account.ts";
import { parseConfig } from "../../lib/platform/config/config.ts";
import { createEndpoints } from "../../lib/proxy/proxy.ts";
import { type Foyer, startFoyer } from "../support/foyer.ts";
import type { Member } from "../support/member.ts";
import {
  ask,
  booksOf,
  connect,
  DECISION,
  FORWARDED,
  getUsage,
  hasAnswer,
  head,
  PATHS,
  SEARCH,
  SEARCH_PRICE,
} from "./proxy.ts";
import { madeBy } from "../support/made_by.ts";

Deno.test("every endpoint gives its provider's answer, asked at the provider's path, and is booked by its name", async () => {
  await using foyer = await startFoyer();
  for (const { path, endpoint, body, member: name, provider, upstream } of FORWARDED) {
    const member = await foyer.createMember();
    const response = await foyer.post(path, member.key, body);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
    assert.ok(name in await response.json(), path);
    const asked = foyer[provider].requests.at(-1);
    assert.equal(asked?.path, upstream);
    assert.equal(asked.method, "POST");
    const { records, spent } = await booksOf(foyer, member);
    assert.deepEqual(records.map((record) => record.endpoint), [endpoint]);
    assert.equal(records[0]?.costFrom, "provider", path);
    assert.equal(spent, foyer[provider].charges.get(records[0]?.requestId ?? ""), path);
  }
});

Deno.test("the table of this folder's tests has every endpoint", () => {
  const names = Object.keys(createEndpoints(parseConfig({})));
  const tested = new Set(FORWARDED.map(({ endpoint }) => endpoint));
  const what = "FORWARDED in tests/proxy/proxy.ts has a row for each endpoint";
  assert.deepEqual([...tested].toSorted(), names.toSorted(), what);
});

Deno.test("another method is 405 with Allow, before a key is asked for; OPTIONS names the methods", async () => {
  await using foyer = await startFoyer();
  const addresses = [
    ...FORWARDED.map(({ path }) => [path, "POST, OPTIONS"] as const),
    [PATHS.usage, "GET, HEAD, OPTIONS"] as const,
  ];
  for (const [path, allow] of addresses) {
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "BREW"]) {
      if (allow.split(", ").includes(method)) continue;
      const response = await foyer.get(path, { method });
      assert.equal(response.status, 405, `${method} ${path}`);
      assert.equal(response.headers.get("allow"), allow, `${method} ${path}`);
      assert.equal(response.headers.get("x-refused-by"), "foyer");
      const text = await response.text();
      if (method === "HEAD") assert.equal(text, "");
      else assert.equal(JSON.parse(text).error.type, "method_not_allowed");
    }
    const options = await foyer.get(path, { method: "OPTIONS" });
    assert.deepEqual([options.status, options.headers.get("allow")], [204, allow], path);
    const fields = ["allow-methods", "allow-headers", "max-age"]
      .map((name) => options.headers.get(`access-control-${name}`));
    assert.deepEqual(fields, [allow, "*, authorization", "86400"]);
  }
  assert.equal(foyer.websearch.requests.length + foyer.decision.requests.length, 0);
});

Deno.test("an unknown address is 404 as JSON for any Accept header, with the nearest address, that there is no chat, or all addresses", async () => {
  await using foyer = await startFoyer();
  const table: readonly (readonly [path: string, meant: string | null])[] = [
    ["/proxy/v1/websearch/serch", PATHS.search],
    ["/proxy/v1/websearch/findsimilar", "/proxy/v1/websearch/findSimilar"],
    ["/proxy/v1/websearch/FINDSIMILAR", "/proxy/v1/websearch/findSimilar"],
    ["/proxy/v1/websearch/search/x", PATHS.search],
    ["/proxy/websearch/contents", "/proxy/v1/websearch/contents"],
    ["/proxy/v2/decision/system-one", PATHS.decision],
    ["/proxy/v1/answer", "/proxy/v1/websearch/answer"],
    ["/proxy/v1/model", "/proxy/v1/models"],
    ["/proxy/v1/embedding/models", "/proxy/v1/embeddings/models"],
    ["/proxy/v1/chat/completions", null],
    ["/proxy/v1/embeddings", null],
    ["/proxy/v1/ocr", null],
    [`/proxy/${"a".repeat(5_000)}`, null],
    ["/proxy/", null],
    ["/proxy", null],
  ];
  for (const [path, meant] of table) {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const response = await foyer.get(path, { method, headers: { accept: "text/html" } });
      assert.equal(response.status, 404, `${method} ${path}`);
      assert.equal(response.headers.get("x-refused-by"), "foyer");
      const { code, message, hint } = await response.json();
      assert.equal(code, "not_found");
      assert.equal(/chat/.test(message), /chat|embeddings$/.test(path), path);
      if (meant !== null) assert.equal(hint, `Did you mean ${meant}?`, path);
      else for (const known of Object.values(PATHS)) assert.ok(hint.includes(known), path);
    }
  }
});

Deno.test("a slash too many is forgiven, as a base address with a slash at its end makes it, and no query is passed on", async () => {
  await using foyer = await startFoyer();
  const { key } = await foyer.createMember();
  for (const path of [`${PATHS.search}/`, "/proxy/v1/websearch//search", `${PATHS.search}?a=b`]) {
    assert.equal((await ask(foyer, key, SEARCH, path)).status, 200, path);
    assert.equal(foyer.websearch.requests.at(-1)?.path, "/search");
  }
});

Deno.test("usage states the spent and the remaining amount; HEAD has the same headers and no body", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  await ask(foyer, member.key);
  await booksOf(foyer, member);
  const headers = { authorization: `Bearer ${member.key}` };
  const got = await foyer.get(PATHS.usage, { headers });
  const { data } = await got.json();
  assert.deepEqual(data, {
    day: "2026-11-21",
    spentUsd: 0.007,
    reservedUsd: 0,
    requests: 1,
    byEndpoint: { search: { requests: 1, spentUsd: 0.007 } },
    byKey: { [member.keyId]: { requests: 1, spentUsd: 0.007 } },
    limitUsd: 4,
    remainingUsd: 3.993,
    resetsAt: "2026-11-22T00:00:00.000Z",
    rateLimit: {
      limit: 750,
      remaining: 749,
      windowSeconds: 1800,
      resetsAt: "2026-11-21T12:30:00.000Z",
    },
  });
  assert.equal(got.headers.get("cache-control"), "no-store");
  const asked = await foyer.get(PATHS.usage, { method: "HEAD", headers });
  assert.deepEqual([asked.status, await asked.text()], [200, ""]);
  for (const name of ["ratelimit", "ratelimit-policy", "content-type", "cache-control"]) {
    assert.equal(asked.headers.get(name), got.headers.get(name), name);
  }
});

/** The faults of a request, in the order of the checks; each changes the request. */
interface Sent {
  path: string;
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
}
type Mistake = readonly [status: number, what: string, make: (sent: Sent) => void];
const mistakes: readonly Mistake[] = [
  [404, "path", (sent) => sent.path = "/proxy/v1/decision/nothing"],
  [405, "method", (sent) => sent.method = "PUT"],
  [401, "key", (sent) => sent.headers["authorization"] = "Bearer nonsense"],
  [415, "content type", (sent) => sent.headers["content-type"] = "text/plain"],
  [413, "size", (sent) => sent.body = " ".repeat(2_000)],
  [400, "JSON", (sent) => sent.body = "{"],
  [422, "validation", (sent) => sent.body = "{}"],
];

async function send(foyer: Foyer, { key }: Member, wrong: readonly Mistake[]): Promise<number> {
  const sent: Sent = {
    path: PATHS.decision,
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(DECISION),
  };
  // The earlier ones last, so that a broken body is the one that the earlier check finds.
  for (const [, , make] of wrong.toReversed()) make(sent);
  const { path, ...init } = sent;
  return (await foyer.get(path, init as RequestInit)).status;
}

Deno.test("the earlier-checked of two mistakes is reported; neither is counted or forwarded", async () => {
  await using foyer = await startFoyer({ env: { MAX_BODY_BYTES: "1000" } });
  const member = await foyer.createMember();
  for (const [index, first] of mistakes.entries()) {
    const later = mistakes.slice(index + 1);
    for (const wrong of [[first], ...later.map((second) => [first, second]), [first, ...later]]) {
      const what = wrong.map(([, what]) => what).join(" and ");
      assert.equal(await send(foyer, member, wrong), first[0], what);
    }
  }
  const { counted, spent, reserved, records } = await booksOf(foyer, member);
  assert.deepEqual([counted, spent, reserved, records.length], [0, 0n, 0n, 0]);
  assert.equal(foyer.decision.requests.length, 0);
});

Deno.test("an account that may not use the proxy is refused after its key is checked and before its request is", async () => {
  await using foyer = await startFoyer();
  for (const change of [{ banned: true }, { verified: false }]) {
    const member = await foyer.createMember();
    await updateAccount(foyer.kv, member.accountId, change, madeBy());
    for (const mistake of mistakes) {
      const [status] = mistake;
      const expected = status < 410 && status > 400 ? status : 403;
      assert.equal(await send(foyer, member, [mistake]), expected);
    }
    assert.equal((await getUsage(foyer, member.key)).status, 403);
  }
});

Deno.test("validation comes before the rate limit, that before the spending limit, that before forwarding", async () => {
  const env = { RATE_LIMIT_REQUESTS: "1", DECISION_API_URL: "http://127.0.0.1:9" };
  await using foyer = await startFoyer({ env });
  const member = await foyer.createMember(1n);
  const status = async (body: unknown) =>
    (await ask(foyer, member.key, body, PATHS.decision)).status;
  await ask(foyer, member.key);
  await booksOf(foyer, member);
  assert.equal(await status({}), 422);
  assert.equal(await status(DECISION), 429);
  foyer.clock.now += 1_800_000;
  assert.equal(await status(DECISION), 402);
  const { counted, spent, reserved, records } = await booksOf(foyer, member);
  assert.deepEqual([counted, spent, reserved, records.length], [0, SEARCH_PRICE, 0n, 1]);
});

Deno.test("a request without Host or in HTTP/1.0 is served like any other", async () => {
  await using foyer = await startFoyer();
  const { key } = await foyer.createMember();
  const body = JSON.stringify(SEARCH);
  const fields = [`Authorization: Bearer ${key}`, "Content-Type: application/json"];
  const whole = head("POST", PATHS.search, ...fields, `Content-Length: ${body.length}`) + body;
  const requests = [
    whole.replace("Host: foyer.example\r\n", ""),
    whole.replace("HTTP/1.1", "HTTP/1.0"),
  ];
  for (const request of requests) {
    using connection = await connect(foyer.origin);
    await connection.send(request);
    const answer = await connection.read(hasAnswer);
    assert.match(answer, /^HTTP\/1\.[01] 200 OK\r\n/);
  }
});

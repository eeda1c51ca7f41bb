/** The line that each request gets in the log once it is answered. */

import assert from "node:assert/strict";
import { updateAccount } from "../../lib/accounts/account.ts";
import { createGate, PATHS, SEARCH, STREAM } from "../proxy/proxy.ts";
import { type Foyer, type LogLine, PROVIDER_KEYS, row, startFoyer } from "../support/foyer.ts";
import { until } from "../support/until.ts";
import { madeBy } from "../support/made_by.ts";

const CODES: Readonly<Record<number, string>> = {
  400: "bad_request",
  404: "not_found",
  405: "method_not_allowed",
};

/** The log line of one request, once it is written. */
async function lineOf(foyer: Foyer, response: Response): Promise<LogLine> {
  const id = response.headers.get("x-request-id");
  const find = () =>
    foyer.lines.filter(({ properties }) =>
      properties["requestId"] === id && "durationMs" in properties
    );
  await until(() => find().length > 0);
  const [line, ...others] = find();
  assert.ok(line !== undefined && others.length === 0, "one line for each request");
  return line;
}

/** Its properties without the id and the duration, which are checked here. */
function rest({ properties: { requestId, durationMs, ...others } }: LogLine) {
  assert.match(String(requestId), /^[\da-f-]{36}$/);
  assert.ok(typeof durationMs === "number" && durationMs >= 0, String(durationMs));
  return others;
}

Deno.test("a request is logged with its method, the pattern of its path and its status", async () => {
  await using foyer = await startFoyer({ records: [row({ "Name": "Tea" })] });
  const table = [
    ["GET", "/api/v1/events?secret=1", "/api/v1/events", 400],
    ["GET", "/api/v1/events?q=secret", "/api/v1/events", 200],
    ["GET", "/api/v1/events", "/api/v1/events", 200],
    ["GET", "/api/v1/events/no-such-secret", "/api/v1/events/:idOrSlug", 404],
    ["GET", "/secret/place", null, 404],
    ["POST", "/api/v1/events", "/api/v1/events", 405],
    ["HEAD", "/api/v1/events", "/api/v1/events", 200],
    // The supported methods are found with an internal request, which is not logged.
    ["BREW", "/api/v1/events", "/api/v1/events", 405],
  ] as const;
  for (const [method, path, route, status] of table) {
    const response = await foyer.get(path, { method });
    const line = await lineOf(foyer, response);
    assert.deepEqual([line.level, line.message], ["info", "Request"]);
    const code = CODES[status];
    assert.deepEqual(rest(line), { method, route, status, ...(code && { code }) }, path);
  }
  assert.equal(foyer.lines.filter(({ message }) => message === "Request").length, table.length);
  // A caller's error needs no line of its own.
  assert.deepEqual(foyer.lines.filter(({ level }) => level === "error"), []);
  assert.ok(!foyer.logged.join().includes("secret"));
});

Deno.test("static files and health checks that go well are not logged", async () => {
  await using foyer = await startFoyer();
  for (const path of ["/favicon.svg", "/icon-192.png", "/up"]) {
    assert.equal((await foyer.get(path)).status, 200, path);
  }
  const last = await foyer.get("/api/v1/nothing");
  await lineOf(foyer, last);
  assert.equal(foyer.lines.filter(({ message }) => message === "Request").length, 1);
});

Deno.test("the logged duration is that of the request", async () => {
  await using foyer = await startFoyer();
  const startedAt = performance.now();
  const response = await foyer.get("/api/v1/nothing");
  const durationMs = Number((await lineOf(foyer, response)).properties["durationMs"]);
  const elapsed = performance.now() - startedAt;
  assert.ok(durationMs > 0 && durationMs < elapsed + 0.1, `${durationMs} of ${elapsed} ms`);
});

Deno.test("a proxied request is logged with its account, its key's id, its endpoint and its cost, a refused one with what is known", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const poor = await foyer.createMember(0n);
  const banned = await foyer.createMember();
  await updateAccount(foyer.kv, banned.accountId, { banned: true }, madeBy());
  const table = [
    { by: member, status: 200, costUsd: "0.007" },
    { by: null, status: 401, code: "unauthorized", reason: "missing" },
    { by: member, body: "{", status: 400, code: "bad_request" },
    { by: poor, status: 402, code: "spending_limit_reached" },
    { by: banned, status: 403, code: "forbidden", reason: "banned" },
  ];
  for (const { by, body = SEARCH, ...why } of table) {
    const response = await foyer.post(PATHS.search, by?.key ?? null, body);
    const common = { method: "POST", route: PATHS.search, endpoint: "search" };
    const known = by && { accountId: by.accountId, keyId: by.keyId };
    assert.deepEqual(rest(await lineOf(foyer, response)), { ...common, ...known, ...why });
  }
});

Deno.test("a streamed answer is logged when it ends, not when it begins", async () => {
  await using foyer = await startFoyer();
  const { key } = await foyer.createMember();
  using gate = createGate();
  foyer.websearch.faults.push({ kind: "stall", until: gate.opened });
  const response = await foyer.post(PATHS.answer, key, STREAM);
  const reader = response.body?.getReader();
  await reader?.read();
  const other = await foyer.get("/api/v1/nothing");
  await lineOf(foyer, other);
  assert.equal(foyer.lines.filter(({ message }) => message === "Request").length, 1);
  gate.open();
  while (!(await reader?.read())?.done);
  const line = rest(await lineOf(foyer, response));
  assert.deepEqual([line["status"], line["costUsd"]], [200, "0.005"]);
});

Deno.test("a stream that breaks is a warning with its reason; a caller who disconnects is not", async () => {
  await using foyer = await startFoyer();
  const { key } = await foyer.createMember();
  foyer.websearch.faults.push({ kind: "cut" });
  const broken = await foyer.post(PATHS.answer, key, STREAM);
  await assert.rejects(broken.text());
  const { level, message, properties } = await lineOf(foyer, broken);
  assert.deepEqual([level, message], ["warn", "A response was cut off."]);
  assert.match(String(properties["brokenBy"]), /The web search provider broke the connection/);

  using gate = createGate();
  foyer.websearch.faults.clear();
  foyer.websearch.faults.push({ kind: "stall", until: gate.opened });
  const left = await foyer.post(PATHS.answer, key, STREAM);
  const reader = left.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  const line = await lineOf(foyer, left);
  assert.deepEqual([line.level, line.properties["brokenBy"]], ["info", "caller"]);
  for (const secret of [key, ...Object.values(PROVIDER_KEYS), SEARCH.query]) {
    assert.ok(!foyer.logged.join().includes(secret));
  }
});

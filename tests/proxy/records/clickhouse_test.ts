/** The requests to ClickHouse, and the handling of its failures. */

import assert from "node:assert/strict";
import { inspect } from "node:util";
import fc from "fast-check";
import { createClickHouse } from "../../../lib/proxy/records/clickhouse.ts";
import { ClickHouseError } from "../../../lib/proxy/records/clickhouse_http.ts";
import { createOutbox } from "../../../lib/proxy/records/outbox.ts";
import { openKv } from "../../../lib/platform/kv/open.ts";
import type { ClickHouseFault } from "../../../lib/sandbox/clickhouse.ts";
import { serveStandIn } from "../../../lib/sandbox/serve_stand_in.ts";
import {
  countInserted,
  createStandIn,
  mark,
  MINUTE,
  NOON,
  PASSWORD,
  QUESTION,
  record,
  row,
  TODAY,
} from "./clickhouse.ts";
import { anyRecord } from "./plain_count.ts";

/** The error of a call that must fail; it may not contain the password. */
async function failure(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(() => null, (thrown: unknown) => thrown);
  assert.ok(error instanceof ClickHouseError, inspect(error));
  assert.ok(!inspect(error, { depth: 10 }).includes(PASSWORD));
  return error.message;
}

Deno.test("a request names the user in a header, values in parameters, and nothing secret in the address", async () => {
  const { options, standIn } = createStandIn();
  const seen: Request[] = [];
  const store = createClickHouse({
    ...options,
    fetch: (input, init) => {
      const request = new Request(input, init);
      seen.push(request.clone());
      return standIn.fetch(request);
    },
  });
  await store.insert([row()]);
  await store.query({ ...QUESTION, accountId: "acc_o'hara" });
  await store.ping();
  const [insert, query, ping] = seen;
  assert.ok(insert && query && ping);
  for (const { method, url, headers, redirect } of seen) {
    assert.equal(method, "POST");
    assert.equal(redirect, "manual");
    assert.ok(!decodeURIComponent(url).includes("foyer:") && !url.includes(encodeURI(PASSWORD)));
    const settings = new URL(url).searchParams;
    for (const name of ["extremes", "aggregate_functions_null_for_empty"]) {
      assert.equal(settings.get(name), "0", "a server's profile may set it differently");
    }
    assert.equal(settings.get("wait_end_of_query"), "1");
    const basic = new TextEncoder().encode(`foyer:${PASSWORD}`).toBase64();
    assert.equal(headers.get("authorization"), `Basic ${basic}`);
  }
  const parameters = new URL(insert.url).searchParams;
  assert.equal(parameters.get("async_insert"), "0");
  assert.match(
    parameters.get("query") ?? "",
    /^INSERT INTO foyer_usage \(.*\) FORMAT JSONEachRow$/,
  );
  assert.match(await insert.text(), /^\{.*"cost_nano_usd":"7000000".*"version":"1"\}\n$/);
  const asked = new URL(query.url).searchParams;
  assert.equal(asked.get("param_account"), "acc_o'hara");
  assert.equal(asked.get("param_from"), TODAY);
  assert.ok(!(await query.text()).includes("hara"));
  assert.equal(await ping.text(), "SELECT 1");
});

Deno.test("a record as a row in JSON loses nothing, to the nano-dollar", () => {
  fc.assert(fc.property(anyRecord, (original) => {
    const sent: ReturnType<typeof row> = JSON.parse(JSON.stringify(row(original, 7)));
    const found = {
      requestId: sent.request_id,
      accountId: sent.account_id,
      keyId: sent.key_id,
      day: sent.day,
      endpoint: sent.endpoint,
      model: sent.model,
      cost: BigInt(sent.cost_nano_usd),
      costFrom: sent.cost_from,
      inputTokens: sent.input_tokens,
      outputTokens: sent.output_tokens,
      status: sent.status,
      durationMs: sent.duration_ms,
      at: Date.parse(`${sent.at.replace(" ", "T")}Z`),
    };
    assert.deepEqual(found, { ...original, model: original.model?.toWellFormed() ?? null });
    assert.equal(sent.version, "7");
  }));
});

Deno.test("migrate creates a table that is missing, and changes none that exists", async () => {
  const { standIn, clickHouse } = createStandIn();
  assert.equal(await clickHouse.migrate(), true);
  assert.match(standIn.statements.at(-1)?.sql ?? "", /^CREATE TABLE IF NOT EXISTS foyer_usage \(/);
  const definition = await Deno.readTextFile("lib/proxy/records/schema.sql");
  const columns = [...definition.matchAll(/^ {4}(\w+) (.+?),?$/gm)]
    .map(([, name, type]) => ({ name, type }));
  const table = {
    engine_full:
      "ReplacingMergeTree(version) PARTITION BY toYYYYMM(day) ORDER BY (day, account_id)",
    sorting_key: "day, account_id, request_id",
  };
  standIn.prepare("system.tables", { data: [table] });
  standIn.prepare("system.columns", { data: [...columns, { name: "note", type: "String" }] });
  assert.equal(await clickHouse.migrate(), false);
  standIn.prepare("system.tables", {
    data: [{ ...table, engine_full: "ReplicatedReplacingMergeTree('/t', '{replica}', version)" }],
  });
  assert.equal(await clickHouse.migrate(), false);
  assert.match(standIn.statements.at(-1)?.sql ?? "", /^SELECT/);

  standIn.prepare("system.tables", { data: [{ engine_full: "MergeTree", sorting_key: "day" }] });
  const others = columns.slice(1).map(({ name, type }) => ({
    name,
    type: name === "day" ? "DateTime" : type,
  }));
  standIn.prepare("system.columns", { data: others });
  assert.equal(
    await failure(clickHouse.migrate()),
    "The table foyer_usage exists, but it lacks the column request_id, its column day is DateTime, " +
      "not Date, its engine is MergeTree, not ReplacingMergeTree(version), it is ordered by day, " +
      "not by day, account_id, request_id. Rename it, then run `deno task analytics migrate` and " +
      "`deno task analytics fill`.",
  );
});

Deno.test("a store without its table names the command that creates it", async () => {
  const { standIn, clickHouse } = createStandIn();
  standIn.faults.push({ kind: "exception", code: 60, status: 404 });
  await assert.rejects(clickHouse.ping(), {
    message: /^ClickHouse .* 404: Code: 60\. .*; `deno task analytics migrate` creates it$/,
  });
});

Deno.test("each failure is one sentence that says what happened", async () => {
  const cases: [ClickHouseFault, RegExp][] = [
    [{ kind: "reset" }, /^ClickHouse cannot be reached: /],
    [{ kind: "drop" }, /^ClickHouse cannot be reached: /],
    [{ kind: "exception", code: 241 }, /^ClickHouse answered status 500: Code: 241\. DB::Exc.*$/],
    [{ kind: "late" }, /^ClickHouse answered status 500: Code: 159\. .*\(TIMEOUT_EXCEEDED\)/],
    [{ kind: "truncated" }, /^ClickHouse gave a response that cannot be read$/],
  ];
  const { standIn, options } = createStandIn();
  await using server = disposable(serveStandIn(standIn.fetch));
  const store = createClickHouse({ ...options, url: server.origin, fetch });
  await store.insert([row()]);
  for (const [fault, expected] of cases) {
    // Deno's fetch repeats a request by itself if a reused connection breaks.
    standIn.faults.push({ ...fault, sticky: true });
    assert.match(await failure(store.query(QUESTION)), expected);
    standIn.faults.clear();
    assert.equal((await store.query(QUESTION)).total.requests, 0);
  }
  standIn.faults.push({ kind: "hang", sticky: true });
  const brief = createClickHouse({
    ...options,
    url: server.origin,
    fetch,
    timeoutSeconds: 0.2,
  });
  assert.equal(await failure(brief.ping()), "ClickHouse did not answer within 0.2 seconds");
  standIn.faults.clear();
  const wrong = createClickHouse({ ...options, password: `${PASSWORD}x` });
  assert.match(await failure(wrong.ping()), /status 403: Code: 516.*Authentication failed/);
  const closed = serveStandIn(standIn.fetch);
  await closed.shutdown();
  const nobody = createClickHouse({ ...options, url: closed.origin, fetch });
  assert.match(await failure(nobody.ping()), /^ClickHouse cannot be reached: [^(]*\(Connect\)/);
});

Deno.test("a server that repeats the password does not get it into a log, whole or shortened", async () => {
  const { options } = createStandIn();
  const fetch = () => Promise.resolve(new Response(`no: ${PASSWORD}!`, { status: 500 }));
  const store = createClickHouse({ ...options, fetch });
  assert.equal(await failure(store.ping()), "ClickHouse answered status 500: no: …!");
  for (let before = 1960; before <= 2000; before++) {
    const text = `${"x".repeat(before)}${PASSWORD}${"y".repeat(100)}`;
    const fetch = () => Promise.resolve(new Response(text, { status: 500 }));
    const reason = await failure(createClickHouse({ ...options, fetch }).ping());
    assert.match(reason, /: x+(?:…y*)?$/);
  }
});

Deno.test("a server that is not ClickHouse and answers 200 is a failure: nothing counts as delivered", async () => {
  const { options } = createStandIn();
  const fetch = () => Promise.resolve(new Response("<html>Welcome"));
  const store = createClickHouse({ ...options, fetch });
  assert.match(await failure(store.ping()), /ANALYTICS_URL/);
  assert.match(await failure(store.insert([row()])), /ANALYTICS_URL/);
});

Deno.test("an answer's groups are in order, and its numbers exact", async () => {
  const { clickHouse, standIn } = createStandIn();
  const group = { requests: "2", failed: "1", inputTokens: "9007199254740993", outputTokens: "0" };
  const total = { ...group, cost: "8", medianMs: "3", p95Ms: "4" };
  standIn.prepare("account_id AS group_key", {
    data: [
      { group_key: "acc_a", ...group, cost: "1", medianMs: null, p95Ms: null },
      { group_key: "acc_b", ...group, cost: "7", medianMs: "3", p95Ms: "4" },
    ],
    totals: total,
  });
  const { groups, total: sum } = await clickHouse.query(QUESTION);
  assert.deepEqual(groups.map(({ key, totals: { cost } }) => [key, cost]), [
    ["acc_b", 7n],
    ["acc_a", 1n],
  ]);
  const details = { inputTokens: 9007199254740993n, outputTokens: 0n, medianMs: 3, p95Ms: 4 };
  assert.deepEqual(sum, { requests: 2, failed: 1, cost: 8n, details });
  const none = { inputTokens: 0n, outputTokens: 0n, medianMs: null, p95Ms: null };
  assert.deepEqual(await clickHouse.query({ ...QUESTION, by: "model" }), {
    groups: [],
    total: { requests: 0, failed: 0, cost: 0n, details: none },
  });
});

/** An hour over a real network, with everything that can go wrong in turn. */
Deno.test("every request counts once after an hour of any network faults", async () => {
  const faults: (ClickHouseFault | null)[] = [
    null,
    { kind: "drop", target: "insert" },
    { kind: "partial" },
    { kind: "reset" },
    { kind: "exception", code: 202, status: 503 },
  ];
  const { standIn, options } = createStandIn();
  await using server = disposable(serveStandIn(standIn.fetch));
  const clickHouse = createClickHouse({ ...options, url: server.origin, fetch });
  using kv = await openKv(":memory:");
  let now = NOON;
  const outbox = createOutbox({ kv, clickHouse, now: () => now, log: { error() {} } });
  for (let minute = 0; minute < 60; minute++) {
    await mark(kv, record({ cost: 1n }), record({ cost: 2n }));
    const fault = faults[minute % faults.length] ?? null;
    standIn.faults.clear();
    if (fault !== null) standIn.faults.push({ ...fault, sticky: true });
    await outbox.deliver().catch((error: unknown) => assert.ok(error instanceof ClickHouseError));
    now += MINUTE;
  }
  standIn.faults.clear();
  await outbox.deliver();
  assert.ok(standIn.statements.flatMap(({ rows }) => rows).length > 120, "some rows came twice");
  assert.deepEqual(countInserted(standIn), [120, 180n]);
});

function disposable<T extends { shutdown(): Promise<void> }>(server: T): T & AsyncDisposable {
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.shutdown() });
}

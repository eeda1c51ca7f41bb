import assert from "node:assert/strict";
import { createClickHouseStandIn } from "../../lib/sandbox/clickhouse.ts";
import { openClickHouse } from "../proxy/records/stores.ts";

const SCHEMA = await Deno.readTextFile(
  new URL("../../lib/proxy/records/schema.sql", import.meta.url),
);
const AUTHORIZATION = `Basic ${btoa("foyer:secret")}`;
const INSERT =
  "INSERT INTO foyer_usage (request_id, account_id, day, status, cost_nano_usd, input_tokens, at) " +
  "FORMAT JSONEachRow";
const TABLE = "SELECT engine_full, sorting_key FROM system.tables " +
  "WHERE database = currentDatabase() AND name = 'foyer_usage' FORMAT JSON";
const rank = (percent: number) =>
  "if(empty(durations), NULL, toString(durations[greatest(1, intDiv(length(durations) * " +
  `${percent} + 99, 100))]))`;
const QUESTION = `WITH arraySort(groupArray(duration_ms)) AS durations
SELECT
    account_id AS group_key,
    toString(count()) AS requests,
    toString(countIf(ifNull(status, 999) >= 400)) AS failed,
    toString(sum(cost_nano_usd)) AS cost,
    toString(sum(toInt128(ifNull(input_tokens, 0)))) AS inputTokens,
    toString(sum(toInt128(ifNull(output_tokens, 0)))) AS outputTokens,
    ${rank(50)} AS medianMs,
    ${rank(95)} AS p95Ms
FROM foyer_usage FINAL
WHERE day >= {from:Date} AND day <= {to:Date}
GROUP BY group_key WITH TOTALS
FORMAT JSON`;

function setUp(schema: string | null = SCHEMA) {
  const standIn = createClickHouseStandIn({
    user: "foyer",
    password: "secret",
    schemas: schema === null ? [] : [schema],
  });
  const send = (query: Record<string, string>, body: string, authorization = AUTHORIZATION) =>
    standIn.fetch(
      new Request(`http://clickhouse.test/?${new URLSearchParams(query)}`, {
        method: "POST",
        headers: { authorization },
        body,
      }),
    );
  return { standIn, send };
}

/** Asserts that an answer is an error of the server's, with its code in the header and the text. */
async function refused(response: Response, status: number, code: number): Promise<string> {
  assert.equal(response.status, status);
  assert.equal(response.headers.get("X-ClickHouse-Exception-Code"), String(code));
  const text = await response.text();
  assert.match(
    text,
    new RegExp(`^Code: ${code}\\. DB::Exception: .* \\([A-Z_]+\\) \\(version .*\\)`, "s"),
  );
  return text;
}

Deno.test("/ping answers without credentials, and everything else wants them", async () => {
  const { standIn, send } = setUp();
  const ping = await standIn.fetch(new Request("http://clickhouse.test/ping"));
  assert.equal(await ping.text(), "Ok.\n");
  assert.equal(ping.headers.get("X-Sandbox"), "foyer");
  assert.equal(await (await send({}, "SELECT 1")).text(), "1\n");
  await refused(await send({}, "SELECT 1", "Basic bm8="), 403, 516);
});

Deno.test("the table is made once, and nothing can be done before", async () => {
  const { send } = setUp(null);
  await refused(await send({ query: INSERT }, ""), 404, 60);
  assert.equal(await (await send({}, SCHEMA)).text(), "");
  assert.equal((await send({}, SCHEMA)).status, 200);
  assert.equal((await send({ query: INSERT }, "")).status, 200);
});

Deno.test("a statement that is not Foyer's is a syntax error", async () => {
  const { send } = setUp();
  for (const sql of ["SELECT 2", "DROP TABLE foyer_usage", "select 1", `${INSERT} `.slice(0, -8)]) {
    await refused(await send({}, sql), 400, 62);
  }
});

/** A stand-in, or the real server at ANALYTICS_TEST_URL, which the stand-in must resemble. */
async function openServer(schema: string | null = SCHEMA) {
  const database = await openClickHouse();
  if (schema !== null) await database.send({ sql: schema });
  const { url, user, password, fetch } = database.options;
  const authorization = `Basic ${new TextEncoder().encode(`${user}:${password}`).toBase64()}`;
  const send = (query: Record<string, string>, body: string) =>
    fetch(`${url}/?${new URLSearchParams(query)}`, {
      method: "POST",
      headers: { authorization },
      body,
    });
  const count = async (by: string) => {
    const asked = { param_from: "1970-01-01", param_to: "2149-06-06" };
    return (await (await send(asked, question(by))).json()).data;
  };
  return { ...database, send, count };
}

/** The counted values of the columns of one row, inserted alone. */
async function inserted(line: string) {
  await using server = await openServer();
  const response = await server.send({ query: INSERT }, `${line}\n`);
  assert.equal(response.status, 200, `${line} ${await response.text()}`);
  const count = async (by: string) => {
    const [group, ...others] = await server.count(by);
    assert.deepEqual(others, []);
    return group;
  };
  const { requests, failed, cost, inputTokens, group_key: account } = await count("account_id");
  const { group_key: day } = await count("toString(day)");
  const { group_key: status } = await count("toString(status)");
  return { requests, failed, cost, input: inputTokens, account, day, status };
}

/** Foyer's own query, grouped by an expression. */
function question(by: string): string {
  return QUESTION.replace("account_id AS group_key", `${by} AS group_key`);
}

Deno.test("input that the real server accepts is accepted alike: fields, ranges, nulls, days, types", async () => {
  const cases: [line: string, expected: Partial<Awaited<ReturnType<typeof inserted>>>][] = [
    ['{"account_id":"a","unknown":{"deep":[1,"}"]}}', { account: "a", requests: "1" }],
    ['{"status":70000}', { status: "4464" }],
    ['{"status":"70000"}', { status: "4464" }],
    ['{"status":true}', { status: "1" }],
    ['{"status":"007"}', { status: "7" }],
    ['{"status":null}', { status: null, failed: "1" }],
    ['{"status":""}', { status: "0" }],
    ['{"cost_nano_usd":""}', { cost: "0" }],
    ['{"cost_nano_usd":null}', { cost: "0" }],
    ['{"cost_nano_usd":"+5"}', { cost: "5" }],
    [`{"cost_nano_usd":"${2n ** 100n}"}`, { cost: String(2n ** 100n) }],
    [`{"cost_nano_usd":${2n ** 100n}}`, { cost: String(2n ** 100n) }],
    [`{"cost_nano_usd":"${2n ** 127n}"}`, { cost: String(-(2n ** 127n)) }],
    [`{"input_tokens":${2n ** 64n + 1n}}`, { input: "1" }],
    ['{"account_id":null}', { account: "" }],
    ['{"account_id":5}', { account: "5" }],
    ['{"account_id":true}', { account: "true" }],
    ['{"account_id":{"a":1}}', { account: '{"a":1}' }],
    ['{"account_id":[1]}', { account: "[1]" }],
    ['{"day":"2026-02-31"}', { day: "2026-03-03" }],
    ['{"day":"2026-13-01"}', { day: "1970-01-01" }],
    ['{"day":"2026-02-32"}', { day: "1970-01-01" }],
    ['{"day":"1900-01-01"}', { day: "1970-01-01" }],
    ['{"day":"2200-01-01"}', { day: "2149-06-06" }],
    ['{"day":20000}', { day: "2024-10-04" }],
    ['{"at":"2026-11-21T12:00:00.123Z"}', {}],
    ['{"at":"2026-11-21 12:00"}', {}],
    ['{"at":1795262400123}', {}],
    ["{}", { account: "", day: "1970-01-01", status: null, cost: "0" }],
  ];
  for (const [line, expected] of cases) {
    const found = await inserted(line);
    assert.deepEqual({ ...found, ...expected }, found, line);
  }
});

Deno.test("objects need no lines of their own", async () => {
  await using server = await openServer();
  const { send } = server;
  const day = "2026-11-21";
  const [a, b, c] = ["a", "b", "c"].map((id) => JSON.stringify({ request_id: id, day }));
  assert.equal((await send({ query: INSERT }, `\n${a} ${b},${c}\n\n`)).status, 200);
  assert.equal((await server.count("toString(day)"))[0].requests, "3");
});

Deno.test("input that the real server cannot read is refused with its code, and no row of it is kept", async () => {
  await using server = await openServer();
  const { send } = server;
  const cases: [line: string, code: number][] = [
    ['{"day":"yesterday"}', 38],
    ['{"day":""}', 38],
    ['{"day":"2026-11-21T12:00:00Z"}', 27],
    ['{"at":""}', 41],
    ['{"at":"soon"}', 41],
    ['{"at":"2026-02-31 12:00:00.000"}', 41],
    ['{"status":-1}', 72],
    ['{"status":1.5}', 27],
    ['{"status":"abc"}', 27],
    ['{"status":{"a":1}}', 27],
    ['{"cost_nano_usd":"1e9"}', 27],
    ['{"cost_nano_usd":1e30}', 27],
    ['{"cost_nano_usd":" 5"}', 27],
    ['{"request_id":"\\ud83d"}', 25],
    ['{"request_id":"a","request_id":"b"}', 117],
    ['{"request_id":"x"', 33],
    ["not json", 27],
    ["[1]", 27],
  ];
  for (const [line, code] of cases) {
    await refused(await send({ query: INSERT }, `{"day":"2026-11-21"}\n${line}\n`), 400, code);
  }
  assert.deepEqual(await server.count("account_id"), []);
  const columns = INSERT.replace("status", "statuses");
  await refused(await send({ query: columns }, "{}"), 404, 16);
});

Deno.test("an insert may reach a hundred months, and no more", async () => {
  await using server = await openServer();
  const { send } = server;
  const months = Array.from(
    { length: 101 },
    (_, month) =>
      JSON.stringify({ day: new Date(Date.UTC(2020, month)).toISOString().slice(0, 10) }),
  );
  await refused(await send({ query: INSERT }, months.join("\n")), 500, 252);
  assert.deepEqual(await server.count("account_id"), []);
  assert.equal((await send({ query: INSERT }, months.slice(1).join("\n"))).status, 200);
  assert.equal((await server.count("account_id"))[0].requests, "100");
});

Deno.test("an invalid day in a question is refused or read as another, as by the real server", async () => {
  await using server = await openServer();
  const { send } = server;
  const ask = (from: string) => send({ param_from: from, param_to: "2026-12-31" }, QUESTION);
  for (const day of ["yesterday", "", "2026"]) await refused(await ask(day), 400, 38);
  await refused(await ask("2026-11-21x"), 400, 457);
  await refused(await send({ param_from: "2026-01-01" }, QUESTION), 400, 456);
  await send({ query: INSERT }, '{"day":"2026-03-02"}');
  assert.equal((await (await ask("2026-02-30")).json()).rows, 1);
  assert.equal((await (await ask("2026-02-31")).json()).rows, 0);
});

Deno.test("a question about a table that is missing is quoted, and one of another engine is refused", async () => {
  const asked = { param_from: "2026-01-01", param_to: "2026-12-31" };
  await using server = await openServer(null);
  const { send } = server;
  const text = await refused(await send(asked, QUESTION), 404, 60);
  assert.match(
    text,
    /'foyer_usage' in scope WITH arraySort[^]*GROUP BY group_key[^]*\(UNKNOWN_TABLE\)/,
  );
  await send({}, SCHEMA.replace("ReplacingMergeTree(version)", "MergeTree"));
  await refused(await send(asked, QUESTION), 500, 181);
});

Deno.test("a failure in the middle of a response is at its end, unless the caller waits for all of it", async () => {
  const { standIn, send } = setUp();
  const asked = { param_from: "2026-01-01", param_to: "2026-12-31" };
  standIn.faults.push({ kind: "late" }, { kind: "late" });
  const late = await send(asked, QUESTION);
  assert.equal(late.status, 200);
  assert.equal(late.headers.get("X-ClickHouse-Exception-Code"), null);
  assert.match(await late.text(), /^\{"data":.*Code: 159\. DB::Exception: .*\(TIMEOUT_EXCEEDED\)/);
  await refused(await send({ ...asked, wait_end_of_query: "1" }, QUESTION), 500, 159);
});

Deno.test("a TTL is shown until it is removed, and there must be one to remove", async () => {
  await using server = await openServer();
  const { send } = server;
  const shown = async () => (await (await send({}, TABLE)).json()).data[0];
  const engine = "ReplacingMergeTree(version) PARTITION BY toYYYYMM(day) " +
    "ORDER BY (day, account_id, request_id)";
  const end = "SETTINGS index_granularity = 8192";
  const sorting_key = "day, account_id, request_id";
  await refused(await send({}, "ALTER TABLE foyer_usage REMOVE TTL"), 400, 36);
  assert.deepEqual(await shown(), { engine_full: `${engine} ${end}`, sorting_key });
  await send({}, "ALTER TABLE foyer_usage MODIFY TTL day + toIntervalDay(9)");
  const engine_full = `${engine} TTL day + toIntervalDay(9) ${end}`;
  assert.deepEqual(await shown(), { engine_full, sorting_key });
  assert.equal(await (await send({}, "ALTER TABLE foyer_usage REMOVE TTL")).text(), "");
  assert.deepEqual(await shown(), { engine_full: `${engine} ${end}`, sorting_key });
});

Deno.test("faults are planned as JSON, occur once, and affect only their requests", async () => {
  const { standIn, send } = setUp();
  const order = (body: unknown) =>
    standIn.fetch(
      new Request("http://clickhouse.test/sandbox/faults", {
        method: "POST",
        body: JSON.stringify(body),
      }),
    );
  assert.equal((await order({ kind: "nonsense" })).status, 400);
  assert.equal((await order({ kind: "exception", code: 242, target: "insert" })).status, 201);
  assert.equal((await send({}, "SELECT 1")).status, 200);
  await refused(await send({ query: INSERT }, ""), 500, 242);
  assert.equal((await send({ query: INSERT }, "")).status, 200);
});

Deno.test("an insert can be kept without an answer, or by half", async () => {
  const { standIn, send } = setUp();
  const lines = (count: number) =>
    Array.from(
      { length: count },
      (_, index) => `${JSON.stringify({ request_id: `r${index}`, day: "2026-11-21" })}\n`,
    ).join("");
  standIn.faults.push({ kind: "drop" });
  await assert.rejects((await send({ query: INSERT }, lines(3))).text());
  assert.equal(standIn.size, 3);
  standIn.faults.push({ kind: "partial" });
  await refused(await send({ query: INSERT }, lines(10)), 500, 241);
  assert.equal(standIn.size, 6);
});

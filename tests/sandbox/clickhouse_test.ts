import assert from "node:assert/strict";
import { createClickHouseStandIn } from "../../lib/sandbox/clickhouse.ts";

const SCHEMA = await Deno.readTextFile(
  new URL("../../lib/analytics/schema.sql", import.meta.url),
);
const AUTHORIZATION = `Basic ${btoa("foyer:secret")}`;
const INSERT = "INSERT INTO foyer_usage (request_id, account_id, day, status, cost_nano_usd) " +
  "FORMAT JSONEachRow";

function setUp(schema: string | null = SCHEMA) {
  const standIn = createClickHouseStandIn({
    user: "foyer",
    password: "secret",
    ...(schema === null ? {} : { schema }),
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
    new RegExp(`^Code: ${code}\\. DB::Exception: .* \\([A-Z_]+\\) \\(version .*\\)`),
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

Deno.test("rows whose values are not of their column's type are refused, all of them", async () => {
  const { standIn, send } = setUp();
  const good = { request_id: "r", account_id: "a", day: "2026-11-21", status: 200 };
  const bad = [
    '{"request_id":5}',
    '{"day":"yesterday"}',
    '{"status":70000}',
    '{"status":-1}',
    '{"status":1.5}',
    '{"account_id":null}',
    '{"cost_nano_usd":"1e9"}',
    '{"request_id":"\\ud83d"}',
    '{"unknown":1}',
    "not json",
  ];
  for (const line of bad) {
    const response = await send({ query: INSERT }, `${JSON.stringify(good)}\n${line}\n`);
    assert.equal(response.status, 400, line);
    await response.body?.cancel();
  }
  assert.equal(standIn.size, 0);
  const fine = { ...good, status: null, cost_nano_usd: String(2n ** 100n) };
  assert.equal((await send({ query: INSERT }, `${JSON.stringify(fine)}\n`)).status, 200);
  assert.deepEqual([standIn.size, standIn.received], [1, 1]);
});

Deno.test("faults are ordered as JSON, come once, and hit what they are meant for", async () => {
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

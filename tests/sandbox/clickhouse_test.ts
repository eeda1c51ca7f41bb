/** The stand-in for ClickHouse: it records statements, answers as it was told, and fails as the server does. */

import assert from "node:assert/strict";
import { createClickHouseStandIn } from "../../lib/sandbox/clickhouse.ts";

const AUTHORIZATION = `Basic ${btoa("foyer:secret")}`;
const INSERT = "INSERT INTO foyer_usage (request_id) FORMAT JSONEachRow";

function setUp() {
  const standIn = createClickHouseStandIn({ user: "foyer", password: "secret" });
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
async function refused(response: Response, status: number, code: number): Promise<void> {
  assert.equal(response.status, status);
  assert.equal(response.headers.get("X-ClickHouse-Exception-Code"), String(code));
  assert.match(
    await response.text(),
    new RegExp(`^Code: ${code}\\. DB::Exception: .* \\([A-Z_]+\\) \\(version .*\\)`, "s"),
  );
}

Deno.test("/ping answers without credentials, and everything else wants them", async () => {
  const { standIn, send } = setUp();
  const ping = await standIn.fetch(new Request("http://clickhouse.test/ping"));
  assert.equal(await ping.text(), "Ok.\n");
  assert.equal(ping.headers.get("X-Sandbox"), "foyer");
  assert.equal(await (await send({}, "SELECT 1")).text(), "1\n");
  await refused(await send({}, "SELECT 1", "Basic bm8="), 403, 516);
});

Deno.test("statements are recorded with their parameters and rows", async () => {
  const { standIn, send } = setUp();
  await send({ query: INSERT, async_insert: "0" }, '{"request_id":"a"}\n{"request_id":"b"}\n');
  await send({ param_day: "2026-11-21" }, "-- why\nSELECT  day\nFROM x FORMAT JSON");
  const [insert, question] = standIn.statements;
  assert.deepEqual(insert?.rows, [{ request_id: "a" }, { request_id: "b" }]);
  assert.equal(insert?.parameters.async_insert, "0");
  assert.equal(question?.sql, "SELECT day FROM x FORMAT JSON");
  assert.equal(question?.parameters.param_day, "2026-11-21");
});

Deno.test("a question gets the rows prepared for it, and otherwise none", async () => {
  const { standIn, send } = setUp();
  standIn.prepare("FROM x", { data: [{ a: 1 }], totals: { a: 1 } });
  const ask = async (sql: string) => await (await send({}, sql)).json();
  assert.deepEqual(await ask("SELECT a FROM x FORMAT JSON"), {
    data: [{ a: 1 }],
    totals: { a: 1 },
    rows: 1,
  });
  assert.deepEqual(await ask("SELECT a FROM y FORMAT JSON"), { data: [], rows: 0 });
  standIn.prepare("FROM x", { data: [] });
  assert.deepEqual(await ask("SELECT a FROM x FORMAT JSON"), { data: [], rows: 0 });
  assert.equal(await (await send({}, "CREATE TABLE x")).text(), "");
});

Deno.test("faults: an error, half an insert, half an answer, and an error after half of it", async () => {
  const { standIn, send } = setUp();
  standIn.faults.push({ kind: "exception", code: 60, status: 404 });
  await refused(await send({}, "SELECT 1"), 404, 60);
  assert.equal(standIn.statements.length, 0);
  standIn.faults.push({ kind: "partial", target: "insert" });
  await refused(
    await send({ query: INSERT }, '{"request_id":"a"}\n{"request_id":"b"}\n'),
    500,
    241,
  );
  assert.equal(standIn.statements[0]?.rows.length, 2);
  standIn.faults.push({ kind: "truncated" });
  assert.equal(await (await send({}, "SELECT a FORMAT JSON")).text(), '{"data":[]');
  standIn.faults.push({ kind: "late" });
  const late = await send({}, "SELECT 1");
  assert.equal(late.status, 200);
  assert.match(await late.text(), /^1Code: 159\./);
  standIn.faults.push({ kind: "late" });
  await refused(await send({ wait_end_of_query: "1" }, "SELECT 1"), 500, 159);
});

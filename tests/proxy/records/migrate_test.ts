/** Whether an existing table is the one that the service needs. */

import assert from "node:assert/strict";
import { createClickHouseStore } from "../../../lib/proxy/records/clickhouse.ts";
import type { ClickHouseOptions } from "../../../lib/proxy/records/clickhouse_http.ts";
import { migrate } from "../../../lib/proxy/records/migrate.ts";
import { StoreError } from "../../../lib/proxy/records/store.ts";
import { openClickHouse, page, record, refusal, REFUSALS_SCHEMA, SCHEMA, TODAY } from "./stores.ts";

/** The reason for which an existing table is refused. */
async function refusalOf(options: ClickHouseOptions): Promise<string> {
  const error = await migrate(options).then(() => null, (thrown: unknown) => thrown);
  assert.ok(error instanceof StoreError, String(error));
  return error.message;
}

Deno.test("migrate creates the tables once, and a store without it names the command", async () => {
  await using database = await openClickHouse();
  const { options } = database;
  const store = createClickHouseStore(options);
  const question = { from: TODAY, to: TODAY, accountId: null, by: "account" as const };
  await assert.rejects(store.query(question), {
    message: /^ClickHouse .* 404: Code: 60\. .*\(UNKNOWN_TABLE\); `deno task analytics migrate` /,
  });
  await assert.rejects(store.insert([page([record()])]), {
    message: /^ClickHouse .* 404: Code: 60\. .*\(UNKNOWN_TABLE\).*; `deno task analytics migrate` /,
  });
  await store.applyRetention([]);
  assert.deepEqual(await migrate(options), ["foyer_usage", "foyer_refusals"]);
  assert.deepEqual(await migrate(options), []);
  await store.insert([page([record()])]);
  assert.equal((await store.query(question)).total.requests, 1);
});

Deno.test("a table of an earlier version stays as it is, and works until and after the migration", async () => {
  await using database = await openClickHouse();
  await database.send({ sql: SCHEMA });
  const store = createClickHouseStore(database.options);
  const question = { from: TODAY, to: TODAY, accountId: null, by: "account" as const };
  await store.insert([page([record()])]);
  await assert.rejects(store.insertRefusals([refusal()]), {
    message: /^ClickHouse .*\(UNKNOWN_TABLE\).*; `deno task analytics migrate` creates it$/,
  });
  await assert.rejects(store.countRefusals(question), StoreError);
  assert.deepEqual(await migrate(database.options), ["foyer_refusals"]);
  await store.insert([page([record()])]);
  assert.equal((await store.query(question)).total.requests, 2);
  await store.insertRefusals([refusal()]);
  assert.deepEqual(await migrate(database.options), []);
});

Deno.test("a second table in another form is refused, and nothing is created beside it", async () => {
  await using database = await openClickHouse();
  const { options, send } = database;
  await send({
    sql: REFUSALS_SCHEMA.replace("requests UInt64", "requests UInt16")
      .replace("ENGINE = MergeTree", "ENGINE = ReplacingMergeTree")
      .replace("ORDER BY (account_id, day)", "ORDER BY (day, account_id)"),
  });
  assert.match(
    await refusalOf(options),
    /^The table foyer_refusals .*: requests is UInt16, not UInt64; its engine is R.*, not MergeTree; its sorting key is day, a/,
  );
  await assert.rejects(createClickHouseStore(options).insert([page([record()])]), StoreError);
});

const TABLES: [name: string, change: (schema: string) => string, expected: RegExp | null][] = [
  [
    "a column of another type",
    (schema) => schema.replace("Int128", "Float64"),
    /: cost_nano_usd is Float64, not Int128\. /,
  ],
  [
    "a column that may be null",
    (schema) =>
      schema.replace("version UInt64", "version Nullable(UInt64)").replace("(version)", "()"),
    /: version is Nullable\(UInt64\), not UInt64; its engine is ReplacingMergeTree, not R/,
  ],
  [
    "columns that are missing",
    (schema) => schema.replace(/ +key_id String,\n/, "").replace(/ +duration_ms .*\n/, ""),
    /: key_id is missing; duration_ms is missing\. Rename it, or give ANALYTICS_USER another /,
  ],
  [
    "another engine",
    (schema) => schema.replace("ReplacingMergeTree(version)", "MergeTree"),
    /: its engine is MergeTree, not ReplacingMergeTree\(version\)\. /,
  ],
  [
    "no version",
    (schema) => schema.replace("ReplacingMergeTree(version)", "ReplacingMergeTree"),
    /: its engine is ReplacingMergeTree, not ReplacingMergeTree\(version\)\. /,
  ],
  [
    "another sorting key",
    (schema) =>
      schema.replace("ORDER BY (day, account_id, request_id)", "ORDER BY (day, request_id)"),
    /: its sorting key is day, request_id, not day, account_id, request_id\. Rename it, /,
  ],
  [
    "everything at once",
    (schema) =>
      schema.replace("Int128", "Float64").replace("ReplacingMergeTree(version)", "MergeTree")
        .replace("ORDER BY (day, account_id, request_id)", "ORDER BY day"),
    /: cost_nano_usd is Float64, .*; its engine is MergeTree, .*; its sorting key is day, not day, /,
  ],
  [
    "one column more",
    (schema) => schema.replace("version UInt64", "version UInt64,\n    note String"),
    null,
  ],
  ["other partitions", (schema) => schema.replace("toYYYYMM(day)", "toMonday(day)"), null],
];

for (const [name, change, expected] of TABLES) {
  Deno.test(`a table with ${name} is ${expected === null ? "ours" : "not ours"}`, async () => {
    await using database = await openClickHouse();
    const sql = change(SCHEMA);
    assert.notEqual(sql, SCHEMA);
    await database.send({ sql });
    if (expected === null) assert.deepEqual(await migrate(database.options), ["foyer_refusals"]);
    else assert.match(await refusalOf(database.options), expected);
  });
}

Deno.test("a table with a TTL, or of a cluster, is accepted", async () => {
  await using database = await openClickHouse();
  await migrate(database.options);
  await database.send({ sql: "ALTER TABLE foyer_usage MODIFY TTL day + toIntervalDay(92)" });
  assert.deepEqual(await migrate(database.options), []);
  for (
    const engine of [
      "SharedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)",
      "ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}', '{replica}', version)",
    ]
  ) {
    const fetch: ClickHouseOptions["fetch"] = async (input, init) => {
      const answer = await database.options.fetch(input, init);
      const text = await answer.text();
      const replaced = text.replace("ReplacingMergeTree(version)", engine)
        .replace(
          '"MergeTree PARTITION',
          `"${engine.replace("Replacing", "").replace(", version", "")} PARTITION`,
        );
      return new Response(replaced, answer);
    };
    assert.deepEqual(await migrate({ ...database.options, fetch }), [], engine);
  }
});

/** Whether an existing table is the one that the service needs. */

import assert from "node:assert/strict";
import {
  ClickHouseError,
  type ClickHouseOptions,
} from "../../../lib/proxy/records/clickhouse_http.ts";
import { migrate } from "../../../lib/proxy/records/migrate.ts";
import { createStandIn, SCHEMA } from "./clickhouse.ts";

/** A stand-in that describes the table of a CREATE statement as a server does. */
function serveTable(schema: string) {
  const { standIn, options } = createStandIn();
  const columns = [...schema.matchAll(/^ {4}(\w+) (.+?),?$/gm)];
  const [, engine = ""] = /^ENGINE = (.+)$/m.exec(schema) ?? [];
  const [, sortingKey = ""] = /^ORDER BY \(?(.+?)\)?$/m.exec(schema) ?? [];
  const [, partitions = ""] = /^PARTITION BY (.+)$/m.exec(schema) ?? [];
  const engine_full = `${engine} PARTITION BY ${partitions} ORDER BY (${sortingKey}) ` +
    "TTL day + toIntervalDay(92) SETTINGS index_granularity = 8192";
  standIn.prepare("system.tables", { data: [{ engine_full, sorting_key: sortingKey }] });
  standIn.prepare("system.columns", { data: columns.map(([, name, type]) => ({ name, type })) });
  return { standIn, options };
}

/** The reason for which an existing table is refused. */
async function refusalOf(options: ClickHouseOptions): Promise<string> {
  const error = await migrate(options).then(() => null, (thrown: unknown) => thrown);
  assert.ok(error instanceof ClickHouseError, String(error));
  return error.message;
}

Deno.test("migrate creates a table that is missing, and changes none that exists", async () => {
  const { standIn, options } = createStandIn();
  assert.equal(await migrate(options), true);
  assert.match(standIn.statements.at(-1)?.sql ?? "", /^CREATE TABLE IF NOT EXISTS foyer_usage \(/);
  const existing = serveTable(SCHEMA);
  assert.equal(await migrate(existing.options), false);
  assert.ok(existing.standIn.statements.every(({ sql }) => sql.startsWith("SELECT")));
});

Deno.test("a store without its table names the command that creates it", async () => {
  const { standIn, clickHouse } = createStandIn();
  standIn.faults.push({ kind: "exception", code: 60, status: 404 });
  await assert.rejects(clickHouse.ping(), {
    message: /^ClickHouse .* 404: Code: 60\. .*; `deno task analytics migrate` creates it$/,
  });
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
    /: key_id is missing; duration_ms is missing\. Rename it, or give the user of ANALYTICS_URL another /,
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
  ...["Shared", "Replicated"].map((kind): typeof TABLES[number] => [
    `the engine of a cluster, ${kind}`,
    (schema) =>
      schema.replace(
        "ReplacingMergeTree(version)",
        `${kind}ReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)`,
      ),
    null,
  ]),
  ["other partitions", (schema) => schema.replace("toYYYYMM(day)", "toMonday(day)"), null],
];

for (const [name, change, expected] of TABLES) {
  Deno.test(`a table with ${name} is ${expected === null ? "ours" : "not ours"}`, async () => {
    const schema = change(SCHEMA);
    assert.notEqual(schema, SCHEMA);
    const { options } = serveTable(schema);
    if (expected === null) assert.equal(await migrate(options), false);
    else assert.match(await refusalOf(options), expected);
  });
}

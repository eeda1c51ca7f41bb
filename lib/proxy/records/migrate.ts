/** Creates the tables in ClickHouse, or checks that existing ones have their form. */

import { z } from "zod";
import {
  type ClickHouseOptions,
  createSend,
  describeTable,
  parseAnswer,
  rowsSchema,
  type Send,
  type TableName,
} from "./clickhouse_http.ts";
import { StoreError } from "./store.ts";

/** The tables, and the files with the statements that create them. */
const TABLES: readonly (readonly [TableName, string])[] = [
  ["foyer_usage", "schema.sql"],
  ["foyer_refusals", "refusals_schema.sql"],
];

const columnsSchema = rowsSchema(z.object({ name: z.string(), type: z.string() }));

/**
 * Creates the tables that do not exist. Nothing that exists is changed.
 *
 * @returns the names of the tables that it created.
 * @throws {StoreError} if the server refuses, or if an existing table differs in columns, engine or sorting
 * key; no table is created then. Additional columns are allowed.
 */
export async function migrate(options: ClickHouseOptions): Promise<TableName[]> {
  const send = createSend(options);
  const missing = new Map<TableName, string>();
  for (const [name, file] of TABLES) {
    const schema = await Deno.readTextFile(new URL(file, import.meta.url));
    const table = await describeTable(send, name);
    if (table === undefined) missing.set(name, schema);
    else await check(send, name, schema, table);
  }
  for (const sql of missing.values()) await send({ sql });
  return [...missing.keys()];
}

/** @throws {StoreError} that names every difference. */
async function check(
  send: Send,
  name: TableName,
  schema: string,
  table: { readonly engine_full: string; readonly sorting_key: string },
): Promise<void> {
  const sql = `SELECT name, type
FROM system.columns
WHERE database = currentDatabase() AND table = '${name}'
FORMAT JSON`;
  const { data: columns } = parseAnswer(columnsSchema, await send({ sql }));
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const [, engine] = /^ENGINE = (.+)$/m.exec(schema) ?? [];
  const [, sortingKey] = /^ORDER BY \((.+)\)$/m.exec(schema) ?? [];
  const differences = [
    // A column's name and type, on a line of the statement that creates the table.
    ...schema.matchAll(/^ {4}(\w+) (.+?),?$/gm)
      .flatMap(([, name = "", type]) => compare(name, types.get(name), type)),
    ...compare("its engine", engineOf(table.engine_full), engine),
    ...compare("its sorting key", table.sorting_key, sortingKey),
  ];
  if (differences.length === 0) return;
  throw new StoreError(
    `The table ${name} exists in another form: ${differences.join("; ")}. ` +
      "Rename it, or give ANALYTICS_USER another default database; then run " +
      "`deno task analytics migrate` again.",
  );
}

function compare(what: string, found: string | undefined, expected: string | undefined): string[] {
  if (found === expected) return [];
  return [found === undefined ? `${what} is missing` : `${what} is ${found}, not ${expected}`];
}

/**
 * The engine as our statements write it: without the clauses that follow it, and without the prefix and the paths that
 * ClickHouse Cloud and replicated databases add.
 */
function engineOf(engineFull: string): string {
  const [engine = ""] = engineFull
    .split(/ (?:PARTITION BY|PRIMARY KEY|ORDER BY|SAMPLE BY|TTL|SETTINGS) /);
  return engine.replace(/^(?:Replicated|Shared)/, "")
    .replace(/\('[^']*', '[^']*'(?:, )?/, "(").replace("()", "");
}

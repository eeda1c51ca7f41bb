/** Creates the table in ClickHouse, or checks that an existing one has its form. */

import { z } from "zod";
import {
  ClickHouseError,
  type ClickHouseOptions,
  createSend,
  parseAnswer,
  rowsSchema,
  type Send,
  TABLE,
} from "./clickhouse_http.ts";

const tableSchema = rowsSchema(z.object({ engine_full: z.string(), sorting_key: z.string() }));
const columnsSchema = rowsSchema(z.object({ name: z.string(), type: z.string() }));

/**
 * Creates the table, unless it exists. Nothing that exists is changed.
 *
 * @returns whether it was created.
 * @throws {ClickHouseError} if the server refuses, or if an existing table differs in columns, engine or sorting key.
 * Additional columns are allowed.
 */
export async function migrate(options: ClickHouseOptions): Promise<boolean> {
  const send = createSend(options);
  const schema = await Deno.readTextFile(new URL("schema.sql", import.meta.url));
  const table = await describeTable(send);
  if (table === undefined) await send({ sql: schema });
  else await check(send, schema, table);
  return table === undefined;
}

/** How the server describes the table; undefined if there is none. */
async function describeTable(send: Send) {
  const sql = `SELECT engine_full, sorting_key
FROM system.tables
WHERE database = currentDatabase() AND name = '${TABLE}'
FORMAT JSON`;
  return parseAnswer(tableSchema, await send({ sql })).data[0];
}

/** @throws {ClickHouseError} that names every difference. */
async function check(
  send: Send,
  schema: string,
  table: { readonly engine_full: string; readonly sorting_key: string },
): Promise<void> {
  const sql = `SELECT name, type
FROM system.columns
WHERE database = currentDatabase() AND table = '${TABLE}'
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
  throw new ClickHouseError(
    `The table ${TABLE} exists in another form: ${differences.join("; ")}. ` +
      "Rename it, or give the user of ANALYTICS_URL another default database; then run " +
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

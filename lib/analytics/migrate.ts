/** Creates the tables in ClickHouse, or checks that existing ones have their form. */

import { z } from "zod";
import { describeTable, parseAnswer, type TableName } from "./clickhouse_answer.ts";
import { type ClickHouseOptions, createSend, type Send } from "./clickhouse_http.ts";
import { StoreError } from "./store.ts";

/** The required form of a table. */
interface TableForm {
  readonly name: TableName;
  /** The file with the statement that creates it. */
  readonly schema: string;
  readonly engine: string;
  /** The engine as servers write it. ClickHouse Cloud and replicated databases add a prefix, and paths. */
  readonly enginePattern: RegExp;
  readonly sortingKey: string;
}

const PATHS = "'[^']*', '[^']*'";
const TABLES: readonly TableForm[] = [
  {
    name: "foyer_usage",
    schema: "schema.sql",
    engine: "ReplacingMergeTree(version)",
    enginePattern: new RegExp(
      `^(?:Replicated|Shared)?ReplacingMergeTree\\((?:${PATHS}, )?version\\)`,
    ),
    sortingKey: "day, account_id, request_id",
  },
  {
    name: "foyer_refusals",
    schema: "refusals_schema.sql",
    engine: "MergeTree",
    enginePattern: new RegExp(`^(?:Replicated|Shared)?MergeTree(?:\\((?:${PATHS})?\\))?(?: |$)`),
    sortingKey: "account_id, day",
  },
];

const columnsSchema = z.object({
  data: z.array(z.object({ name: z.string(), type: z.string() })),
});

/**
 * Creates the tables that do not exist. Nothing that exists is changed.
 *
 * @returns the names of the tables that it created.
 * @throws {StoreError} if the server refuses, or if an existing table differs in columns, engine or sorting
 * key; no table is created then. Additional columns are allowed.
 */
export async function migrate(options: ClickHouseOptions): Promise<TableName[]> {
  const send = createSend(options);
  const missing: { readonly name: TableName; readonly schema: string }[] = [];
  for (const form of TABLES) {
    const { name } = form;
    const schema = await Deno.readTextFile(new URL(form.schema, import.meta.url));
    const table = await describeTable(send, name);
    if (table === undefined) missing.push({ name, schema });
    else await check(send, form, schema, table);
  }
  for (const { schema } of missing) await send({ sql: schema });
  return missing.map(({ name }) => name);
}

/** @throws {StoreError} that names every difference. */
async function check(
  send: Send,
  { name, engine, enginePattern, sortingKey }: TableForm,
  schema: string,
  table: { readonly engine_full: string; readonly sorting_key: string },
): Promise<void> {
  const sql = `SELECT name, type
FROM system.columns
WHERE database = currentDatabase() AND table = '${name}'
FORMAT JSON`;
  const { data: columns } = parseAnswer(columnsSchema, await send({ sql }));
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const differences = [
    // A column's name and type, on a line of the statement that creates the table.
    ...schema.matchAll(/^ {4}(\w+) (.+?),?$/gm)
      .flatMap(([, name = "", type = ""]) => compare(name, types.get(name), type)),
    ...(enginePattern.test(table.engine_full)
      ? []
      : compare("its engine", engineOf(table.engine_full), engine)),
    ...compare("its sorting key", table.sorting_key, sortingKey),
  ];
  if (differences.length === 0) return;
  throw new StoreError(
    `The table ${name} exists in another form: ${differences.join("; ")}. ` +
      "Rename it, or give ANALYTICS_USER another default database; then run " +
      "`deno task analytics migrate` again.",
  );
}

function compare(what: string, found: string | undefined, expected: string): string[] {
  if (found === expected) return [];
  return [found === undefined ? `${what} is missing` : `${what} is ${found}, not ${expected}`];
}

/** The engine without the clauses that follow it. */
function engineOf(engineFull: string): string {
  return /^.*?(?= (?:PARTITION BY|PRIMARY KEY|ORDER BY|SAMPLE BY|TTL|SETTINGS) |$)/s
    .exec(engineFull)?.[0] ?? engineFull;
}

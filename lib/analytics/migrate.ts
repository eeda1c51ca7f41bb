/** Creates the table of `schema.sql`, or checks that an existing one has its form. */

import { z } from "zod";
import { describeTable, parseAnswer } from "./clickhouse.ts";
import { type ClickHouseOptions, createSend } from "./clickhouse_http.ts";
import { StoreError } from "./store.ts";

const COLUMN_TYPES = `SELECT name, type
FROM system.columns
WHERE database = currentDatabase() AND table = 'foyer_usage'
FORMAT JSON`;

const columnsSchema = z.object({
  data: z.array(z.object({ name: z.string(), type: z.string() })),
});

/** ClickHouse Cloud and replicated databases add a prefix, and paths before the version. */
const ENGINE = /^(?:Replicated|Shared)?ReplacingMergeTree\((?:'[^']*', '[^']*', )?version\)/;
const SORTING_KEY = "day, account_id, request_id";

/**
 * Creates the table unless it exists. Nothing that exists is changed.
 *
 * @throws {StoreError} if the server refuses, or if an existing table differs in columns, engine or sorting
 * key. Additional columns are allowed.
 */
export async function migrate(options: ClickHouseOptions): Promise<"created" | "unchanged"> {
  const send = createSend(options);
  const schema = await Deno.readTextFile(new URL("./schema.sql", import.meta.url));
  const table = await describeTable(send);
  if (table === undefined) {
    await send({ sql: schema });
    return "created";
  }
  const { data: columns } = parseAnswer(columnsSchema, await send({ sql: COLUMN_TYPES }));
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const differences = [
    // A column's name and type, on a line of the statement that creates the table.
    ...schema.matchAll(/^ {4}(\w+) (.+?),?$/gm)
      .flatMap(([, name = "", type = ""]) => compare(name, types.get(name), type)),
    ...(ENGINE.test(table.engine_full)
      ? []
      : compare("its engine", engineOf(table.engine_full), "ReplacingMergeTree(version)")),
    ...compare("its sorting key", table.sorting_key, SORTING_KEY),
  ];
  if (differences.length === 0) return "unchanged";
  throw new StoreError(
    `The table foyer_usage exists in another form: ${differences.join("; ")}. ` +
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

/** The responses of ClickHouse, the insertion of rows, and the notation of values in its statements. */

import { z } from "zod";
import { parseJson } from "../json.ts";
import type { Send } from "./clickhouse_http.ts";
import { StoreError } from "./store.ts";

/** A table of this service; `schema.sql` and `refusals_schema.sql` create them. */
export type TableName = "foyer_usage" | "foyer_refusals";

const tableSchema = z.object({
  data: z.array(z.object({ engine_full: z.string(), sorting_key: z.string() })),
});

/** How the server describes a table; undefined if there is none. */
export async function describeTable(send: Send, name: TableName) {
  const sql = `SELECT engine_full, sorting_key
FROM system.tables
WHERE database = currentDatabase() AND name = '${name}'
FORMAT JSON`;
  return parseAnswer(tableSchema, await send({ sql })).data[0];
}

/** Checks the text of a response: any web server may respond with 200. @throws {StoreError} for another text. */
export function expect(answer: string, text: string): void {
  if (text.trim() === answer) return;
  throw new StoreError(
    "The response does not come from ClickHouse: is ANALYTICS_URL its address?",
  );
}

/** Inserts rows with the same columns; without a row, nothing is sent. @throws {StoreError} */
export async function insertRows(
  send: Send,
  table: TableName,
  rows: readonly object[],
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const sql = `INSERT INTO ${table} (${Object.keys(first).join(", ")}) FORMAT JSONEachRow`;
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
  expect("", await send({ sql, settings, rows: lines.join("") }));
}

/** Parses a response. @throws {StoreError} if it does not match the schema. */
export function parseAnswer<T extends z.ZodType>(schema: T, text: string): z.output<T> {
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new StoreError("ClickHouse gave a response that cannot be read", { cause: parsed.error });
}

/** A moment as `2026-11-21 12:00:00.000`, which ClickHouse reads with any settings. */
export function toMoment(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString().replace("T", " ").replace("Z", "");
}

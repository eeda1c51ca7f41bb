/** Makes the table of `schema.sql`, and tells whether one that exists is ours. */

import { z } from "zod";
import { COLUMNS } from "./clickhouse.ts";
import { type ClickHouseOptions, createSend } from "./clickhouse_http.ts";
import { StoreError } from "./store.ts";

const DESCRIBE = `SELECT name
FROM system.columns
WHERE database = currentDatabase() AND table = 'foyer_usage'
FORMAT JSON`;

const namesSchema = z.object({ data: z.array(z.object({ name: z.string() })) });

/** What a migration found and did. */
export type Migration = "created" | "unchanged";

/**
 * Makes the table unless it is there. Nothing that exists is changed.
 *
 * @throws {StoreError} if the server refuses, or if the table is there and lacks columns.
 */
export async function migrate(options: ClickHouseOptions): Promise<Migration> {
  const send = createSend(options);
  const before = readNames(await send({ sql: DESCRIBE }));
  if (before.length > 0) {
    const missing = COLUMNS.filter((column) => !before.includes(column));
    if (missing.length === 0) return "unchanged";
    throw new StoreError(
      `the table foyer_usage is there, but not ours: it lacks ${missing.join(", ")}; ` +
        "rename it, or give ANALYTICS_USER another default database",
    );
  }
  await send({ sql: await Deno.readTextFile(new URL("./schema.sql", import.meta.url)) });
  return "created";
}

function readNames(text: string): string[] {
  try {
    return namesSchema.parse(JSON.parse(text)).data.map(({ name }) => name);
  } catch (cause) {
    throw new StoreError("the answer about the table's columns cannot be read", { cause });
  }
}

// The stand-in's table: the row with the highest version replaces the others with the same identity, as
// ReplacingMergeTree keeps it once it has merged; MergeTree keeps every row. A TTL is noted, and removes nothing: merges
// come in their own time.

import { ClickHouseError } from "./clickhouse_errors.ts";
import { parseRows } from "./clickhouse_rows.ts";
import { checkType, readValue, type Value } from "./clickhouse_values.ts";

/** A row by column. */
export type Row = ReadonlyMap<string, Value>;

/** The definition of a table. */
export interface TableDefinition {
  /** Type by name. */
  readonly columns: ReadonlyMap<string, string>;
  readonly engine: string;
  readonly partitionKey: string | null;
  readonly sortingKey: readonly string[];
  readonly ttl: string | null;
}

/** A table. */
export interface Table extends Omit<TableDefinition, "ttl"> {
  /** By identity. */
  readonly rows: Map<string, Row>;
  /** The number of inserted rows. */
  received: number;
  ttl: string | null;
}

const PARTITIONS_PER_INSERT = 100;

/** @throws {ClickHouseError} for a column of a type that the stand-in does not know. */
export function createTable(definition: TableDefinition): Table {
  for (const type of definition.columns.values()) checkType(type);
  return { ...definition, rows: new Map(), received: 0 };
}

/** The table as `system.tables` has it. */
export function describeEngine({ engine, partitionKey, sortingKey, ttl }: Table): string {
  const [first = ""] = sortingKey;
  return [
    engine,
    ...(partitionKey === null ? [] : [`PARTITION BY ${partitionKey}`]),
    `ORDER BY ${sortingKey.length === 1 ? first : `(${sortingKey.join(", ")})`}`,
    ...(ttl === null ? [] : [`TTL ${ttl}`]),
    "SETTINGS index_granularity = 8192",
  ].join(" ");
}

/**
 * Inserts rows in the format JSONEachRow: all of them, or none if one cannot be read. Fields that the statement
 * does not name are left out.
 * @throws {ClickHouseError} for an unknown column, and for a value that cannot be read.
 */
export function insertRows(table: Table, columns: readonly string[], text: string): void {
  const types = columns.map((name): [name: string, type: string] => {
    const type = table.columns.get(name);
    if (type !== undefined) return [name, type];
    const message = `No such column ${name} in the table`;
    throw new ClickHouseError(16, 404, message, "NO_SUCH_COLUMN_IN_TABLE");
  });
  const rows = parseRows(text).map((given) =>
    new Map(types.map(([name, type]) => [name, readValue(given.get(name), type)]))
  );
  const length = table.partitionKey === "day" ? 10 : 7;
  const partitions = new Set(rows.map((row) => String(row.get("day")).slice(0, length)));
  if (table.partitionKey !== null && partitions.size > PARTITIONS_PER_INSERT) {
    const message = "Too many partitions for single INSERT block (more than 100)";
    throw new ClickHouseError(252, 500, message, "TOO_MANY_PARTS");
  }
  for (const row of rows) {
    const identity = table.engine === "MergeTree"
      ? String(table.received)
      : table.sortingKey.map((name) => row.get(name)).join("\n");
    const kept = table.rows.get(identity);
    // The last inserted one of equal versions stays.
    if (kept === undefined || number(row, "version") >= number(kept, "version")) {
      table.rows.set(identity, row);
    }
    table.received++;
  }
}

/** The value of a column that holds whole numbers; NULL counts as 0. */
export function number(row: Row, column: string): bigint {
  const value = row.get(column);
  return typeof value === "bigint" ? value : 0n;
}

// The stand-in's table: values checked against their column's type, and of several rows with one identity the one
// with the highest version, as ReplacingMergeTree keeps it once it has merged.

import { ClickHouseError } from "./clickhouse_errors.ts";

/** A value as it is kept: whole numbers as bigint, dates as text. */
export type Value = string | bigint | null;

/** A row by column. */
export type Row = ReadonlyMap<string, Value>;

/** A table. */
export interface Table {
  /** Type by name. */
  readonly columns: ReadonlyMap<string, string>;
  /** By identity. */
  readonly rows: Map<string, Row>;
  /** Rows that inserts have brought. */
  received: number;
}

const SORTING_KEY = ["day", "account_id", "request_id"];
const RANGES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  UInt16: [0n, 2n ** 16n - 1n],
  UInt64: [0n, 2n ** 64n - 1n],
  Int128: [-(2n ** 127n), 2n ** 127n - 1n],
};

/** @throws {ClickHouseError} for a column of a type that the stand-in does not know. */
export function createTable(columns: ReadonlyMap<string, string>): Table {
  for (const type of columns.values()) readValue(defaultOf(type), type);
  return { columns, rows: new Map(), received: 0 };
}

/**
 * Inserts lines of JSON: all of them, or none if one cannot be read.
 * @throws {ClickHouseError} for a column that is not there, and for a value that is not of its type.
 */
export function insertLines(table: Table, columns: readonly string[], lines: string): void {
  const rows = lines.split("\n").filter((line) => line !== "").map((line) => {
    const given = new Map<string, unknown>(Object.entries(parse(line)));
    for (const name of given.keys()) {
      if (!columns.includes(name)) throw unreadable(117, `Unknown field found: ${name}`);
    }
    return new Map(columns.map((name) => {
      const type = table.columns.get(name);
      if (type === undefined) throw unreadable(16, `No such column ${name} in table foyer_usage`);
      return [name, readValue(given.has(name) ? given.get(name) : defaultOf(type), type)];
    }));
  });
  for (const row of rows) {
    const identity = SORTING_KEY.map((name) => row.get(name)).join("\n");
    const kept = table.rows.get(identity);
    // Of equal versions the one that was inserted last stays.
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

function readValue(given: unknown, type: string): Value {
  const [, outer, inner] = /^(Nullable|LowCardinality)\((.+)\)$/.exec(type) ?? [];
  if (outer === "Nullable" && given === null) return null;
  if (inner !== undefined) return readValue(given, inner);
  const range = RANGES[type];
  if (range !== undefined) {
    const isWhole = typeof given === "number" ? Number.isSafeInteger(given) : isDigits(given);
    const value = isWhole ? BigInt(String(given)) : null;
    if (value !== null && value >= range[0] && value <= range[1]) return value;
  } else if (typeof given === "string") {
    // Half of a surrogate pair is no character, and the server's JSON reader says so.
    if (type === "String" && given.isWellFormed()) return given;
    if (type === "Date" && /^\d{4}-\d\d-\d\d$/.test(given)) return given;
    const isMoment = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/.test(given);
    if (type === "DateTime64(3, 'UTC')" && isMoment) return given;
  }
  throw unreadable(27, `Cannot parse input: expected ${type} before: ${JSON.stringify(given)}`);
}

function isDigits(given: unknown): boolean {
  return typeof given === "string" && /^-?\d+$/.test(given);
}

function defaultOf(type: string): unknown {
  if (type.includes("Nullable")) return null;
  if (type.startsWith("DateTime64")) return "1970-01-01 00:00:00.000";
  if (type === "Date") return "1970-01-01";
  return type.includes("Int") ? 0 : "";
}

function parse(line: string): object {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw unreadable(117, "Cannot parse JSON object here");
}

function unreadable(code: number, message: string): ClickHouseError {
  return new ClickHouseError(code, 400, message, "INCORRECT_DATA");
}

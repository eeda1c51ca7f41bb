// The statements that the stand-in knows, by heart: a statement that differs in a word is refused, so a change of
// Foyer's SQL is seen here before a real server sees it.

import { ClickHouseError } from "./clickhouse_errors.ts";
import type { TableDefinition } from "./clickhouse_table.ts";

/** The stand-in's name of a grouping's expression. */
type GroupKey = "account_id" | "endpoint" | "model" | "day" | "status";

/** The column by which refusals are grouped. */
type RefusalKey = "account_id" | "endpoint" | "day" | "code";

/** A statement that was recognised, and the name of its table. */
export type Recognised =
  | { readonly kind: "one" }
  | { readonly kind: "create"; readonly table: string; readonly definition: TableDefinition }
  | { readonly kind: "columns"; readonly table: string }
  | { readonly kind: "table"; readonly table: string }
  | { readonly kind: "ttl"; readonly table: string; readonly expression: string | null }
  | { readonly kind: "insert"; readonly table: string; readonly columns: readonly string[] }
  | Question<"select", GroupKey>
  | Question<"count", RefusalKey>
  | { readonly kind: "list"; readonly table: string; readonly sql: string };

interface Question<Kind, Key> {
  readonly kind: Kind;
  readonly table: string;
  readonly key: Key;
  readonly hasAccount: boolean;
  readonly sql: string;
}

const KEYS: Readonly<Record<string, GroupKey>> = {
  "account_id": "account_id",
  "endpoint": "endpoint",
  "model": "model",
  "toString(day)": "day",
  "toString(status)": "status",
};

const NAME = "(foyer_usage|foyer_refusals)";
const COLUMNS = new RegExp(
  `^SELECT name, type FROM system\\.columns WHERE database = currentDatabase\\(\\) AND table = '${NAME}' FORMAT JSON$`,
);
const TABLE = new RegExp(
  `^SELECT engine_full(?:, sorting_key)? FROM system\\.tables WHERE database = currentDatabase\\(\\) AND name = '${NAME}' FORMAT JSON$`,
);
const CREATE = new RegExp(
  `^CREATE TABLE IF NOT EXISTS ${NAME} \\( (.*) \\) ENGINE = (\\S+?)(?:\\(\\))?(?: PARTITION BY (\\S+))? ` +
    "ORDER BY \\(?([\\w, ]+?)\\)?(?: TTL (day \\+ toInterval\\w+\\(\\d+\\)))?$",
);
const TTL = new RegExp(
  `^ALTER TABLE ${NAME} (?:REMOVE TTL|MODIFY TTL (day \\+ toInterval\\w+\\(\\d+\\)))$`,
);
const INSERT = new RegExp(`^INSERT INTO ${NAME} \\(([\\w, ]+)\\) FORMAT JSONEachRow$`);

const rank = (percent: number, name: string) =>
  "if(empty(durations), NULL, toString(durations[greatest(1, intDiv(length(durations) * " +
  `${percent} + 99, 100))])) AS ${name}`;
const SELECT_BEFORE_KEY = "WITH arraySort(groupArray(duration_ms)) AS durations SELECT ";
const SELECT_AFTER_KEY = " AS group_key, " + [
  "toString(count()) AS requests",
  "toString(countIf(ifNull(status, 999) >= 400)) AS failed",
  "toString(sum(cost_nano_usd)) AS cost",
  "toString(sum(toInt128(ifNull(input_tokens, 0)))) AS inputTokens",
  "toString(sum(toInt128(ifNull(output_tokens, 0)))) AS outputTokens",
  rank(50, "medianMs"),
  rank(95, "p95Ms"),
].join(", ") + " FROM foyer_usage FINAL WHERE day >= {from:Date} AND day <= {to:Date}";
const SELECT_ACCOUNT = " AND account_id = {account:String}";
const SELECT_END = " GROUP BY group_key WITH TOTALS FORMAT JSON";

const LIST = "SELECT key_id, endpoint, code, reason, field, toString(sum(requests)) AS refused, " +
  "toString(toUnixTimestamp64Milli(min(first_at))) AS firstAt, " +
  "toString(toUnixTimestamp64Milli(max(last_at))) AS lastAt FROM foyer_refusals " +
  "WHERE account_id = {account:String} AND day >= {from:Date} " +
  "GROUP BY key_id, endpoint, code, reason, field, intDiv(toUnixTimestamp64Milli(last_at), 3600000) " +
  "ORDER BY max(last_at) DESC LIMIT 500 FORMAT JSON";
const COUNT_KEYS: Readonly<Record<string, RefusalKey>> = {
  "account_id": "account_id",
  "endpoint": "endpoint",
  "toString(day)": "day",
  "code": "code",
};
const COUNT_AFTER_KEY = " AS group_key, code, reason, toString(sum(requests)) AS refused " +
  "FROM foyer_refusals WHERE day >= {from:Date} AND day <= {to:Date}";
const COUNT_END = " GROUP BY group_key, code, reason FORMAT JSON";

/** @throws {ClickHouseError} a syntax error, for any statement that is not Foyer's. */
export function recognise(sql: string): Recognised {
  const text = sql.replace(/^--.*$/gm, "").replace(/\s+/g, " ").trim();
  if (text === "SELECT 1") return { kind: "one" };
  return recogniseTable(text) ?? recogniseQuestion(text, sql) ?? unknown(text);
}

function recogniseTable(text: string): Recognised | null {
  const [, columnsOf] = COLUMNS.exec(text) ?? [];
  if (columnsOf !== undefined) return { kind: "columns", table: columnsOf };
  const [, described] = TABLE.exec(text) ?? [];
  if (described !== undefined) return { kind: "table", table: described };
  const [, created, definitions = "", engine = "", partitionKey = null, key = "", ttl = null] =
    CREATE.exec(text) ?? [];
  if (created !== undefined) {
    const columns = readColumns(definitions);
    const definition = { columns, engine, partitionKey, sortingKey: key.split(", "), ttl };
    return { kind: "create", table: created, definition };
  }
  const [, altered, expression = null] = TTL.exec(text) ?? [];
  if (altered !== undefined) return { kind: "ttl", table: altered, expression };
  const [, filled, names = ""] = INSERT.exec(text) ?? [];
  return filled === undefined
    ? null
    : { kind: "insert", table: filled, columns: names.split(", ") };
}

function recogniseQuestion(text: string, sql: string): Recognised | null {
  if (text === LIST) return { kind: "list", table: "foyer_refusals", sql };
  for (const hasAccount of [false, true]) {
    const account = hasAccount ? SELECT_ACCOUNT : "";
    for (const [expression, key] of Object.entries(KEYS)) {
      const known = SELECT_BEFORE_KEY + expression + SELECT_AFTER_KEY + account + SELECT_END;
      if (text === known) return { kind: "select", table: "foyer_usage", key, hasAccount, sql };
    }
    for (const [expression, key] of Object.entries(COUNT_KEYS)) {
      const known = `SELECT ${expression}${COUNT_AFTER_KEY}${account}${COUNT_END}`;
      if (text === known) return { kind: "count", table: "foyer_refusals", key, hasAccount, sql };
    }
  }
  return null;
}

function unknown(text: string): never {
  throw new ClickHouseError(
    62,
    400,
    `Syntax error: failed at position 1: ${
      text.slice(0, 80)
    }. The sandbox knows Foyer's statements only.`,
    "SYNTAX_ERROR",
  );
}

function readColumns(definitions: string): ReadonlyMap<string, string> {
  const columns = definitions.split(/, (?=[a-z_]+ [A-Z])/).map((definition) => {
    const [, name = "", type = ""] = /^(\w+) (.+)$/.exec(definition) ?? [];
    return [name, type] as const;
  });
  return new Map(columns);
}

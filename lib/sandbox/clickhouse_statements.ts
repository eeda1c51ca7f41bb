// The statements that the stand-in knows, by heart: a statement that differs in a word is refused, so a change of
// Foyer's SQL is seen here before a real server sees it.

import { ClickHouseError } from "./clickhouse_errors.ts";
import type { TableDefinition } from "./clickhouse_table.ts";

/** The stand-in's name of a grouping's expression. */
type GroupKey = "account_id" | "endpoint" | "model" | "day" | "status";

/** A statement that was recognised. */
export type Recognised =
  | { readonly kind: "one" }
  | { readonly kind: "create"; readonly definition: TableDefinition }
  | { readonly kind: "columns" }
  | { readonly kind: "table" }
  | { readonly kind: "ttl"; readonly expression: string | null }
  | { readonly kind: "insert"; readonly columns: readonly string[] }
  | {
    readonly kind: "select";
    readonly key: GroupKey;
    readonly hasAccount: boolean;
    readonly sql: string;
  };

const KEYS: Readonly<Record<string, GroupKey>> = {
  "account_id": "account_id",
  "endpoint": "endpoint",
  "model": "model",
  "toString(day)": "day",
  "toString(status)": "status",
};

const COLUMNS =
  "SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'foyer_usage' FORMAT JSON";
const TABLE =
  /^SELECT engine_full(?:, sorting_key)? FROM system\.tables WHERE database = currentDatabase\(\) AND name = 'foyer_usage' FORMAT JSON$/;
const CREATE =
  /^CREATE TABLE IF NOT EXISTS foyer_usage \( (.*) \) ENGINE = (\S+?)(?:\(\))?(?: PARTITION BY (\S+))? ORDER BY \(?([\w, ]+?)\)?$/;
const TTL = /^ALTER TABLE foyer_usage (?:REMOVE TTL|MODIFY TTL (day \+ toInterval\w+\(\d+\)))$/;
const INSERT = /^INSERT INTO foyer_usage \(([\w, ]+)\) FORMAT JSONEachRow$/;

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

/** @throws {ClickHouseError} a syntax error, for any statement that is not Foyer's. */
export function recognise(sql: string): Recognised {
  const text = sql.replace(/^--.*$/gm, "").replace(/\s+/g, " ").trim();
  if (text === "SELECT 1") return { kind: "one" };
  if (text === COLUMNS) return { kind: "columns" };
  if (TABLE.test(text)) return { kind: "table" };
  const [, definitions, engine = "", partitionKey = null, key = ""] = CREATE.exec(text) ?? [];
  if (definitions !== undefined) {
    const columns = readColumns(definitions);
    const definition = { columns, engine, partitionKey, sortingKey: key.split(", ") };
    return { kind: "create", definition };
  }
  const ttl = TTL.exec(text);
  if (ttl !== null) return { kind: "ttl", expression: ttl[1] ?? null };
  const [, names] = INSERT.exec(text) ?? [];
  if (names !== undefined) return { kind: "insert", columns: names.split(", ") };
  for (const [expression, key] of Object.entries(KEYS)) {
    const head = SELECT_BEFORE_KEY + expression + SELECT_AFTER_KEY;
    if (text === head + SELECT_END) return { kind: "select", key, hasAccount: false, sql };
    if (text === head + SELECT_ACCOUNT + SELECT_END) {
      return { kind: "select", key, hasAccount: true, sql };
    }
  }
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

// The stand-in's answer to Foyer's question, computed as its SQL says, by sorting and adding.

import { ClickHouseError } from "./clickhouse_errors.ts";
import type { Recognised } from "./clickhouse_statements.ts";
import { number, type Row, type Table } from "./clickhouse_table.ts";
import { readDay } from "./clickhouse_values.ts";

/** @throws {ClickHouseError} if a parameter of the statement is missing, or is not a date. */
export function answerQuestion(
  table: Table,
  { key, hasAccount }: Extract<Recognised, { kind: "select" }>,
  query: URLSearchParams,
): string {
  if (!table.engine.includes("ReplacingMergeTree")) {
    const message = `Storage ${table.engine} doesn't support FINAL`;
    throw new ClickHouseError(181, 500, message, "ILLEGAL_FINAL");
  }
  const from = dateParameter(query, "from");
  const to = dateParameter(query, "to");
  const account = hasAccount ? parameter(query, "account") : null;
  const rows = [...table.rows.values()].filter((row) => {
    const day = String(row.get("day"));
    return day >= from && day <= to && (account === null || row.get("account_id") === account);
  });
  const groups = Map.groupBy(rows, (row) => {
    const value = row.get(key) ?? null;
    return value === null ? null : String(value);
  });
  const data = [...groups].map(([group_key, members]) => ({ group_key, ...figures(members) }));
  return JSON.stringify({
    data,
    totals: { group_key: key === "model" || key === "status" ? null : "", ...figures(rows) },
    rows: data.length,
  });
}

function figures(rows: readonly Row[]) {
  const sum = (column: string) =>
    String(rows.reduce((total, row) => total + number(row, column), 0n));
  const failed = rows.filter((row) => row.get("status") === null || number(row, "status") >= 400n);
  const durations = rows.filter((row) => row.get("duration_ms") !== null)
    .map((row) => Number(number(row, "duration_ms"))).sort((a, b) => a - b);
  const at = (percent: bigint) => {
    const rank = Number((BigInt(durations.length) * percent + 99n) / 100n);
    return durations.length === 0 ? null : String(durations[rank - 1]);
  };
  return {
    requests: String(rows.length),
    failed: String(failed.length),
    cost: sum("cost_nano_usd"),
    inputTokens: sum("input_tokens"),
    outputTokens: sum("output_tokens"),
    medianMs: at(50n),
    p95Ms: at(95n),
  };
}

/** The value of a statement's parameter. @throws {ClickHouseError} if it is missing. */
export function parameter(query: URLSearchParams, name: string): string {
  const value = query.get(`param_${name}`);
  if (value !== null) return unescape(value);
  const message = `Substitution \`${name}\` is not set`;
  throw new ClickHouseError(456, 400, message, "UNKNOWN_QUERY_PARAMETER");
}

/** A day that does not exist is read as another day. @throws {ClickHouseError} if it is missing, or no date. */
export function dateParameter(query: URLSearchParams, name: string): string {
  const value = parameter(query, name);
  const [day, rest = ""] = /^\d{4}-\d\d?-\d\d?/.exec(value) === null
    ? []
    : [value.slice(0, 10), value.slice(10)];
  const problem = `alue ${value} cannot be parsed as Date for query parameter '${name}'`;
  if (day === undefined) {
    const message = `Cannot parse date: value is too short: v${problem}`;
    throw new ClickHouseError(38, 400, message, "CANNOT_PARSE_DATE");
  }
  if (rest !== "") throw new ClickHouseError(457, 400, `V${problem}`, "BAD_QUERY_PARAMETER");
  return readDay(day);
}

/** A parameter is a field of tab-separated text. */
function unescape(value: string): string {
  return value.replace(/\\(.)/g, (_, letter: string) => ({ t: "\t", n: "\n" })[letter] ?? letter);
}

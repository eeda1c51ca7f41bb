// The stand-in's answers to Foyer's questions about refusals.

import { dateParameter, parameter } from "./clickhouse_query.ts";
import type { Recognised } from "./clickhouse_statements.ts";
import { number, type Row, type Table } from "./clickhouse_table.ts";
import type { Value } from "./clickhouse_values.ts";

const HOUR_MILLISECONDS = 3_600_000;
const MAX_LISTED = 500;

/** @throws {ClickHouseError} if a parameter of the statement is missing, or is not a date. */
export function listRefusals(table: Table, query: URLSearchParams): string {
  const from = dateParameter(query, "from");
  const account = parameter(query, "account");
  const rows = [...table.rows.values()]
    .filter((row) => row.get("account_id") === account && String(row.get("day")) >= from);
  const names = ["key_id", "endpoint", "code", "reason", "field"];
  const hourOf = (row: Row) => Math.floor(moment(row, "last_at") / HOUR_MILLISECONDS);
  const groups = groupBy(rows, (row) => [...names.map((name) => row.get(name)), hourOf(row)]);
  const data = groups.map((members) => ({
    ...valuesOf(members, names),
    refused: sum(members),
    firstAt: String(Math.min(...members.map((row) => moment(row, "first_at")))),
    lastAt: String(Math.max(...members.map((row) => moment(row, "last_at")))),
  })).sort((a, b) => Number(b.lastAt) - Number(a.lastAt)).slice(0, MAX_LISTED);
  return JSON.stringify({ data, rows: data.length });
}

/** @throws {ClickHouseError} as {@linkcode listRefusals} does. */
export function countRefusals(
  table: Table,
  { key, hasAccount }: Extract<Recognised, { kind: "count" }>,
  query: URLSearchParams,
): string {
  const [from, to] = [dateParameter(query, "from"), dateParameter(query, "to")];
  const account = hasAccount ? parameter(query, "account") : null;
  const rows = [...table.rows.values()].filter((row) => {
    const day = String(row.get("day"));
    return day >= from && day <= to && (account === null || row.get("account_id") === account);
  });
  const data = groupBy(rows, (row) => [key, "code", "reason"].map((name) => row.get(name)))
    .map((members) => ({
      ...valuesOf(members, ["code", "reason"]),
      group_key: members[0]?.get(key) ?? null,
      refused: sum(members),
    }));
  return JSON.stringify({ data, rows: data.length });
}

function groupBy(rows: readonly Row[], partsOf: (row: Row) => readonly (Value | undefined)[]) {
  return [...Map.groupBy(rows, (row) => JSON.stringify(partsOf(row))).values()];
}

function valuesOf([first]: readonly Row[], names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, first?.get(name) ?? null]));
}

function sum(rows: readonly Row[]): string {
  return String(rows.reduce((total, row) => total + number(row, "requests"), 0n));
}

/** A column of the type DateTime64(3, 'UTC') in epoch milliseconds. */
function moment(row: Row, column: string): number {
  return Date.parse(`${String(row.get(column)).replace(" ", "T")}Z`);
}

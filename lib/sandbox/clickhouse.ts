// A stand-in for the part of ClickHouse 26.7 over HTTP that Foyer uses: two tables, inserts of JSON lines, three kinds
// of question, and errors in the server's own layout. It parses no SQL: it knows the statements by heart, and refuses
// every other. Rows live in memory.

import { answerCaller, ConnectionReset, elapsed, orAborted, untilGone } from "./connection.ts";
import { ClickHouseError, describe, refusal } from "./clickhouse_errors.ts";
import {
  type ClickHouseFault,
  clickHouseFaultSchema,
  createClickHouseFaultPlan,
} from "./clickhouse_faults.ts";
import { answerQuestion } from "./clickhouse_query.ts";
import { countRefusals, listRefusals } from "./clickhouse_refusals.ts";
import { recognise, type Recognised } from "./clickhouse_statements.ts";
import { createTable, describeEngine, insertRows, type Table } from "./clickhouse_table.ts";
import { controlFaults } from "./fault_plan.ts";

/** The options of the stand-in. */
interface ClickHouseOptions {
  readonly user: string;
  readonly password: string;
  /** The statements that create the tables that exist from the beginning. */
  readonly schemas?: readonly string[];
}

const KEPT_REQUESTS = 1_000;

/** A running stand-in. */
export type ClickHouseStandIn = ReturnType<typeof createClickHouseStandIn>;

/** Creates a stand-in. It opens no port: serve `fetch`. */
export function createClickHouseStandIn(options: ClickHouseOptions) {
  const faults = createClickHouseFaultPlan();
  const requests: string[] = [];
  const tables = new Map<string, Table>();
  for (const schema of options.schemas ?? []) execute(recognise(schema), new URLSearchParams(), "");

  function execute(statement: Recognised, query: URLSearchParams, rows: string): string {
    switch (statement.kind) {
      case "one":
        return "1\n";
      case "create":
        if (!tables.has(statement.table)) {
          tables.set(statement.table, createTable(statement.definition));
        }
        return "";
      case "columns": {
        const { columns = [] } = tables.get(statement.table) ?? {};
        return toJson([...columns].map(([name, type]) => ({ name, type })));
      }
      case "table": {
        const table = tables.get(statement.table);
        if (table === undefined) return toJson([]);
        const sorting_key = table.sortingKey.join(", ");
        return toJson([{ engine_full: describeEngine(table), sorting_key }]);
      }
      case "ttl": {
        const altered = existing(statement.table);
        if (statement.expression === null && altered.ttl === null) {
          const message = "Table doesn't have any table TTL expression, cannot remove";
          throw new ClickHouseError(36, 400, message, "BAD_ARGUMENTS");
        }
        altered.ttl = statement.expression;
        return "";
      }
      case "insert":
        insertRows(existing(statement.table), statement.columns, rows);
        return "";
      case "select":
        return answerQuestion(asked(statement), statement, query);
      case "list":
        return listRefusals(asked(statement), query);
      case "count":
        return countRefusals(asked(statement), statement, query);
    }
  }

  function existing(name: string): Table {
    const table = tables.get(name);
    if (table !== undefined) return table;
    throw new ClickHouseError(60, 404, `Table default.${name} does not exist`, "UNKNOWN_TABLE");
  }

  /** The table of a question, whose error quotes all of it. */
  function asked({ table: name, sql }: { readonly table: string; readonly sql: string }): Table {
    const table = tables.get(name);
    if (table !== undefined) return table;
    const text = `Unknown table expression identifier '${name}' in scope ${sql}`;
    throw new ClickHouseError(60, 404, text, "UNKNOWN_TABLE");
  }

  async function respond(request: Request): Promise<Response> {
    try {
      return await answer(request);
    } catch (error) {
      if (error instanceof ClickHouseError) return refusal(error);
      throw error;
    }
  }

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname === "/sandbox/faults") {
      return await controlFaults(request, faults, clickHouseFaultSchema);
    }
    requests.push(url.pathname + url.search);
    if (requests.length > KEPT_REQUESTS) requests.shift();
    if (url.pathname === "/ping" || request.method === "GET") return new Response("Ok.\n");
    const body = await request.text();
    const sql = url.searchParams.get("query");
    const isInsert = /^insert\b/i.test(sql ?? body);
    const fault = faults.take({ isInsert });
    if (fault !== undefined) await before(fault, request.signal);
    authenticate(request.headers, options);
    if (fault?.kind === "partial") {
      const lines = body.split("\n");
      const half = lines.slice(0, Math.ceil(lines.length / 2)).join("\n");
      execute(recognise(sql ?? body), url.searchParams, half);
      throw new ClickHouseError(241, 500, "Memory limit (total) exceeded", "MEMORY_LIMIT_EXCEEDED");
    }
    const text = execute(recognise(sql ?? body), url.searchParams, sql === null ? "" : body);
    if (fault?.kind === "late") {
      const error = new ClickHouseError(159, 500, "Timeout exceeded", "TIMEOUT_EXCEEDED");
      if (url.searchParams.get("wait_end_of_query") === "1") throw error;
      return new Response(text.slice(0, text.length >> 1) + describe(error));
    }
    if (fault?.kind === "drop") throw new ConnectionReset();
    const sent = fault?.kind === "truncated" ? text.slice(0, text.length >> 1) : text;
    return new Response(sent, { headers: { "X-ClickHouse-Summary": "{}" } });
  }

  return {
    /** A handler for `serveStandIn`, or for `Deno.serve`, where a reset is a body that is cut off. */
    fetch: (request: Request) => answerCaller(request, respond, "foyer"),
    faults,
    /** The requested addresses with their query strings, except those under `/sandbox/`. */
    requests,
    /** The number of inserted usage rows, repeated ones included. */
    get received(): number {
      return tables.get("foyer_usage")?.received ?? 0;
    },
    /** The number of usage rows after replacement. */
    get size(): number {
      return tables.get("foyer_usage")?.rows.size ?? 0;
    },
  };
}

/** The effect of a fault before the statement is run. */
async function before(fault: ClickHouseFault, gone: AbortSignal): Promise<void> {
  switch (fault.kind) {
    case "delay":
      return await orAborted(gone, elapsed(fault.ms));
    case "hang":
      return await untilGone(gone);
    case "reset":
      throw new ConnectionReset();
    case "exception":
      throw new ClickHouseError(
        fault.code ?? 241,
        fault.status ?? 500,
        "an error that was planned in the sandbox",
        "SANDBOX_FAULT",
      );
    case "drop":
    case "partial":
    case "truncated":
    case "late":
      return;
  }
}

function authenticate(headers: Headers, { user, password }: ClickHouseOptions): void {
  const expected = new TextEncoder().encode(`${user}:${password}`).toBase64();
  if (headers.get("Authorization") === `Basic ${expected}`) return;
  throw new ClickHouseError(
    516,
    403,
    `${user}: Authentication failed: password is incorrect, or there is no user with such name`,
    "AUTHENTICATION_FAILED",
  );
}

function toJson(data: readonly object[]): string {
  return JSON.stringify({ data, rows: data.length });
}

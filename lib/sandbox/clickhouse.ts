// A stand-in for ClickHouse 26.7 over HTTP. It knows no SQL: it records statements, and answers with the rows that a test
// has prepared. Credentials, errors and faults are as the server has them.

import { z } from "zod";
import { answerCaller, ConnectionReset, elapsed, orAborted, untilGone } from "./connection.ts";
import { amount, controlFaults, createPlan, timing } from "./fault_plan.ts";

const action = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal([
      // No response until the caller disconnects.
      "hang",
      // The connection breaks before anything is done: with `sticky`, a server that is down.
      "reset",
      // The statement is run, and the connection breaks before the answer.
      "drop",
      // The first half of an insert's rows is stored, then an error follows.
      "partial",
      // The first half of the answer, as if it were whole.
      "truncated",
      // An error after half of the response, with status 200 and no header about it. With `wait_end_of_query` nothing
      // has been sent by then, so it is an ordinary error.
      "late",
    ]),
  }),
  // The right answer, late, by some milliseconds.
  z.object({ kind: z.literal("delay"), ms: amount }),
  // An error.
  z.object({
    kind: z.literal("exception"),
    code: amount.exactOptional(),
    status: amount.exactOptional(),
  }),
]);

const clickHouseFaultSchema = action.and(timing.extend({
  /** The statements that it affects: inserts, all others, or both (the default). */
  target: z.enum(["insert", "query", "any"]).exactOptional(),
}));

/** A fault and when it comes. */
export type ClickHouseFault = z.infer<typeof clickHouseFaultSchema>;

/** The properties of a request that decide whether a fault affects it. */
interface ClickHouseOccasion {
  readonly isInsert: boolean;
}

function createClickHouseFaultPlan() {
  return createPlan<ClickHouseFault, ClickHouseOccasion>(({ target = "any" }, { isInsert }) =>
    target === "any" || (target === "insert") === isInsert
  );
}

interface ClickHouseOptions {
  readonly user: string;
  readonly password: string;
}

interface Statement {
  /** On one line, without comments. */
  readonly sql: string;
  /** The parameters and settings of its address. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** The response to a question: its rows, and the row of totals if it has one. */
interface Prepared {
  readonly data: readonly object[];
  readonly totals?: object;
}

/** A running stand-in. */
export type ClickHouseStandIn = ReturnType<typeof createClickHouseStandIn>;

/** Creates a stand-in. It opens no port: serve `fetch`. */
export function createClickHouseStandIn(options: ClickHouseOptions) {
  const faults = createClickHouseFaultPlan();
  const statements: Statement[] = [];
  const prepared: [part: string, answer: Prepared][] = [];

  /** Records a statement, and returns the text of the response. */
  function execute(text: string, query: URLSearchParams, lines: readonly string[]): string {
    const sql = text.replaceAll(/^--.*$/gm, "").replaceAll(/\s+/g, " ").trim();
    const rows = lines.filter((line) => line !== "").map((line) => JSON.parse(line));
    statements.push({ sql, parameters: Object.fromEntries(query), rows });
    if (sql === "SELECT 1") return "1\n";
    if (!sql.endsWith(" FORMAT JSON")) return "";
    const [, answer] = prepared.find(([part]) => sql.includes(part)) ?? [];
    return JSON.stringify({ ...answer ?? { data: [] }, rows: answer?.data.length ?? 0 });
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
    if (url.pathname === "/ping" || request.method === "GET") return new Response("Ok.\n");
    const body = await request.text();
    const query = url.searchParams.get("query");
    const sql = query ?? body;
    const lines = query === null ? [] : body.split("\n");
    const fault = faults.take({ isInsert: /^insert\b/i.test(sql) });
    if (fault !== undefined) await before(fault, request.signal);
    authenticate(request.headers, options);
    if (fault?.kind === "partial") {
      execute(sql, url.searchParams, lines.slice(0, Math.ceil(lines.length / 2)));
      throw new ClickHouseError(241, 500, "Memory limit (total) exceeded", "MEMORY_LIMIT_EXCEEDED");
    }
    const text = execute(sql, url.searchParams, lines);
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
    /** The statements that were run, in order. */
    statements,
    /** Answers each question that contains `part` with these rows; of several, with the latest prepared. */
    prepare(part: string, answer: Prepared): void {
      prepared.unshift([part, answer]);
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

const VERSION = "26.7.2.1 (sandbox)";

class ClickHouseError extends Error {
  override readonly name = "ClickHouseError";

  /** `type` is the code's name in capitals. */
  constructor(
    readonly code: number,
    readonly status: number,
    message: string,
    readonly type: string,
  ) {
    super(message);
  }
}

function describe({ code, message, type }: ClickHouseError): string {
  return `Code: ${code}. DB::Exception: ${message}. (${type}) (version ${VERSION})\n`;
}

function refusal(error: ClickHouseError): Response {
  const { code, status } = error;
  return new Response(describe(error), {
    status,
    headers: {
      "Content-Type": "text/plain; charset=UTF-8",
      "X-ClickHouse-Exception-Code": String(code),
    },
  });
}

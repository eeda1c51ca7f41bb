/** Statements to ClickHouse over HTTP, its responses, and the reasons of its failures. */

import type { z } from "zod";
import { readBounded } from "../../platform/http/body.ts";
import { parseJson } from "../../platform/json.ts";

/** The table of this service, which `schema.sql` creates. */
export const TABLE = "foyer_usage";

/** ClickHouse failed. The message holds no credentials. */
export class ClickHouseError extends Error {
  override name = "ClickHouseError";
}

/** The address of ClickHouse and the credentials. */
export interface ClickHouseOptions {
  /** Without a slash at the end. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly fetch: typeof fetch;
  /** How long a statement may take (30). */
  readonly timeoutSeconds?: number;
}

/** Sends a statement and returns the text of the response. */
export type Send = (statement: {
  readonly sql: string;
  /** The values of its `{name:Type}` parameters, which the server binds: ids and days. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly rows?: string;
}) => Promise<string>;

/** ClickHouse repeats the statement in a reason, and says at the end what it knows instead. */
const MAX_EXCEPTION_LENGTH = 2_000;
/**
 * A server's profile may set these differently. `extremes` would append rows to every response, and a sum over
 * nothing would be null. `wait_end_of_query` reports a failure by the status, not after half of the response.
 */
const SETTINGS = {
  extremes: "0",
  aggregate_functions_null_for_empty: "0",
  wait_end_of_query: "1",
} as const;
/** Far more than any response needs: they are counts by account, model or day. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const UNKNOWN_TABLE = "60";

/**
 * Creates the function that sends statements. It throws a {@linkcode ClickHouseError} unless it gets the whole
 * response.
 */
export function createSend(options: ClickHouseOptions): Send {
  const { url, user, password, fetch, timeoutSeconds = 30 } = options;
  // Addresses end up in logs, so a header carries the credentials. Basic allows any character in them,
  // ClickHouse's own headers do not.
  const credentials = new TextEncoder().encode(`${user}:${password}`).toBase64();

  const hidePassword = (text: string) => password === "" ? text : text.replaceAll(password, "…");
  const failure = (what: string, cause?: unknown) =>
    new ClickHouseError(`ClickHouse ${hidePassword(what)}`, { cause });

  return async ({ sql, parameters = {}, settings = {}, rows }) => {
    const query = new URLSearchParams({ ...SETTINGS, ...settings });
    for (const [name, value] of Object.entries(parameters)) query.set(`param_${name}`, value);
    if (rows !== undefined) query.set("query", sql);
    const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
    try {
      const response = await fetch(`${url}/?${query}`, {
        method: "POST",
        headers: {
          "authorization": `Basic ${credentials}`,
          "content-type": "text/plain; charset=utf-8",
          "user-agent": "foyer",
        },
        body: rows ?? sql,
        // A redirect would carry the password to another host.
        redirect: "manual",
        signal: timeout,
      });
      const tooLong = () => failure(`answered with more than ${MAX_ANSWER_BYTES} bytes`);
      const bytes = await readBounded(response.body, MAX_ANSWER_BYTES, tooLong);
      const text = new TextDecoder().decode(bytes);
      const code = response.headers.get("x-clickhouse-exception-code");
      if (response.ok && code === null) return text;
      // The password is hidden before the text is cut, which might leave half of it.
      const line = hidePassword(text).replaceAll(/\s+/g, " ").trim();
      const reason = line.slice(0, MAX_EXCEPTION_LENGTH);
      const hint = code === UNKNOWN_TABLE ? "; `deno task analytics migrate` creates it" : "";
      throw failure(`answered status ${response.status}: ${reason}${hint}`);
    } catch (cause) {
      if (cause instanceof ClickHouseError) throw cause;
      if (timeout.aborted) throw failure(`did not answer within ${timeoutSeconds} seconds`);
      throw failure(`cannot be reached: ${reasonOf(cause)}`, cause);
    }
  };
}

/** Parses a response. @throws {ClickHouseError} if it does not match the schema. */
export function parseAnswer<T extends z.ZodType>(schema: T, text: string): z.output<T> {
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new ClickHouseError("ClickHouse gave a response that cannot be read", {
    cause: parsed.error,
  });
}

/** Checks the text of a response: any web server may respond with 200. @throws {ClickHouseError} for another text. */
export function expect(answer: string, text: string): void {
  if (text.trim() === answer) return;
  throw new ClickHouseError(
    "The response does not come from ClickHouse: is ANALYTICS_URL its address?",
  );
}

/** Why a request failed, without the long address. */
function reasonOf(thrown: unknown): string {
  // The message of Deno's fetch is "fetch failed", and its cause holds the reason.
  const error = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/ for url \([^)]*\)/, "").slice(0, MAX_EXCEPTION_LENGTH);
}

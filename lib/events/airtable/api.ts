/**
 * Calls to Airtable's web API: each is counted before it is sent, bounded in time and size, and a refusal names its
 * remedy. Airtable allows five calls a second per base, and refuses all calls for 30 seconds after one too many.
 */

import { z } from "zod";
import { readBounded } from "../../http/mod.ts";
import { parseJson } from "../../json.ts";
import { QUOTA_PAUSE_SECONDS } from "./calls.ts";
import { ReadError, type ReadFault } from "../store.ts";

/** Where the API is, and the token. */
export interface AirtableAccess {
  /** Without a trailing slash. */
  readonly apiUrl: string;
  readonly token: string;
  readonly fetch: typeof fetch;
}

/** One call. */
interface AirtableCall {
  readonly method?: "GET" | "POST" | "DELETE";
  /** Names below `/v0`, which are encoded here. */
  readonly path: readonly string[];
  readonly query?: URLSearchParams;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** A call that Airtable refused, with Airtable's name of the reason. The message contains no credentials. */
export class AirtableError extends ReadError {
  override name = "AirtableError";

  /** @param type Airtable's name of the error, such as `INVALID_OFFSET_VALUE`; null if it gave none. */
  constructor(
    readonly status: number,
    readonly type: string | null,
    fault: ReadFault,
    message: string,
    pauseSeconds: number | null = null,
  ) {
    super(fault, message, pauseSeconds);
  }
}

const CALL_TIMEOUT_MILLISECONDS = 15_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Airtable's penalty for more than five calls a second. */
const RATE_LIMIT_PAUSE_SECONDS = 30;
/** The longest pause that a header can ask for: one number must not stop the events for a day. */
const MAX_PAUSE_SECONDS = 600;

/**
 * Makes a call, and returns the JSON of its response; null for an empty response, or one that is not JSON.
 *
 * @throws {AirtableError} if Airtable refuses it.
 * @throws {ReadError} if there is no response, or an endless one.
 */
export async function callAirtable(
  { apiUrl, token, fetch }: AirtableAccess,
  { method = "GET", path, query, body }: AirtableCall,
  signal: AbortSignal,
): Promise<unknown> {
  const search = query === undefined ? "" : `?${query}`;
  const url = `${apiUrl}/v0/${path.map(encodeURIComponent).join("/")}${search}`;
  const timeout = AbortSignal.timeout(CALL_TIMEOUT_MILLISECONDS);
  let status: number;
  let retryAfter: string | null;
  let text: string;
  try {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}`, accept: "application/json", ...type },
      ...body === undefined ? {} : { body: JSON.stringify(body) },
      signal: AbortSignal.any([signal, timeout]),
      // A redirect would carry the token to another host.
      redirect: "error",
    });
    status = response.status;
    retryAfter = response.headers.get("retry-after");
    text = new TextDecoder().decode(await readBounded(response.body, MAX_BYTES, endless));
  } catch (cause) {
    if (cause instanceof ReadError) throw cause;
    const reason = timeout.aborted
      ? "a page took too long"
      : signal.aborted
      ? "the read was aborted"
      : String(cause);
    throw new ReadError("unavailable", `Airtable: ${reason}`, null, { cause });
  }
  if (status === 200 || status === 204) return parseJson(text);
  throw refusal(status, retryAfter, text);
}

function endless(): ReadError {
  return new ReadError("nonsense", "Airtable: an endless page");
}

function refusal(status: number, retryAfter: string | null, body: string): AirtableError {
  const type = errorType(parseJson(body));
  const said = `Airtable: ${status}${type === null ? "" : ` ${type}`}`;
  const refuse = (fault: ReadFault, message: string, pauseSeconds: number | null = null) =>
    new AirtableError(status, type, fault, message, pauseSeconds);
  switch (status) {
    case 401:
      return refuse("refused", `${said}: AIRTABLE_TOKEN is not a valid token`, 30);
    case 403:
    case 404:
      return refuse(
        "refused",
        `${said}: AIRTABLE_TOKEN may not read the table, or AIRTABLE_BASE_ID or AIRTABLE_TABLE is wrong`,
        30,
      );
    case 422:
      return refuse("refused", `${said}: AIRTABLE_VIEW may be wrong`, 30);
    case 429: {
      if (type === "PUBLIC_API_BILLING_LIMIT_EXCEEDED") {
        const message = `${said}: the workspace has used up its API calls of this month`;
        return refuse("quota", message, QUOTA_PAUSE_SECONDS);
      }
      const asked = /^\d{1,15}$/.test(retryAfter ?? "") ? Number(retryAfter) : 0;
      const seconds = Math.min(MAX_PAUSE_SECONDS, Math.max(RATE_LIMIT_PAUSE_SECONDS, asked));
      return refuse("rate_limited", said, seconds);
    }
    default:
      return refuse("unavailable", said);
  }
}

/** The type of an error, in either of the layouts that Airtable uses; null if it is not a plain name. */
function errorType(body: unknown): string | null {
  const named = z.object({ type: z.string() }).transform((error) => error.type);
  const first = z.tuple([z.object({ error: z.string() })], z.unknown());
  const type = z.union([
    z.object({ error: z.union([z.string(), named]) }).transform(({ error }) => error),
    z.object({ errors: first }).transform(({ errors }) => errors[0].error),
  ]).safeParse(body).data;
  return type !== undefined && /^[A-Z_]{1,60}$/.test(type) ? type : null;
}

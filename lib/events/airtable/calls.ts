/**
 * Calls to Airtable's web API: each is counted before it is sent, bounded in time and size, and a refusal names its
 * remedy. Airtable allows five calls a second per base, and refuses all calls for 30 seconds after one too many.
 */

import { readBounded } from "../../platform/http/body.ts";
import { isObject, parseJson } from "../../platform/json.ts";
import type { Platform } from "../../platform/platform.ts";
import { createSemaphore } from "../../platform/semaphore.ts";
import { yieldToLoop } from "../../platform/timeout.ts";
import { type CallCounter, QUOTA_PAUSE_SECONDS } from "./quota.ts";
import { ReadError, type ReadFault } from "../reading/record_store.ts";

/** Where the API is, and the token. */
interface AirtableAccess extends Pick<Platform, "fetch"> {
  /** Without a trailing slash. */
  readonly apiUrl: string;
  readonly token: string;
}

/** The base of the events, and what a series of calls to it needs. */
export interface AirtableBase extends AirtableAccess {
  readonly baseId: string;
  /** Counts every call before it is sent. */
  readonly calls: Pick<CallCounter, "take" | "learn">;
  /** Resolves when the next call may be sent; see {@linkcode createPace}. */
  readonly pace: (signal?: AbortSignal) => Promise<void>;
}

/** One call. */
export interface AirtableCall {
  readonly method?: "GET" | "POST" | "DELETE";
  /** Names below `/v0`, which are encoded here. */
  readonly path: readonly string[];
  readonly query?: URLSearchParams;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
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
/** The pause between two calls: 4.5 calls a second leave room for an occasional call of another reader. */
const PAUSE_MILLISECONDS = 220;
const MAX_BYTES = 64 * 1024 * 1024;
/** Airtable's penalty for more than five calls a second. */
const RATE_LIMIT_PAUSE_SECONDS = 30;
/** The longest pause that a header can ask for: one number must not stop the events for a day. */
const MAX_PAUSE_SECONDS = 600;

/**
 * Makes the function that spaces this process's calls: the pages of a read and the webhook's calls share one queue. The
 * function throws a {@linkcode ReadError} if the read is aborted.
 */
export function createPace({ now, sleep }: Pick<Platform, "now" | "sleep">): AirtableBase["pace"] {
  const inTurn = createSemaphore(1);
  let lastAt = -Infinity;
  return (signal) =>
    inTurn(async () => {
      const wait = Math.min(PAUSE_MILLISECONDS, lastAt + PAUSE_MILLISECONDS - now());
      try {
        if (wait > 0) await sleep(wait, signal);
      } catch (cause) {
        throw aborted(cause);
      }
      lastAt = now();
    });
}

/**
 * Makes a call, and returns the JSON of its response; null for an empty response, or one that is not JSON.
 *
 * @throws {AirtableError} if Airtable refuses it.
 * @throws {ReadError} if there is no response, or an endless one.
 */
export async function callAirtable(
  { apiUrl, token, fetch }: AirtableAccess,
  { method = "GET", path, query, body, signal }: AirtableCall,
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
      signal: AbortSignal.any([timeout, ...signal ? [signal] : []]),
      // A redirect would carry the token to another host.
      redirect: "error",
    });
    status = response.status;
    retryAfter = response.headers.get("retry-after");
    text = new TextDecoder().decode(await readBounded(response.body, MAX_BYTES, endless));
  } catch (cause) {
    if (cause instanceof ReadError) throw cause;
    if (signal?.aborted && !timeout.aborted) throw aborted(cause);
    const reason = timeout.aborted ? "a page took too long" : String(cause);
    throw new ReadError("unavailable", `Airtable: ${reason}`, null, { cause });
  }
  // Decoding a page of long texts takes as long as parsing it, so requests are served in between.
  await yieldToLoop();
  if (status === 200 || status === 204) return parseJson(text);
  throw refusal(status, retryAfter, text);
}

/** Makes a call in its turn, and counts it before it is sent. Throws as {@linkcode callAirtable} and the counter do. */
export async function callInTurn(base: AirtableBase, call: AirtableCall): Promise<unknown> {
  await base.pace(call.signal);
  await base.calls.take();
  return await callAirtable(base, call);
}

function aborted(cause: unknown): ReadError {
  return new ReadError("unavailable", "Airtable: the read was aborted", null, { cause });
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

/** The type of an error, in any of the layouts that Airtable uses; null if it is not a plain name. */
function errorType(body: unknown): string | null {
  if (!isObject(body)) return null;
  const { error, errors } = body;
  const [first] = Array.isArray(errors) ? errors : [];
  const type = isObject(error) ? error["type"] : error ?? (isObject(first) ? first["error"] : null);
  return typeof type === "string" && /^[A-Z_]{1,60}$/.test(type) ? type : null;
}

// The faults of the providers: their kinds, the requests that they affect, and their JSON.
// `provider_effects.ts` has the effects of faults, `fault_plan.ts` their times.

import {
  createPlan,
  type Given,
  missing,
  numeric,
  oneOf,
  type Plan,
  readGiven,
  readTiming,
  text,
  type Timing,
  withoutUndefined,
} from "./fault_plan.ts";

/** The statuses that a status fault may have. */
export const FAULT_STATUSES = [400, 401, 402, 403, 404, 422, 429, 500, 502, 503, 529] as const;

/** One of {@linkcode FAULT_STATUSES}. */
export type FaultStatus = typeof FAULT_STATUSES[number];

const REDIRECT_STATUSES = [301, 302, 303, 307, 308] as const;

/** The kind of a fault. */
export type ProviderFaultAction =
  /** The right answer, late: after some milliseconds, or when a promise resolves (for tests without sleeps). */
  | { kind: "delay"; ms: number }
  | { kind: "delay"; until: Promise<unknown> }
  /** No response until the caller disconnects. */
  | { kind: "hang" }
  /** The first half of the body, then silence: for ever, for some milliseconds, or until a promise resolves. */
  | { kind: "stall"; ms?: number; until?: Promise<unknown> }
  /** The connection breaks before the answer, or with `after` between its headers and its body. */
  | { kind: "reset"; after?: "headers" }
  /** The first half of the body, then the connection breaks. */
  | { kind: "cut" }
  /** The first half of the body, ended as if it were whole. */
  | { kind: "truncated" }
  /** An error in the provider's own layout. */
  | { kind: "status"; status: FaultStatus; retryAfterSeconds?: number }
  /** 200 and `application/json`, with random text. */
  | { kind: "garbage" }
  /** 200 and a page of HTML. */
  | { kind: "html" }
  /** The right body under another content type. */
  | { kind: "content-type"; contentType: string }
  /** The right body, one byte per chunk. */
  | { kind: "split" }
  /** The right answer without its cost (web search), its usage (decisions, OCR) or its balance (router, media). */
  | { kind: "missing-cost" }
  /**
   * These very characters in place of `costDollars.total`, `usage.input_tokens`, `usage_info.pages_processed`,
   * the router's `limit_remaining` or `total_credits`, or media's `unused_credit`.
   */
  | { kind: "cost"; text: string }
  /** A body that never ends, made only as fast as it is read. */
  | { kind: "endless" }
  /** The right response enlarged to this many bytes, made as fast as it is read; `length` false: not announced. */
  | { kind: "huge"; bytes: number; length?: boolean }
  /** Compressed, even if the caller did not accept that. */
  | { kind: "gzip" }
  /** To `location`; unset: to the same address with `?redirected=1`. 307 unless another status is given. */
  | { kind: "redirect"; location?: string; status?: typeof REDIRECT_STATUSES[number] }
  /** The right body in chunks, its length not announced. */
  | { kind: "no-length" };

/** A fault and when it comes. */
export type ProviderFault = ProviderFaultAction & Timing & {
  /** Only requests that have this `x-request-id`, and this path; unset: any. */
  match?: { requestId?: string; path?: string };
};

/** The properties of a request that decide whether a fault affects it. */
interface ProviderOccasion {
  readonly requestId: string | null;
  readonly path: string;
}

/** The planned faults. */
export type ProviderFaultPlan = Plan<ProviderFault, ProviderOccasion>;

/** Makes an empty plan. */
export function createProviderFaultPlan(): ProviderFaultPlan {
  return createPlan(({ match }, { requestId, path }) =>
    (match?.requestId === undefined || match.requestId === requestId) &&
    (match?.path === undefined || match.path === path)
  );
}

/**
 * Reads one fault from parsed JSON, with the names of `ProviderFault`; waiting only by `ms`.
 * @throws {TypeError} with a sentence about the mistake.
 */
export function parseProviderFault(value: unknown): ProviderFault {
  const given = readGiven(value);
  return { ...parseAction(given), ...parseMatch(given.get("match")), ...readTiming(given) };
}

function parseMatch(value: unknown): Pick<ProviderFault, "match"> {
  if (value === undefined) return {};
  const given = readGiven(value);
  return {
    match: withoutUndefined({ requestId: text(given, "requestId"), path: text(given, "path") }),
  };
}

function parseAction(given: Given): ProviderFaultAction {
  const kind = given.get("kind");
  switch (kind) {
    case "hang":
    case "cut":
    case "truncated":
    case "garbage":
    case "html":
    case "split":
    case "missing-cost":
    case "endless":
    case "gzip":
    case "no-length":
      return { kind };
    case "delay":
      return { kind, ms: numeric(given, "ms") ?? missing("ms") };
    case "stall":
      return { kind, ...withoutUndefined({ ms: numeric(given, "ms") }) };
    case "reset":
      return oneOf(given, "after", ["headers"]) ? { kind, after: "headers" } : { kind };
    case "content-type":
      return { kind, contentType: text(given, "contentType") ?? missing("contentType") };
    case "cost":
      return { kind, text: text(given, "text") ?? missing("text") };
    case "huge": {
      const bytes = numeric(given, "bytes") ?? missing("bytes");
      return { kind, bytes, ...(given.get("length") === false ? { length: false } : {}) };
    }
    case "status": {
      const status = oneOf(given, "status", FAULT_STATUSES) ?? missing("status");
      const retryAfterSeconds = numeric(given, "retryAfterSeconds");
      return { kind, status, ...withoutUndefined({ retryAfterSeconds }) };
    }
    case "redirect": {
      const location = text(given, "location");
      const status = oneOf(given, "status", REDIRECT_STATUSES);
      return { kind, ...withoutUndefined({ location, status }) };
    }
    default:
      throw new TypeError(`No fault is of the kind ${JSON.stringify(kind)}`);
  }
}

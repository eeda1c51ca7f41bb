// The faults of Airtable: their kinds, the requests that they affect, and their JSON.
// `airtable_effects.ts` has the effects of faults, `fault_plan.ts` their times.

import type { ErrorLayout, ErrorStatus } from "./airtable_errors.ts";
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

/** The kind of a fault. */
type AirtableFaultAction =
  /** The right answer, late: after some milliseconds, or when a promise resolves (for tests without sleeps). */
  | { kind: "delay"; ms: number }
  | { kind: "delay"; until: Promise<unknown> }
  /** No response until the caller disconnects. */
  | { kind: "hang" }
  /** The connection breaks before the response. */
  | { kind: "reset" }
  /** An error answer in the layout of its status, or in another. */
  | {
    kind: "status";
    status: ErrorStatus;
    retryAfterSeconds?: number;
    type?: string;
    layout?: ErrorLayout;
  }
  /** 200 and `application/json`, with random text. */
  | { kind: "garbage" }
  /** 200 and a page of HTML. */
  | { kind: "html" }
  /** The right answer, ended in the middle as if it were whole. */
  | { kind: "truncated" }
  /** The right answer up to its middle, then the connection breaks. */
  | { kind: "cut" }
  /** The right body under another content type. */
  | { kind: "content-type"; contentType: string }
  /** The cursor of the next request with one has expired. */
  | { kind: "iterator-death"; layout?: ErrorLayout }
  /** A page that holds its first record twice. */
  | { kind: "duplicate-ids" }
  /** A page whose cursor leads back to page one: always the same cursor, or with `fresh` always another. */
  | { kind: "endless-offset"; fresh?: boolean };

/** A fault and when it comes. */
export type AirtableFault = AirtableFaultAction & Timing & {
  /** The requests that it affects: listings (the default), files, or both. */
  target?: "list" | "file" | "any";
};

/** The properties of a request that decide whether a fault affects it. */
interface AirtableOccasion {
  readonly target: "list" | "file";
  readonly hasOffset: boolean;
}

/** The planned faults. */
export type AirtableFaultPlan = Plan<AirtableFault, AirtableOccasion>;

/** Makes an empty plan. */
export function createAirtableFaultPlan(): AirtableFaultPlan {
  return createPlan(({ kind, target: wanted = "list" }, { target, hasOffset }) =>
    (wanted === "any" || wanted === target) && (kind !== "iterator-death" || hasOffset)
  );
}

const ERROR_STATUSES: readonly ErrorStatus[] = [401, 403, 404, 413, 422, 429, 500, 502, 503];
const LAYOUTS: readonly ErrorLayout[] = ["object", "string", "plural"];
const TARGETS = ["list", "file", "any"] as const;

/**
 * Reads one fault from parsed JSON, with the names of `AirtableFault`; a delay only by `ms`.
 * @throws {TypeError} with a sentence about the mistake.
 */
export function parseAirtableFault(value: unknown): AirtableFault {
  const given = readGiven(value);
  const target = oneOf(given, "target", TARGETS);
  return {
    ...parseAction(given),
    ...withoutUndefined({ target }),
    ...readTiming(given),
  };
}

function parseAction(given: Given): AirtableFaultAction {
  const kind = given.get("kind");
  const layout = oneOf(given, "layout", LAYOUTS);
  switch (kind) {
    case "hang":
    case "reset":
    case "garbage":
    case "html":
    case "truncated":
    case "cut":
    case "duplicate-ids":
      return { kind };
    case "delay":
      return { kind, ms: numeric(given, "ms") ?? missing("ms") };
    case "iterator-death":
      return { kind, ...withoutUndefined({ layout }) };
    case "endless-offset":
      return { kind, fresh: given.get("fresh") === true };
    case "content-type":
      return { kind, contentType: text(given, "contentType") ?? missing("contentType") };
    case "status": {
      const status = oneOf(given, "status", ERROR_STATUSES) ?? missing("status");
      const type = text(given, "type");
      const retryAfterSeconds = numeric(given, "retryAfterSeconds");
      return { kind, status, ...withoutUndefined({ layout, type, retryAfterSeconds }) };
    }
    default:
      throw new TypeError(`No fault is of the kind ${JSON.stringify(kind)}`);
  }
}

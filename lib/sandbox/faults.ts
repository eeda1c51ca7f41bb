// Faults on demand: which there are, the plan that says when each comes, and how a person writes one as JSON.
// What a fault does to an answer is in `fault_effects.ts`.

import type { ErrorLayout, ErrorStatus } from "./airtable_errors.ts";

/** What goes wrong. */
export type FaultAction =
  /** The right answer, late: after some milliseconds, or when a promise resolves (for tests without sleeps). */
  | { kind: "delay"; ms: number }
  | { kind: "delay"; until: Promise<unknown> }
  /** No answer until the caller goes away. */
  | { kind: "hang" }
  /** The connection breaks before the answer. */
  | { kind: "reset" }
  /** An error answer in the layout of its status, or in another. */
  | {
    kind: "status";
    status: ErrorStatus;
    retryAfterSeconds?: number;
    type?: string;
    layout?: ErrorLayout;
  }
  /** 200 and `application/json`, but noise. */
  | { kind: "garbage" }
  /** 200 and a page of HTML. */
  | { kind: "html" }
  /** The right answer, ended in the middle as if it were whole. */
  | { kind: "truncated" }
  /** The right answer up to its middle, then the connection breaks. */
  | { kind: "cut" }
  /** The right body under another content type. */
  | { kind: "content-type"; contentType: string }
  /** The cursor of the next request that has one is dead. */
  | { kind: "iterator-death"; layout?: ErrorLayout }
  /** A page that holds its first record twice. */
  | { kind: "duplicate-ids" }
  /** A page whose cursor leads back to page one: always the same cursor, or with `fresh` always another. */
  | { kind: "endless-offset"; fresh?: boolean };

/** A fault and when it comes. */
export type Fault = FaultAction & {
  /** What it hits: listings (the default), files, or both. */
  target?: "list" | "file" | "any";
  /** The n-th matching request after it was planned, from 1; unset: the next for which no earlier fault is due. */
  nth?: number;
  /** Stays after it has come, until the plan is cleared. */
  sticky?: boolean;
};

/** What `takeFault` looks at in a request. */
export interface FaultOccasion {
  readonly target: "list" | "file";
  readonly hasOffset: boolean;
}

/** The faults still to come. */
export interface FaultPlan {
  push(...faults: Fault[]): void;
  clear(): void;
  /** Those planned, in order; promises and all. */
  readonly pending: readonly Fault[];
  /** The fault for this request, if one is due: those that go away first, in order, then sticky ones. */
  take(occasion: FaultOccasion): Fault | undefined;
}

/** Makes a plan that begins with `faults`. */
export function createFaultPlan(faults: readonly Fault[] = []): FaultPlan {
  let entries: { fault: Fault; seen: number }[] = [];
  const push = (...more: Fault[]) => {
    entries.push(...more.map((fault) => ({ fault, seen: 0 })));
  };
  push(...faults);

  return {
    push,
    clear() {
      entries = [];
    },
    get pending() {
      return entries.map(({ fault }) => fault);
    },
    take(occasion) {
      const due = entries.filter((entry) => {
        if (!concerns(entry.fault, occasion)) return false;
        entry.seen++;
        return entry.seen >= (entry.fault.nth ?? 1);
      });
      const taken = due.find(({ fault }) => !fault.sticky) ?? due[0];
      if (taken && !taken.fault.sticky) entries = entries.filter((entry) => entry !== taken);
      return taken?.fault;
    },
  };
}

function concerns(fault: Fault, { target, hasOffset }: FaultOccasion): boolean {
  const { target: wanted = "list" } = fault;
  if (wanted !== "any" && wanted !== target) return false;
  return fault.kind !== "iterator-death" || hasOffset;
}

const ERROR_STATUSES: readonly ErrorStatus[] = [401, 403, 404, 413, 422, 429, 500, 502, 503];
const LAYOUTS: readonly ErrorLayout[] = ["object", "string", "plural"];
const TARGETS = ["list", "file", "any"] as const;

/**
 * Reads one fault from parsed JSON, with the names of `Fault`; a delay only by `ms`.
 * @throws {TypeError} with a sentence about what is wrong.
 */
export function parseFault(value: unknown): Fault {
  if (typeof value !== "object" || value === null) throw new TypeError("A fault is an object");
  const given = new Map<string, unknown>(Object.entries(value));
  const target = oneOf(given, "target", TARGETS);
  const nth = numeric(given, "nth");
  return {
    ...parseAction(given),
    ...(target === undefined ? {} : { target }),
    ...(nth === undefined ? {} : { nth }),
    ...(given.get("sticky") === true ? { sticky: true } : {}),
  };
}

function parseAction(given: ReadonlyMap<string, unknown>): FaultAction {
  const kind = given.get("kind");
  const layout = oneOf(given, "layout", LAYOUTS);
  const inLayout = layout === undefined ? {} : { layout };
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
      return { kind, ...inLayout };
    case "endless-offset":
      return { kind, fresh: given.get("fresh") === true };
    case "content-type":
      return { kind, contentType: text(given, "contentType") ?? missing("contentType") };
    case "status": {
      const type = text(given, "type");
      const retryAfterSeconds = numeric(given, "retryAfterSeconds");
      return {
        kind,
        status: oneOf(given, "status", ERROR_STATUSES) ?? missing("status"),
        ...inLayout,
        ...(type === undefined ? {} : { type }),
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      };
    }
    default:
      throw new TypeError(`No fault is of the kind ${JSON.stringify(kind)}`);
  }
}

function numeric(given: ReadonlyMap<string, unknown>, name: string): number | undefined {
  const value = given.get(name);
  if (value === undefined || (typeof value === "number" && value >= 0)) return value;
  throw new TypeError(`${name} is a number from 0`);
}

function text(given: ReadonlyMap<string, unknown>, name: string): string | undefined {
  const value = given.get(name);
  if (value === undefined || typeof value === "string") return value;
  throw new TypeError(`${name} is a string`);
}

function oneOf<T>(
  given: ReadonlyMap<string, unknown>,
  name: string,
  allowed: readonly T[],
): T | undefined {
  const value = given.get(name);
  if (value === undefined) return undefined;
  const found = allowed.find((item) => item === value);
  if (found === undefined) throw new TypeError(`${name} is one of ${allowed.join(", ")}`);
  return found;
}

function missing(name: string): never {
  throw new TypeError(`This fault needs ${name}`);
}

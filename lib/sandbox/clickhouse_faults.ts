// The faults of ClickHouse: their kinds, the requests that they affect, and their JSON.

import {
  createPlan,
  missing,
  numeric,
  oneOf,
  type Plan,
  readGiven,
  readTiming,
  type Timing,
  withoutUndefined,
} from "./fault_plan.ts";

/** The kind of a fault. */
type ClickHouseFaultAction =
  /** The right answer, late. */
  | { kind: "delay"; ms: number }
  /** No response until the caller disconnects. */
  | { kind: "hang" }
  /** The connection breaks before anything is done: with `sticky`, a server that is down. */
  | { kind: "reset" }
  /** The statement is run, and the connection breaks before the answer. */
  | { kind: "drop" }
  /** The first half of an insert's rows is stored, then an error follows. */
  | { kind: "partial" }
  /** The first half of the answer, as if it were whole. */
  | { kind: "truncated" }
  /** An error. */
  | { kind: "exception"; code?: number; status?: number }
  /**
   * An error after half of the response, with status 200 and no header about it. With
   * `wait_end_of_query` nothing has been sent by then, so it is an ordinary error.
   */
  | { kind: "late" };

/** A fault and when it comes. */
export type ClickHouseFault = ClickHouseFaultAction & Timing & {
  /** The statements that it affects: inserts, all others, or both (the default). */
  target?: "insert" | "query" | "any";
};

/** The properties of a request that decide whether a fault affects it. */
interface ClickHouseOccasion {
  readonly isInsert: boolean;
}

/** The planned faults. */
export type ClickHouseFaultPlan = Plan<ClickHouseFault, ClickHouseOccasion>;

/** Makes an empty plan. */
export function createClickHouseFaultPlan(): ClickHouseFaultPlan {
  return createPlan(({ target = "any" }, { isInsert }) =>
    target === "any" || (target === "insert") === isInsert
  );
}

/**
 * Reads one fault from parsed JSON, with the names of `ClickHouseFault`.
 * @throws {TypeError} with a sentence about the mistake.
 */
export function parseClickHouseFault(value: unknown): ClickHouseFault {
  const given = readGiven(value);
  const target = oneOf(given, "target", ["insert", "query", "any"] as const);
  const timing = { ...readTiming(given), ...withoutUndefined({ target }) };
  const kind = given.get("kind");
  switch (kind) {
    case "hang":
    case "reset":
    case "drop":
    case "partial":
    case "truncated":
    case "late":
      return { kind, ...timing };
    case "delay":
      return { kind, ms: numeric(given, "ms") ?? missing("ms"), ...timing };
    case "exception": {
      const answer = { code: numeric(given, "code"), status: numeric(given, "status") };
      return { kind, ...withoutUndefined(answer), ...timing };
    }
    default:
      throw new TypeError(`No fault is of the kind ${JSON.stringify(kind)}`);
  }
}

// The faults of the identity provider's stand-in.

import {
  numeric,
  oneOf,
  readGiven,
  readTiming,
  text,
  type Timing,
  withoutUndefined,
} from "./fault_plan.ts";

/** A fault, and when it comes. */
export type IdentityFault =
  & Timing
  & {
    /** Only requests for this path, such as `/token`; unset: any. */
    readonly path?: string;
  }
  & (
    /** The connection breaks before the response; no response ever comes. */
    | { readonly kind: "reset" | "hang" }
    | { readonly kind: "status"; readonly status: number }
    /** The id token has other claims, no signature, or that of a key that is not published. */
    | {
      readonly kind: "token";
      readonly claims?: Readonly<Record<string, unknown>>;
      readonly signature?: "none" | "foreign";
    }
    /** The JSON of the response has other members. */
    | { readonly kind: "members"; readonly members: Readonly<Record<string, unknown>> }
  );

/** The properties of a request that decide whether a fault affects it. */
export interface IdentityOccasion {
  readonly path: string;
}

/**
 * Reads one fault from parsed JSON.
 * @throws {TypeError} with a sentence about the mistake.
 */
export function parseIdentityFault(value: unknown): IdentityFault {
  const given = readGiven(value);
  const kind = given.get("kind");
  const when = { ...readTiming(given), ...withoutUndefined({ path: text(given, "path") }) };
  switch (kind) {
    case "reset":
    case "hang":
      return { kind, ...when };
    case "status":
      return { kind, status: numeric(given, "status") ?? 500, ...when };
    case "token": {
      const claims = Object.fromEntries(readGiven(given.get("claims") ?? {}));
      const signature = oneOf(given, "signature", ["none", "foreign"] as const);
      return { kind, claims, ...withoutUndefined({ signature }), ...when };
    }
    case "members":
      return { kind, members: Object.fromEntries(readGiven(given.get("members"))), ...when };
    default:
      throw new TypeError(`No fault is of the kind ${JSON.stringify(kind)}`);
  }
}

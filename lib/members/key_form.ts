/** The forms about keys: the choices of a member, and what each of them means. */

import {
  type CreatedKey,
  findLabelFault,
  type NewKey,
  type Origin,
  revokeKey,
  rotateOwnKey,
  updateKey,
} from "../proxy/mod.ts";
import { PublicError } from "../platform/http/errors.ts";
import { parseUsd } from "../platform/money.ts";
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from "../platform/time.ts";

/** How long a new key works, by the value of the field `expires`. */
export const LIFETIMES = {
  "30": "30 days",
  "90": "90 days",
  "365": "A year",
  "never": "Until you revoke it",
} as const;

/** How long the old key of a rotation still works, in hours, by the value of the field `overlap`. */
export const OVERLAPS = {
  "0": "Not at all",
  "1": "An hour",
  "24": "A day",
  "168": "A week",
} as const;

/** The fields of a form, without the spaces around them. */
export interface Fields {
  /** "" if it is empty or absent. */
  one(name: string): string;
  /** The values of a field that may occur several times. */
  all(name: string): readonly string[];
}

/**
 * Reads the form for a new key.
 *
 * @throws {PublicError} `bad_request` whose `field` is the one that is wrong, as of all functions here.
 */
export function readKeyForm(
  fields: Fields,
  accountId: string,
  allEndpoints: readonly string[],
  now: number,
): NewKey {
  const lifetime = fields.one("expires");
  if (!Object.hasOwn(LIFETIMES, lifetime)) {
    throw unknown("The lifetime", "expires", lifetime, LIFETIMES);
  }
  const expiresAt = lifetime === "never" ? null : now + Number(lifetime) * DAY_MILLISECONDS;
  const label = readLabel(fields.one("name"));
  return { accountId, label, expiresAt, ...readKeyLimits(fields, allEndpoints) };
}

/** What a form about a key may ask for. */
type KeyAction = "rename" | "limit" | "rotate" | "revoke";

/**
 * Does what a form about a key asks for.
 *
 * @returns what was done, with the new key of a rotation.
 * @throws {PublicError} `bad_request` as all functions here, and what {@linkcode rotateOwnKey} throws.
 * @throws {OutdatedError} if the origin was made from another version of the key.
 */
export async function actOnKey(
  kv: Deno.Kv,
  id: string,
  fields: Fields,
  { allEndpoints, origin, isOwner }: {
    readonly allEndpoints: readonly string[];
    readonly origin: Origin;
    /** The keys of owners are limited in number. */
    readonly isOwner: boolean;
  },
): Promise<{ readonly action: KeyAction; readonly created?: CreatedKey }> {
  const action = fields.one("action");
  switch (action) {
    case "rename":
      await updateKey(kv, id, { label: readLabel(fields.one("name")) }, origin);
      return { action };
    case "limit":
      await updateKey(kv, id, readKeyLimits(fields, allEndpoints), origin);
      return { action };
    case "revoke":
      await revokeKey(kv, id, origin);
      return { action };
    case "rotate": {
      const overlapMilliseconds = readOverlap(fields.one("overlap"));
      const options = { isLimited: isOwner };
      const created = await rotateOwnKey(kv, id, { overlapMilliseconds }, origin, options);
      return { action, created };
    }
    default:
      throw new PublicError("bad_request", "The form names no known action.");
  }
}

/**
 * Reads a key's own limits: the daily limit in USD, empty for none, and the endpoints.
 *
 * @throws {PublicError} `bad_request` for a limit that is not an amount, or if no endpoint is chosen.
 */
function readKeyLimits(
  fields: Fields,
  allEndpoints: readonly string[],
): Required<Pick<NewKey, "cap" | "endpoints">> {
  const limit = fields.one("limit");
  const cap = limit === "" ? null : parseUsd(limit);
  if (limit !== "" && cap === null) {
    const message = `${JSON.stringify(limit.slice(0, 40))} is not an amount of US dollars.`;
    throw new PublicError("bad_request", message, {
      hint: "Write one such as 0.50, or leave the daily limit empty.",
      field: "limit",
    });
  }
  const chosen = allEndpoints.filter((name) => fields.all("endpoint").includes(name));
  if (chosen.length === 0) {
    throw new PublicError("bad_request", "No endpoint is chosen, so the key would be useless.", {
      hint: "Choose at least one.",
      field: "endpoint",
    });
  }
  // A key for all endpoints may also use those that are added later.
  return { cap, endpoints: chosen.length === allEndpoints.length ? null : chosen };
}

/** A key's name; null for none. @throws {PublicError} `bad_request` for an invalid one. */
function readLabel(text: string): string | null {
  if (text === "") return null;
  const fault = findLabelFault(text);
  if (fault === null) return text;
  throw new PublicError("bad_request", `The name ${fault}.`, {
    hint: "Give a short one, such as “laptop”.",
    field: "name",
  });
}

/** The overlap of a rotation in milliseconds. @throws {PublicError} `bad_request` for one that is not offered. */
function readOverlap(text: string): number {
  if (Object.hasOwn(OVERLAPS, text)) return Number(text) * HOUR_MILLISECONDS;
  throw unknown("The overlap", "overlap", text, OVERLAPS);
}

function unknown(what: string, field: string, text: string, choices: object): PublicError {
  const message = `${what} ${JSON.stringify(text.slice(0, 40))} is unknown.`;
  const hint = `Choose one of ${Object.keys(choices).join(", ")}.`;
  return new PublicError("bad_request", message, { hint, field });
}

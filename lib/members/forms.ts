/** Forms of members and operators: their fields, and what the forms about keys mean. */

import { findLabelFault } from "../accounts/account.ts";
import type { Origin } from "../accounts/audit_log.ts";
import { type CreatedKey, type NewKey, revokeKey, rotateKey, updateKey } from "../accounts/key.ts";
import { PublicError } from "../platform/http/errors.ts";
import { type NanoUsd, parseUsd } from "../platform/money.ts";
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from "../platform/time.ts";

/** How long a new key works, by the value of the field `expires`: days. */
export const LIFETIMES = {
  "30": "30 days",
  "90": "90 days",
  "365": "A year",
  "never": "Until you revoke it",
} as const;

/** How long the old key of a rotation still works, by the value of the field `overlap`: hours. */
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
  /** The bytes of a file; null if none was chosen, or an empty one. */
  file(name: string): Promise<Uint8Array<ArrayBuffer> | null>;
}

/** The error of a field, which all functions here throw. */
export function wrongField(field: string, message: string, hint?: string): PublicError {
  return new PublicError("bad_request", message, { field, ...hint !== undefined && { hint } });
}

/** The error of a form whose field `action` has no known value. */
export function unknownAction(): PublicError {
  return new PublicError("bad_request", "The form names no known action.");
}

/** An amount of dollars; null if the field is empty. @throws {PublicError} `bad_request` for anything else. */
export function readAmount(fields: Fields, name: string): NanoUsd | null {
  const text = fields.one(name);
  const amount = text === "" ? null : parseUsd(text);
  if (text === "" || amount !== null) return amount;
  const message = `${JSON.stringify(text.slice(0, 40))} is not an amount of US dollars.`;
  throw wrongField(name, message, "Write one such as 4 or 0.50, or leave the field empty.");
}

/** The form for a new key of an account. @throws {PublicError} `bad_request` for a wrong field. */
export function readKeyForm(
  fields: Fields,
  accountId: string,
  allEndpoints: readonly string[],
  now: number,
): NewKey {
  const lifetime = readChoice(fields, "expires", LIFETIMES);
  const expiresAt = lifetime === "never" ? null : now + Number(lifetime) * DAY_MILLISECONDS;
  return { accountId, label: readLabel(fields), expiresAt, ...readLimits(fields, allEndpoints) };
}

const NOT_ROTATED = {
  unknown: "There is no such key.",
  revoked: "The key is revoked.",
  expired: "The key has expired.",
  ending: "The key was rotated already, and still works for a while.",
} as const;

/**
 * Does what a form about a key asks for.
 *
 * @returns the action, with the new key of a rotation.
 * @throws {PublicError} `bad_request` for a wrong field, or a key that cannot be rotated, and what
 *   {@linkcode rotateKey} throws.
 * @throws {OutdatedError} if the origin was made from another version of the key.
 */
export async function actOnKey(
  kv: Deno.Kv,
  id: string,
  fields: Fields,
  { allEndpoints, origin }: {
    readonly allEndpoints: readonly string[];
    readonly origin: Origin;
  },
): Promise<{ readonly action: string; readonly created?: CreatedKey }> {
  const action = fields.one("action");
  if (action === "rename") await updateKey(kv, id, { label: readLabel(fields) }, origin);
  else if (action === "limit") await updateKey(kv, id, readLimits(fields, allEndpoints), origin);
  else if (action === "revoke") await revokeKey(kv, id, origin);
  else if (action === "rotate") {
    const hours = Number(readChoice(fields, "overlap", OVERLAPS));
    const overlap = { overlapMilliseconds: hours * HOUR_MILLISECONDS };
    const rotation = await rotateKey(kv, id, overlap, origin);
    if (rotation.kind === "rotated") return { action, created: rotation };
    throw new PublicError("bad_request", NOT_ROTATED[rotation.kind], { hint: "Create a new key." });
  } else throw unknownAction();
  return { action };
}

/** A key's own limits: the daily limit, and the endpoints; null for none and for all. */
function readLimits(
  fields: Fields,
  allEndpoints: readonly string[],
): Required<Pick<NewKey, "cap" | "endpoints">> {
  const cap = readAmount(fields, "cap");
  const chosen = allEndpoints.filter((name) => fields.all("endpoint").includes(name));
  if (chosen.length === 0) {
    const message = "No endpoint is chosen, so the key would be useless.";
    throw wrongField("endpoint", message, "Choose at least one.");
  }
  // A key for all endpoints may also use those that are added later.
  return { cap, endpoints: chosen.length === allEndpoints.length ? null : chosen };
}

/** A key's name; null for none. */
function readLabel(fields: Fields): string | null {
  const text = fields.one("label");
  const fault = text === "" ? null : findLabelFault(text);
  if (fault === null) return text || null;
  throw wrongField("label", `The name ${fault}.`, "Give a short one, such as “laptop”.");
}

function readChoice(fields: Fields, name: string, choices: Readonly<Record<string, string>>) {
  const text = fields.one(name);
  if (Object.hasOwn(choices, text)) return text;
  const hint = `Choose one of ${Object.keys(choices).join(", ")}.`;
  throw wrongField(name, `${JSON.stringify(text.slice(0, 40))} is none of the choices.`, hint);
}

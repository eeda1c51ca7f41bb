/** The error of an address below `/proxy` that does not exist. */

import { PublicError } from "../platform/http/errors.ts";
import { nearestName } from "../platform/nearest.ts";

/** Three edits, so that a missing or repeated `/v1` counts as a typo. */
const MAX_DISTANCE = 3;
const MAX_PATH_LENGTH = 100;
const NOT_FORWARDED = /\/(?:chat|completions|embeddings|messages|responses)(?:\/|$)/;

/**
 * Names the address that was probably meant, or else all of them.
 *
 * @param addresses every address of the service, with parameters in braces.
 */
export function unknownAddress(path: string, addresses: readonly string[]): PublicError {
  const known = addresses.filter((each) => each.startsWith("/proxy/") && !each.includes("{"));
  const meant = nearest(path.slice(0, MAX_PATH_LENGTH).toLowerCase(), known);
  if (meant !== undefined) return notFound("Nothing is at this address.", `Did you mean ${meant}?`);
  const message = NOT_FORWARDED.test(path)
    ? "The proxy has no chat and no embeddings: it only lists their models."
    : "Nothing is at this address.";
  return notFound(message, `The proxy has ${known.join(", ")}.`);
}

function notFound(message: string, hint: string): PublicError {
  return new PublicError("not_found", message, { hint });
}

/** The address that is a typo away, or else one with the same last segment. */
function nearest(path: string, known: readonly string[]): string | undefined {
  const byLowerCase = new Map(known.map((each) => [each.toLowerCase(), each]));
  const near = nearestName(path, [...byLowerCase.keys()]);
  if (near !== null && near.edits <= MAX_DISTANCE) return byLowerCase.get(near.name);
  const last = path.slice(path.lastIndexOf("/"));
  return last === "/" ? undefined : known.find((each) => each.toLowerCase().endsWith(last));
}

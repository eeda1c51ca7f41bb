/**
 * Content negotiation (RFC 9110, section 12.5) with the `negotiator` library. The library is strict, so the
 * parameters of media ranges and malformed fields are removed here.
 */

import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";

/** Longer fields come from no real client; they count as absent. */
const MAX_FIELD_LENGTH = 2_048;
const QUALITY = /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The content codings of prepared responses, best first. */
const ENCODINGS = ["br", "gzip"] as const;
/** A content coding of a response. */
export type Encoding = typeof ENCODINGS[number] | "identity";

/**
 * The best of the available media types for an `Accept` field, or null if it rules out all of them.
 *
 * @param available best first; the first one is the default.
 */
export function chooseMediaType<const T extends string>(
  accept: string | null,
  available: readonly [T, ...T[]],
): T | null {
  if (accept === null || accept === "*/*" || accept === available[0]) return available[0];
  const ranges = accept.length > MAX_FIELD_LENGTH ? "" : readableRanges(accept);
  if (ranges === "") return available[0];
  const negotiator = new Negotiator({ headers: { accept: ranges } });
  // The library returns one of the strings that it got.
  return (negotiator.mediaType([...available]) as T | undefined) ?? null;
}

/** By the latest fields: browsers send one of a few. */
const chosenEncodings = new LRUCache<string, Encoding>({ max: 100, memoMethod: readEncodings });

/** The content coding of a response. A field that excludes identity is overruled: a refusal would help no caller. */
export function chooseEncoding(acceptEncoding: string | null): Encoding {
  if (acceptEncoding === null || acceptEncoding.length > MAX_FIELD_LENGTH) return "identity";
  return chosenEncodings.memo(acceptEncoding);
}

function readEncodings(acceptEncoding: string): Encoding {
  const negotiator = new Negotiator({ headers: { "accept-encoding": acceptEncoding } });
  const chosen = negotiator.encoding([...ENCODINGS, "identity"], { preferred: [...ENCODINGS] });
  return ENCODINGS.find((encoding) => encoding === chosen) ?? "identity";
}

/** The valid ranges in lower case, with no parameter but a valid `q`. */
function readableRanges(accept: string): string {
  return accept.toLowerCase().split(",").flatMap((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    if (!/^[^\s/]+\/[^\s/]+$/.test(type)) return [];
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    if (weight === undefined) return [type];
    return QUALITY.test(weight) ? [`${type};${weight}`] : [];
  }).join(",");
}

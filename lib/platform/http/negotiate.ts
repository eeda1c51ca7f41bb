/**
 * Content negotiation (RFC 9110, section 12.5) with the `negotiator` library. The library is strict, so the
 * parameters of media ranges and malformed fields are removed here.
 */

import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";
import { cutAddress, pathOf } from "../address.ts";
import { PublicError } from "./errors.ts";

/** Longer fields come from no real client; they count as absent. */
const MAX_FIELD_LENGTH = 2_048;
const QUALITY = /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The content codings of prepared responses, best first. */
const ENCODINGS = ["br", "gzip"] as const;
/** A content coding of a response. */
export type Encoding = typeof ENCODINGS[number] | "identity";

/** The number of fields whose results are kept: clients send a few different ones. */
const MAX_REMEMBERED = 100;
/** By the available types and the field. */
const types = new LRUCache<string, { readonly best: string | null }, () => string | null>({
  max: MAX_REMEMBERED,
  // In an object, because a cache holds no null.
  memoMethod: (_key, _old, { context: read }) => ({ best: read() }),
});
const encodings = new LRUCache<string, Encoding>({
  max: MAX_REMEMBERED,
  memoMethod: (field) => readEncoding(field),
});

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
  if (accept.length > MAX_FIELD_LENGTH) return available[0];
  const context = () => readMediaType(accept, available);
  // The key names the available types, so the remembered one is among them.
  return types.memo(`${available}\n${accept}`, { context }).best as T | null;
}

/** As {@linkcode chooseMediaType}, for a field that is read for the first time. */
export function readMediaType(accept: string, available: readonly string[]): string | null {
  const ranges = readableRanges(accept);
  const negotiator = new Negotiator({ headers: { accept: ranges === "" ? "*/*" : ranges } });
  return negotiator.mediaType([...available]) ?? null;
}

/** The error of a resource that `Accept` excludes in each of its formats. */
export function notAcceptable(formats: readonly string[]): PublicError {
  return new PublicError(
    "not_acceptable",
    "The Accept header excludes every format of this address.",
    {
      hint: `Accept ${formats.join(" or ")}, or send no Accept header.`,
      headers: { vary: "accept" },
    },
  );
}

/** The content coding of a response. A field that excludes identity is overruled: a refusal would help no caller. */
export function chooseEncoding(acceptEncoding: string | null): Encoding {
  if (acceptEncoding === null || acceptEncoding.length > MAX_FIELD_LENGTH) return "identity";
  return encodings.memo(acceptEncoding);
}

/** As {@linkcode chooseEncoding}, for a field that is read for the first time. */
export function readEncoding(acceptEncoding: string): Encoding {
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

/** The media types of pages; the first one is the default. */
export const PAGE_TYPES = ["text/html", "text/markdown"] as const;
/** A media type of a page. */
export type PageType = typeof PAGE_TYPES[number];

/** The ending of a twin's address. */
const TWIN = ".md";

/**
 * The type that a request prefers, or null if its `Accept` excludes both. The twin's address is always markdown.
 * A field that names only other types, without excluding these, is ignored (RFC 9110, section 12.5.1, allows
 * it), since a page helps more than a refusal.
 */
export function choosePageType(
  { url, headers }: Pick<Request, "url" | "headers">,
): PageType | null {
  if (pathOf(url).endsWith(TWIN)) return "text/markdown";
  const accept = headers.get("accept");
  const chosen = chooseMediaType(accept, PAGE_TYPES);
  if (chosen !== null || accept === null || /\*\/\*\s*;/.test(accept)) return chosen;
  // The field lists types without excluding others, so pages are added to it.
  return chooseMediaType(`${accept}, */*;q=0.001`, PAGE_TYPES);
}

/** The address of a page's markdown: `/index.md` for `/`, else the path with `.md` appended. */
export function twinOf(address: string): string {
  const { path, search } = cutAddress(address);
  return (path === "/" ? `/index${TWIN}` : `${path}${TWIN}`) + search;
}

/** A name from an address, without a twin's ending. */
export function withoutTwin(name: string): string {
  return name.endsWith(TWIN) ? name.slice(0, -TWIN.length) : name;
}

/**
 * Content negotiation (RFC 9110, section 12.5), lenient: a malformed member of a field counts as absent, and so do all
 * parameters but the weight.
 */

import { cutAddress, pathOf } from "../address.ts";
import { PublicError } from "./errors.ts";

/** Longer fields come from no real client; they count as absent. */
const MAX_FIELD_LENGTH = 2_048;
const QUALITY = /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
const MEDIA_RANGE = /^[^\s/]+\/[^\s/]+$/;

/** A content coding of a response. */
export type Encoding = "br" | "gzip" | "identity";

/** The weights of a field's members by their names in lower case, in their order. */
type Weights = ReadonlyMap<string, number>;

function readWeights(field: string): Weights {
  const read = new Map<string, number>();
  for (const member of field.toLowerCase().split(",")) {
    const [name = "", ...parameters] = member.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q=")) ?? "q=1";
    if (name === "" || read.has(name) || !QUALITY.test(weight)) continue;
    read.set(name, Number(weight.slice(2)));
  }
  return read;
}

/**
 * The best of the available media types for an `Accept` field, or null if it rules out all of them. Among equal
 * weights, a type that is named comes before one of a wildcard, and then the order of the field decides.
 *
 * @param available best first; the first one is the default.
 */
export function chooseMediaType<const T extends string>(
  accept: string | null,
  available: readonly [T, ...T[]],
): T | null {
  if (accept === null || accept === "*/*" || accept === available[0]) return available[0];
  if (accept.length > MAX_FIELD_LENGTH) return available[0];
  const given = readWeights(accept);
  const names = [...given.keys()];
  if (!names.some((name) => MEDIA_RANGE.test(name))) return available[0];
  const ranked = available.map((type) => {
    // The most specific range that holds the type decides.
    const ranges = [type, type.replace(/\/.*/, "/*"), "*/*"];
    const width = ranges.findIndex((range) => given.has(range));
    const range = ranges[width] ?? "";
    return { type, width, weight: given.get(range) ?? 0, at: names.indexOf(range) };
  }).filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.width - b.width || a.at - b.at);
  return ranked[0]?.type ?? null;
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
  const given = readWeights(acceptEncoding);
  let best: Encoding = "identity";
  // What is not named at all is acceptable, but only uncompressed.
  let most = given.get("identity") ?? given.get("*") ?? Number.MIN_VALUE;
  for (const encoding of ["gzip", "br"] as const) {
    const weight = given.get(encoding) ?? given.get("*") ?? 0;
    if (weight > 0 && weight >= most) [best, most] = [encoding, weight];
  }
  return best;
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
  if (isTwin(url)) return "text/markdown";
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

/** Whether an address is that of a page's markdown alone. */
export function isTwin(url: string): boolean {
  return pathOf(url).endsWith(TWIN);
}

/** The path of the page whose markdown is at a path; any other path is unchanged. */
export function withoutTwin(path: string): string {
  return path === `/index${TWIN}` ? "/" : path.endsWith(TWIN) ? path.slice(0, -TWIN.length) : path;
}

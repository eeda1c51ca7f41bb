/** Conditional requests: RFC 9110, sections 8.8.3 and 13. */

/** Longer fields are ignored: the whole representation is always a correct response. */
const MAX_FIELD_LENGTH = 4_096;
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** The parts of a request that make it conditional. */
type ConditionalHeaders = Pick<Headers, "get">;

/** The validators of a representation; `lastModified` in epoch milliseconds, if it has one. */
interface Validators {
  /** As sent, such as `W/"abc"`. */
  readonly etag: string;
  readonly lastModified?: number;
}

/**
 * Whether a GET or HEAD gets 304: by `If-None-Match` with weak comparison, or without it by `If-Modified-Since`
 * (RFC 9110, section 13.2.2). A malformed field counts as absent.
 */
export function isNotModified(headers: ConditionalHeaders, validators: Validators): boolean {
  const ifNoneMatch = headers.get("if-none-match");
  if (ifNoneMatch !== null) return matches(ifNoneMatch, validators.etag);
  if (validators.lastModified === undefined) return false;
  const since = headers.get("if-modified-since");
  // Dates have whole seconds (RFC 9110, section 5.6.7).
  return since !== null && /GMT$/.test(since) &&
    Math.floor(validators.lastModified / 1000) * 1000 <= Date.parse(since);
}

function matches(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag) return true;
  if (ifNoneMatch.length > MAX_FIELD_LENGTH) return false;
  if (ifNoneMatch.trim() === "*") return true;
  const opaque = withoutWeakness(etag);
  return (ifNoneMatch.match(ENTITY_TAG) ?? []).some((tag) => withoutWeakness(tag) === opaque);
}

function withoutWeakness(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}

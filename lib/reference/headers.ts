/** The response headers that the service sends, each told once. */

import type { JsonSchema } from "./schemas.ts";

/** A response header. */
interface HeaderObject {
  readonly description: string;
  readonly schema: JsonSchema;
  /** The refusals that may have it. */
  readonly statuses?: readonly number[];
}

const text = { type: "string" } as const;

/** Every header by its name. */
export const HEADERS: Readonly<Record<string, HeaderObject>> = {
  "X-Request-Id": {
    description: "Names this answer in the service's log.",
    schema: { type: "string", format: "uuid" },
  },
  "ETag": { description: "Names what the answer says; for If-None-Match.", schema: text },
  "Last-Modified": { description: "When the events last changed.", schema: text },
  "Cache-Control": { description: "For how long the answer may be kept.", schema: text },
  "Age": {
    description: "Seconds since the list was read from its provider.",
    schema: { type: "integer", minimum: 0 },
  },
  "RateLimit": {
    description: "Requests that are left (r), and seconds until there is one more (t).",
    schema: text,
    statuses: [402, 403, 422, 429],
  },
  "RateLimit-Policy": {
    description: "Requests (q) that a window of so many seconds (w) allows.",
    schema: text,
    statuses: [402, 403, 422, 429],
  },
  "X-Spending-Warning": {
    description: "What is left of the day, once that is less than a fifth of its limit.",
    schema: text,
  },
  "X-Refused-By": {
    description: "Who refused: this service or the provider.",
    schema: { type: "string", enum: ["foyer", "upstream"] },
  },
  "Retry-After": {
    description: "Seconds after which to try again.",
    schema: text,
    statuses: [402, 429, 502, 503, 529],
  },
  "WWW-Authenticate": {
    description: "The scheme of the key (RFC 6750).",
    schema: text,
    statuses: [401],
  },
  "Link": { description: "Where else to look (RFC 8288).", schema: text },
};

/** References to headers. */
export function headerRefs(...names: readonly string[]): Record<string, { readonly $ref: string }> {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  );
}

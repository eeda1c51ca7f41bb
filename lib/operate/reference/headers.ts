/** The response headers that the service sends. */

import { NEAR_LIMIT_LEFT_PERCENT } from "../../platform/money.ts";
import type { JsonSchema } from "./schemas.ts";

const LIMITED = [402, 403, 422, 429];

/** Every header by its name. */
export const HEADERS: Readonly<Record<string, ReturnType<typeof header>>> = {
  "X-Request-Id": header("Identifies this response in the service's log.", [], {
    type: "string",
    format: "uuid",
  }),
  "ETag": header("Identifies the content of the response; send it as If-None-Match."),
  "Last-Modified": header("When the events last changed."),
  "Cache-Control": header("How long the response may be cached."),
  "Age": header("Seconds since the list was read from its provider.", [], {
    type: "integer",
    minimum: 0,
  }),
  "RateLimit": header("Requests left (r), and seconds until one more is allowed (t).", LIMITED),
  "RateLimit-Policy": header("Requests allowed (q) in a window of w seconds.", LIMITED),
  "X-Spending-Warning": header(
    `The amount left today, sent when it is less than ${NEAR_LIMIT_LEFT_PERCENT} % of the daily limit.`,
  ),
  "X-Cost-Usd": header(
    "The charge for this request in USD. Streams and requests that were not forwarded have none; " +
      "large JSON may have none.",
  ),
  "X-Refused-By": header("The origin of the error: this service or the provider.", [], {
    type: "string",
    enum: ["foyer", "upstream"],
  }),
  "Retry-After": header("Seconds to wait before trying again.", [402, 429, 502, 503, 529]),
  "WWW-Authenticate": header("The authentication scheme (RFC 6750).", [401]),
  "Link": header("Related resources (RFC 8288)."),
};

/** A header, with the error statuses that may have it. */
function header(
  description: string,
  statuses: readonly number[] = [],
  schema: JsonSchema = { type: "string" },
) {
  return { description, statuses, schema };
}

/** References to headers. */
export function headerRefs(...names: readonly string[]): Record<string, { readonly $ref: string }> {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  );
}

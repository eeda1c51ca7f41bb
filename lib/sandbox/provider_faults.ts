// The faults of the providers: their kinds, the requests that they affect, and their JSON.
// `provider_effects.ts` has the effects of faults, `fault_plan.ts` their times.

import { z } from "zod";
import { amount, createPlan, type Delay, timing } from "./fault_plan.ts";

/** The statuses that a status fault may have. */
export const FAULT_STATUSES = [400, 401, 402, 403, 404, 422, 429, 500, 502, 503, 529] as const;

/** One of {@linkcode FAULT_STATUSES}. */
export type FaultStatus = typeof FAULT_STATUSES[number];

/** The sentence of each status. The providers differ in their layouts. */
export const ERROR_TEXTS: Readonly<Record<FaultStatus, string>> = {
  400: "Invalid request.",
  401: "Invalid API key.",
  402: "The account has no credit left.",
  403: "This key may not do that.",
  404: "Not Found",
  422: "Field required",
  429: "Too many requests.",
  500: "Internal error.",
  502: "Bad gateway.",
  503: "The service is not available.",
  529: "The service is overloaded.",
};

const action = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal([
      // No response until the caller disconnects.
      "hang",
      // The first half of the body, then the connection breaks.
      "cut",
      // The first half of the body, ended as if it were whole.
      "truncated",
      // 200 and `application/json`, with random text.
      "garbage",
      // 200 and a page of HTML.
      "html",
      // The right body, one byte per chunk.
      "split",
      // A body that never ends, made only as fast as it is read.
      "endless",
      // Compressed, even if the caller did not accept that.
      "gzip",
      // The right body in chunks, its length not announced.
      "no-length",
    ]),
  }),
  // The right answer, late, by some milliseconds.
  z.object({ kind: z.literal("delay"), ms: amount }),
  // The first half of the body, then silence: for ever, for some milliseconds, or until a promise resolves.
  z.object({
    kind: z.literal("stall"),
    ms: amount.exactOptional(),
    until: z.instanceof<typeof Promise<unknown>>(Promise).exactOptional(),
  }),
  // The connection breaks before the answer, or with `after` between its headers and its body.
  z.object({ kind: z.literal("reset"), after: z.literal("headers").exactOptional() }),
  // An error in the provider's own layout.
  z.object({
    kind: z.literal("status"),
    status: z.literal(FAULT_STATUSES),
    retryAfterSeconds: amount.exactOptional(),
  }),
  // The right body under another content type.
  z.object({ kind: z.literal("content-type"), contentType: z.string() }),
  // The right answer without its cost (web search) or its usage (decisions).
  z.object({ kind: z.literal("missing-cost") }),
  // These very characters in place of `costDollars.total` or `usage.input_tokens`.
  z.object({ kind: z.literal("cost"), text: z.string() }),
  // The right response enlarged to this many bytes, made as fast as it is read; `length` false: not announced.
  z.object({ kind: z.literal("huge"), bytes: amount, length: z.boolean().exactOptional() }),
  // To `location`; unset: to the same address with `?redirected=1`. 307 unless another status is given.
  z.object({
    kind: z.literal("redirect"),
    location: z.string().exactOptional(),
    status: z.literal([301, 302, 303, 307, 308]).exactOptional(),
  }),
]);

const when = timing.extend({
  /** Only requests that have this `x-request-id`, and this path; unset: any. */
  match: z.object({
    requestId: z.string().exactOptional(),
    path: z.string().exactOptional(),
  }).exactOptional(),
});

/** A fault as JSON. */
export const providerFaultSchema = action.and(when);

/** The kind of a fault. */
export type ProviderFaultAction = z.infer<typeof action> | Delay;

/** A fault and when it comes. */
export type ProviderFault = ProviderFaultAction & z.infer<typeof when>;

/** The properties of a request that decide whether a fault affects it. */
interface ProviderOccasion {
  readonly requestId: string | null;
  readonly path: string;
}

/** Makes an empty plan. */
export function createProviderFaultPlan() {
  return createPlan<ProviderFault, ProviderOccasion>(({ match }, { requestId, path }) =>
    (match?.requestId === undefined || match.requestId === requestId) &&
    (match?.path === undefined || match.path === path)
  );
}

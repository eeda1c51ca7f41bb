// The faults of Airtable: their kinds, the requests that they affect, and their JSON.
// `airtable_effects.ts` has the effects of faults, `fault_plan.ts` their times.

import { z } from "zod";
import { ERROR_LAYOUTS, ERROR_STATUSES } from "./airtable_errors.ts";
import { amount, createPlan, type Delay, timing } from "./fault_plan.ts";

const layout = z.enum(ERROR_LAYOUTS).exactOptional();

const action = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal([
      // No response until the caller disconnects.
      "hang",
      // The connection breaks before the response.
      "reset",
      // 200 and `application/json`, with random text.
      "garbage",
      // 200 and a page of HTML.
      "html",
      // The right answer, ended in the middle as if it were whole.
      "truncated",
      // The right answer up to its middle, then the connection breaks.
      "cut",
      // A page that holds its first record twice.
      "duplicate-ids",
    ]),
  }),
  // The right answer, late, by some milliseconds.
  z.object({ kind: z.literal("delay"), ms: amount }),
  // An error answer in the layout of its status, or in another.
  z.object({
    kind: z.literal("status"),
    status: z.literal(ERROR_STATUSES),
    retryAfterSeconds: amount.exactOptional(),
    type: z.string().exactOptional(),
    layout,
  }),
  // The right body under another content type.
  z.object({ kind: z.literal("content-type"), contentType: z.string() }),
  // The cursor of the next request with one has expired.
  z.object({ kind: z.literal("iterator-death"), layout }),
  // A page whose cursor leads back to page one: always the same cursor, or with `fresh` always another.
  z.object({ kind: z.literal("endless-offset"), fresh: z.boolean().exactOptional() }),
]);

const when = timing.extend({
  /** The requests that it affects: listings (the default), files, or both. */
  target: z.enum(["list", "file", "any"]).exactOptional(),
});

/** A fault as JSON. */
export const airtableFaultSchema = action.and(when);

/** A fault and when it comes. */
export type AirtableFault = (z.infer<typeof action> | Delay) & z.infer<typeof when>;

/** The properties of a request that decide whether a fault affects it. */
interface AirtableOccasion {
  readonly target: "list" | "file";
  readonly hasOffset: boolean;
}

/** Makes an empty plan. */
export function createAirtableFaultPlan() {
  return createPlan<AirtableFault, AirtableOccasion>((
    { kind, target: wanted = "list" },
    { target, hasOffset },
  ) => (wanted === "any" || wanted === target) && (kind !== "iterator-death" || hasOffset));
}

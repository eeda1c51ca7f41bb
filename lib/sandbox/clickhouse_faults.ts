// The faults of ClickHouse: their kinds, the requests that they affect, and their JSON.

import { z } from "zod";
import { amount, createPlan, timing } from "./fault_plan.ts";

const action = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal([
      // No response until the caller disconnects.
      "hang",
      // The connection breaks before anything is done: with `sticky`, a server that is down.
      "reset",
      // The statement is run, and the connection breaks before the answer.
      "drop",
      // The first half of an insert's rows is stored, then an error follows.
      "partial",
      // The first half of the answer, as if it were whole.
      "truncated",
      // An error after half of the response, with status 200 and no header about it. With `wait_end_of_query` nothing
      // has been sent by then, so it is an ordinary error.
      "late",
    ]),
  }),
  // The right answer, late, by some milliseconds.
  z.object({ kind: z.literal("delay"), ms: amount }),
  // An error.
  z.object({
    kind: z.literal("exception"),
    code: amount.exactOptional(),
    status: amount.exactOptional(),
  }),
]);

/** A fault as JSON. */
export const clickHouseFaultSchema = action.and(timing.extend({
  /** The statements that it affects: inserts, all others, or both (the default). */
  target: z.enum(["insert", "query", "any"]).exactOptional(),
}));

/** A fault and when it comes. */
export type ClickHouseFault = z.infer<typeof clickHouseFaultSchema>;

/** The properties of a request that decide whether a fault affects it. */
interface ClickHouseOccasion {
  readonly isInsert: boolean;
}

/** Makes an empty plan. */
export function createClickHouseFaultPlan() {
  return createPlan<ClickHouseFault, ClickHouseOccasion>(({ target = "any" }, { isInsert }) =>
    target === "any" || (target === "insert") === isInsert
  );
}

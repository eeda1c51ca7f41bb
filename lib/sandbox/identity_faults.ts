// The faults of the identity provider's stand-in.

import { z } from "zod";
import { amount, timing } from "./fault_plan.ts";

const members = z.record(z.string(), z.unknown());

const action = z.discriminatedUnion("kind", [
  // The connection breaks before the response; no response ever comes.
  z.object({ kind: z.literal(["reset", "hang"]) }),
  z.object({ kind: z.literal("status"), status: amount }),
  // The id token has other claims, no signature, or that of a key that is not published.
  z.object({
    kind: z.literal("token"),
    claims: members.exactOptional(),
    signature: z.enum(["none", "foreign"]).exactOptional(),
  }),
  // The JSON of the response has other members.
  z.object({ kind: z.literal("members"), members }),
]);

/** A fault as JSON. */
export const identityFaultSchema = action.and(timing.extend({
  /** Only requests for this path, such as `/token`; unset: any. */
  path: z.string().exactOptional(),
}));

/** A fault, and when it comes. */
export type IdentityFault = z.infer<typeof identityFaultSchema>;

/** The properties of a request that decide whether a fault affects it. */
export interface IdentityOccasion {
  readonly path: string;
}

/** A counter for stores whose calls no test counts. */

import type { CallCounter } from "../../lib/events/airtable/quota.ts";

const nothing = () => Promise.resolve();

/** A counter that counts nothing. */
export const uncounted: Pick<CallCounter, "take" | "learn"> = {
  take: nothing,
  learn: nothing,
};

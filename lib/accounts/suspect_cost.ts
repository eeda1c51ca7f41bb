/**
 * Costs that an operator should look at: a provider stated far more than was reserved, so that the day's
 * limit may be passed by more than an estimate, or stated what cannot be a cost.
 */

import { formatUsd, type NanoUsd } from "../money.ts";
import type { Reservation } from "./books.ts";

/** A cost of more than so many times its reservation is suspect. It is booked: the provider charges it. */
const SUSPECT_TIMES = 10n;

/** What a provider said of a request's cost. */
interface Stated {
  readonly cost: NanoUsd | null;
  readonly unusableCost?: string;
}

/** What the log and the metric tell of a suspect cost. */
interface SuspectCost {
  readonly kind: "excessive" | "unusable";
  readonly message: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** What is suspect in a cost, if anything is. */
export function findSuspectCost(
  { requestId, accountId, endpoint, amount }: Reservation,
  { cost, unusableCost }: Stated,
): SuspectCost | null {
  const properties = { requestId, accountId, endpoint, reservedUsd: formatUsd(amount) };
  if (cost !== null && cost > SUSPECT_TIMES * amount) {
    return {
      kind: "excessive",
      message: `A request cost more than ${SUSPECT_TIMES} times what was reserved; it is booked.`,
      properties: { ...properties, costUsd: formatUsd(cost) },
    };
  }
  if (unusableCost === undefined) return null;
  const charged = cost === null ? "the reservation" : `${formatUsd(cost)} USD`;
  return {
    kind: "unusable",
    message: `A provider stated a cost that cannot be meant; ${charged} is charged.`,
    properties: { ...properties, stated: unusableCost },
  };
}

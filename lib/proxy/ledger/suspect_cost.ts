/**
 * Costs that an operator should check: a provider stated far more than was reserved, so that an account may
 * exceed its limit by more than one estimate, or stated something that cannot be a cost.
 */

import { formatUsd } from "../../platform/money.ts";
import type { Reservation, Settlement } from "./books.ts";

/**
 * A cost above this many times its reservation is suspect. It is booked nevertheless, because the provider charges
 * it.
 */
const SUSPECT_TIMES = 10n;

/** A suspect cost, for the log and the metric. */
interface SuspectCost {
  readonly kind: "excessive" | "unusable";
  readonly message: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Checks a cost; null if it is plausible. */
export function findSuspectCost(
  { requestId, accountId, endpoint, amount }: Reservation,
  { cost, unusableCost }: Settlement,
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
    message: `A provider stated an unusable cost; ${charged} is charged.`,
    properties: { ...properties, stated: unusableCost },
  };
}

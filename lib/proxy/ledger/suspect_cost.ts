/**
 * Costs that an operator should check: a provider stated far more than was reserved, so that an account may
 * exceed its limit by more than one estimate, or stated something that cannot be a cost.
 */

import { formatUsd, type NanoUsd } from "../../platform/money.ts";
import type { Reservation } from "./values.ts";

/** How a request ended. */
export interface Settlement {
  /** Its cost; null if the cost is unknown, and the reserved amount is charged instead. */
  readonly cost: NanoUsd | null;
  /** The beginning of the stated cost, if it is not a plausible amount. */
  readonly unusableCost?: string;
  readonly model?: string | null;
  readonly inputTokens?: number | null;
  readonly outputTokens?: number | null;
  /** The status that the caller got. */
  readonly status: number;
}

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
  const isExcessive = cost !== null && cost > SUSPECT_TIMES * amount;
  if (!isExcessive && unusableCost === undefined) return null;
  const properties = { requestId, accountId, endpoint, reservedUsd: formatUsd(amount) };
  if (isExcessive) {
    return {
      kind: "excessive",
      message: `A request cost more than ${SUSPECT_TIMES} times what was reserved; it is booked.`,
      properties: { ...properties, costUsd: formatUsd(cost) },
    };
  }
  const charged = cost === null ? "the reservation" : `${formatUsd(cost)} USD`;
  return {
    kind: "unusable",
    message: `A provider stated an unusable cost; ${charged} is charged.`,
    properties: { ...properties, stated: unusableCost },
  };
}

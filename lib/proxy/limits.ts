/** How the limits are reported: headers on every response, and the two refusals. */

import { type Admission, type Day, endOfDay, type RateState } from "../accounts/mod.ts";
import { PublicError } from "../http/mod.ts";
import { formatUsd, type NanoUsd, toUsd } from "../money.ts";

/** Responses carry a warning when less than a fifth of the limit is left. */
const WARNING_PART = 5n;

/**
 * The `RateLimit` fields (draft-ietf-httpapi-ratelimit-headers): `r` requests are left; after `t`
 * seconds the oldest counted one leaves the window.
 */
export function rateHeaders(rate: RateState, now: number): Record<string, string> {
  const reset = rate.resetsAt === null ? "" : `;t=${secondsUntil(rate.resetsAt, now)}`;
  return {
    "ratelimit": `"default";r=${rate.remaining}${reset}`,
    "ratelimit-policy": `"default";q=${rate.limit};w=${rate.windowSeconds}`,
  };
}

/** A sentence when less than a fifth of the day's limit is left, else null. */
export function spendingWarning({ day, book }: Day, limit: NanoUsd): string | null {
  const left = remaining({ day, book }, limit);
  if (left * WARNING_PART >= limit) return null;
  return `${formatUsd(left)} of ${formatUsd(limit)} USD left until ${resetOf(day)}`;
}

/** The rest of the day's limit, neither spent nor reserved. */
export function remaining({ book }: Day, limit: NanoUsd): NanoUsd {
  const left = limit - book.spent - book.reserved;
  return left > 0n ? left : 0n;
}

/** The end of a day, when the limit is reset, in ISO 8601. */
export function resetOf(day: string): string {
  return new Date(endOfDay(day)).toISOString();
}

/** The refusal of a request above the rate limit. */
export function rateRefusal(rate: RateState, now: number): PublicError {
  const seconds = secondsUntil(rate.resetsAt ?? now, now);
  const message =
    `The account's rate limit of ${rate.limit} requests per ${rate.windowSeconds} seconds is reached.`;
  return new PublicError("rate_limited", message, {
    hint: `Try again in ${seconds} seconds.`,
    headers: { ...rateHeaders(rate, now), "retry-after": String(seconds) },
  });
}

/** The refusal of a request above the daily spending limit. */
export function spendingRefusal(
  { rate, today: { day, book } }: Pick<Admission, "rate" | "today">,
  limit: NanoUsd,
  now: number,
): PublicError {
  const resetsAt = resetOf(day);
  const message = `The account's daily limit of ${formatUsd(limit)} USD is reached: ` +
    `${formatUsd(book.spent)} USD are spent and ${formatUsd(book.reserved)} USD reserved ` +
    "for requests in progress.";
  return new PublicError("spending_limit_reached", message, {
    hint: `The limit resets at ${resetsAt}; the operator can raise it. ` +
      "GET /proxy/v1/usage shows what the account spent.",
    headers: {
      ...rateHeaders(rate, now),
      "retry-after": String(secondsUntil(endOfDay(day), now)),
    },
    spending: {
      limitUsd: toUsd(limit),
      spentUsd: toUsd(book.spent),
      reservedUsd: toUsd(book.reserved),
      resetsAt,
    },
  });
}

function secondsUntil(moment: number, now: number): number {
  return Math.max(1, Math.ceil((moment - now) / 1000));
}

/** How the limits are reported: headers on every response, the two refusals, and the delays before refusals. */

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

/**
 * The delays before refusals in a process. Without them, callers who retry immediately would take processor time from
 * the admitted requests.
 */
interface RefusalPause {
  /** Before a 503 for too many requests: as long as its `Retry-After`. */
  forCapacity(): Promise<void>;
  /** Before a 429: none, unless the account got many of them in this second. */
  forRate(accountId: string): Promise<void>;
}

/** What {@linkcode createRefusalPause} needs. */
interface RefusalPauseOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

const PAUSE_MILLISECONDS = 1_000;
/** The largest number of waiting refusals, which take memory. Further ones are immediate. */
const MAX_WAITING = 4_000;
/** The immediate 429s of an account in a second; workers that heed `Retry-After` get no more. */
export const QUICK_RATE_REFUSALS = 20;

/** Makes the delays of a process; none is longer than two seconds. */
export function createRefusalPause({ now, sleep }: RefusalPauseOptions): RefusalPause {
  let waiting = 0;
  let second = 0;
  /** This second's 429s, by account. */
  let rateRefusals = new Map<string, number>();

  async function wait(milliseconds: number): Promise<void> {
    if (waiting >= MAX_WAITING) return;
    waiting++;
    await sleep(milliseconds);
    waiting--;
  }

  return {
    forCapacity: () => wait(PAUSE_MILLISECONDS),
    async forRate(accountId) {
      const current = Math.floor(now() / 1000);
      if (current !== second) [second, rateRefusals] = [current, new Map()];
      const count = (rateRefusals.get(accountId) ?? 0) + 1;
      rateRefusals.set(accountId, count);
      // Spread, so that simultaneous callers do not return simultaneously.
      if (count > QUICK_RATE_REFUSALS) await wait(PAUSE_MILLISECONDS * (1 + Math.random()));
    },
  };
}

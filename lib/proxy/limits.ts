/** How the limits are reported: headers on every response, the two refusals, and the delays before refusals. */

import type { Platform } from "../platform/platform.ts";
import { endOfDay } from "../platform/utc_days.ts";
import type { KeyCap } from "../accounts/key.ts";
import type { Found, OverDailyLimit } from "./ledger/transitions.ts";
import type { RateState } from "./ledger/rate_window.ts";
import type { DaySums } from "./ledger/values.ts";
import type { Config } from "../platform/config/config.ts";
import { operatorInWords, PublicError } from "../platform/http/errors.ts";
import { formatUsd, isNearLimit, type NanoUsd, toUsd } from "../platform/money.ts";

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

/** How long a request may be silent before its reservation is charged: twice as long as a provider may be. */
export function reservationSeconds({ UPSTREAM_TIMEOUT_SECONDS }: Config): number {
  return 2 * UPSTREAM_TIMEOUT_SECONDS;
}

/** The daily limits that apply to a caller. */
export interface DailyLimits {
  /** The account's. */
  readonly limit: NanoUsd;
  /** The key's own; absent if it has none. */
  readonly cap?: KeyCap | undefined;
}

/** A sentence when the day's limit is nearly used, the account's or the key's; else null. */
export function spendingWarning(
  { today: { day, sums }, capDay }: Pick<Found, "today" | "capDay">,
  { limit, cap }: DailyLimits,
): string | null {
  const warn = (of: Sums, limit: NanoUsd, ofWhat: string) =>
    `${formatUsd(remaining(of, limit))} of ${formatUsd(limit)} USD ${ofWhat}left until ` +
    resetOf(day);
  if (isNear(sums, limit)) return warn(sums, limit, "");
  if (cap === undefined || capDay === null || !isNear(capDay, cap.limitNanoUsd)) return null;
  return warn(capDay, cap.limitNanoUsd, "of this key ");
}

/** Amounts of a day. */
type Sums = Pick<DaySums, "spent" | "reserved">;

function isNear({ spent, reserved }: Sums, limit: NanoUsd): boolean {
  return isNearLimit(spent + reserved, limit);
}

/** The rest of a day's limit, neither spent nor reserved. */
export function remaining({ spent, reserved }: Sums, limit: NanoUsd): NanoUsd {
  const left = limit - spent - reserved;
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

/** How long a request in progress usually takes, as a `Retry-After`. */
const OPEN_SECONDS = 2;

/** The refusal of a request whose estimate does not fit below what the requests in progress leave of a daily limit. */
export function openRefusal({ rate, scope, until }: OverDailyLimit, now: number): PublicError {
  const whose = { account: "the account's", key: "the key's", service: "the service's" };
  const message =
    `Requests of the account are in progress, and the estimate of this one does not fit below ` +
    `what they leave of ${whose[scope]} daily limit.`;
  const seconds = until === undefined ? OPEN_SECONDS : secondsUntil(until, now);
  const then = until === undefined
    ? "when some of them have ended"
    : "when they have ended, or are charged if a crash has ended them";
  return new PublicError("too_many_open", message, {
    hint: `Try again in ${seconds} seconds, ${then}.`,
    headers: { ...rateHeaders(rate, now), "retry-after": String(seconds) },
  });
}

/** The refusal of a request above a daily spending limit. */
export function spendingRefusal(
  { rate, today: { day, sums }, capDay, scope }: OverDailyLimit,
  limits: DailyLimits,
  { SITE_CONTACT }: Pick<Config, "SITE_CONTACT">,
  now: number,
): PublicError {
  const resetsAt = resetOf(day);
  const limit = scope === "key" ? limits.cap?.limitNanoUsd ?? 0n : limits.limit;
  const { spent, reserved } = scope === "key" && capDay !== null ? capDay : sums;
  const message = scope === "service"
    ? "The daily limit of all accounts together is reached."
    : `The ${scope}'s daily limit of ${formatUsd(limit)} USD is reached: ` +
      `${formatUsd(spent)} USD are spent and ${formatUsd(reserved)} USD reserved ` +
      "for requests in progress.";
  const operator = operatorInWords(SITE_CONTACT);
  const remedy = {
    account: `ask ${operator} for a higher one. GET /proxy/v1/usage shows what the account spent.`,
    key: "another key of the account may still work. GET /proxy/v1/usage shows what the key spent.",
    service: `ask ${operator} for a higher one. The account's own limit is not reached.`,
  };
  return new PublicError("spending_limit_reached", message, {
    hint: `The limit resets at ${resetsAt}; ${remedy[scope]}`,
    headers: {
      ...rateHeaders(rate, now),
      "retry-after": String(secondsUntil(endOfDay(day), now)),
    },
    spending: {
      scope,
      limitUsd: toUsd(limit),
      spentUsd: toUsd(spent),
      reservedUsd: toUsd(reserved),
      resetsAt,
    },
  });
}

function secondsUntil(moment: number, now: number): number {
  return Math.max(1, Math.ceil((moment - now) / 1000));
}

const PAUSE_MILLISECONDS = 1_000;
/** The largest number of waiting refusals, which take memory. Further ones are immediate. */
const MAX_WAITING = 4_000;
const COUNTED_BYTES = 64 * 1024;
/** The immediate refusals of an account in a second; workers that obey `Retry-After` get no more. */
export const QUICK_REFUSALS = 20;

/**
 * Makes the delays before refusals of a process; none is longer than two seconds. Without them, callers who retry
 * immediately would take processor time from the admitted requests.
 */
export function createRefusalPause({ now, sleep }: Pick<Platform, "now" | "sleep">) {
  let waiting = 0;
  let second = 0;
  /** This second's refusals, by account. */
  let refusals = new Map<string, number>();

  /**
   * None, unless the account got many refusals in this second, or callers whose accounts are not known yet did. A
   * body counts once for each 64 KiB, because a large one takes longer to refuse.
   */
  return async function pause(accountId = "", bodyBytes = 0): Promise<void> {
    const current = Math.floor(now() / 1000);
    if (current !== second) [second, refusals] = [current, new Map()];
    const count = (refusals.get(accountId) ?? 0) +
      Math.ceil(Math.max(1, bodyBytes) / COUNTED_BYTES);
    refusals.set(accountId, count);
    if (count <= QUICK_REFUSALS || waiting >= MAX_WAITING) return;
    waiting++;
    // Spread, so that simultaneous callers do not return simultaneously.
    await sleep(PAUSE_MILLISECONDS * (1 + Math.random()));
    waiting--;
  };
}

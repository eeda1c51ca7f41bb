/** The caller's own view of spending: `GET /proxy/v1/usage`. */

import { z } from "zod";
import { type Day, EMPTY_DAY } from "./ledger/transitions.ts";
import { dayOf } from "../platform/utc_days.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { RateState } from "./ledger/rate_window.ts";
import { MAX_KEYS, OTHER_KEYS, type RequestSums } from "./ledger/values.ts";
import { parseQuery, wholeNumber } from "../platform/parameters.ts";
import { NEAR_LIMIT_LEFT_PERCENT, toUsd } from "../platform/money.ts";
import { type DailyLimits, remaining, resetOf, spendingWarning } from "./limits.ts";

/** `days` counts back from today. The maximum is shorter than the time for which usage records are kept. */
export const USAGE_PARAMETERS = { days: wholeNumber(1, 90) };

const usd = z.number().describe("USD.");
const sumsSchema = z.record(z.string(), z.object({ requests: z.int(), spentUsd: usd }));
const dayUsageSchema = z.object({
  day: z.iso.date().describe("In UTC."),
  spentUsd: usd,
  reservedUsd: usd.describe("Reserved for requests in progress, USD."),
  requests: z.int(),
  byEndpoint: sumsSchema,
  byKey: sumsSchema.describe(
    `By the id of the key; those after the first ${MAX_KEYS} of the day are together \`${OTHER_KEYS}\`.`,
  ),
}).meta({ id: "DayUsage" });

/** The body of the response; all amounts are exact to the nano-dollar. */
export const usageSchema = z.object({
  data: dayUsageSchema.extend({
    limitUsd: usd,
    remainingUsd: usd,
    resetsAt: z.iso.datetime(),
    rateLimit: z.object({
      limit: z.int(),
      remaining: z.int(),
      windowSeconds: z.int(),
      resetsAt: z.iso.datetime().describe("When the oldest counted request leaves the window."),
    }),
    key: z.object({
      limitUsd: usd,
      spentUsd: usd,
      reservedUsd: usd,
      remainingUsd: usd.describe("The account's limit may leave less."),
    }).optional().describe("The key's own daily limit, if it has one."),
    warning: z.string().optional().describe(
      `Given when less than ${NEAR_LIMIT_LEFT_PERCENT} % of the limit is left.`,
    ),
    days: z.array(dayUsageSchema).optional().describe("The days before, the latest first."),
  }),
}).meta({ id: "Usage" });

/** The spending of a day. */
export type DayUsage = Readonly<z.output<typeof dayUsageSchema>>;
/** The body's `data`. */
export type Usage = Readonly<z.output<typeof usageSchema>["data"]>;

/**
 * The spending and the rate of an account.
 *
 * @param search the query string, with `days` from 1 (today alone) to 90.
 * @throws {PublicError} `bad_request` for another parameter or value.
 */
export async function getUsage(
  ledger: Ledger,
  account: DailyLimits & { readonly accountId: string },
  search: string,
  now: () => number,
): Promise<{ readonly usage: Usage; readonly rate: RateState }> {
  const { days: count = 1 } = parseQuery(search, USAGE_PARAMETERS);
  const { accountId, limit, cap } = account;
  const { days, rate, capDay } = await ledger.status(accountId, count, cap);
  const [today = { day: dayOf(now()), sums: EMPTY_DAY }, ...before] = days;
  const warning = spendingWarning({ today, capDay }, account);
  const usage = {
    ...dayUsage(today),
    limitUsd: toUsd(limit),
    remainingUsd: toUsd(remaining(today.sums, limit)),
    resetsAt: resetOf(today.day),
    rateLimit: {
      limit: rate.limit,
      remaining: rate.remaining,
      windowSeconds: rate.windowSeconds,
      resetsAt: new Date(rate.resetsAt ?? now()).toISOString(),
    },
    ...cap && capDay && {
      key: {
        limitUsd: toUsd(cap.limitNanoUsd),
        spentUsd: toUsd(capDay.spent),
        reservedUsd: toUsd(capDay.reserved),
        remainingUsd: toUsd(remaining(capDay, cap.limitNanoUsd)),
      },
    },
    ...(warning === null ? {} : { warning }),
    ...(count === 1 ? {} : { days: before.map(dayUsage) }),
  };
  return { usage, rate };
}

function dayUsage({ day, sums }: Day): DayUsage {
  return {
    day,
    spentUsd: toUsd(sums.spent),
    reservedUsd: toUsd(sums.reserved),
    requests: sums.requests,
    byEndpoint: toUsage(sums.byEndpoint),
    byKey: toUsage(sums.byKey ?? {}),
  };
}

function toUsage(sums: Readonly<Record<string, RequestSums>>) {
  const inUsd = Object.entries(sums).map(([name, { requests, spent }]) =>
    [name, { requests, spentUsd: toUsd(spent) }] as const
  );
  return Object.fromEntries(inUsd);
}

/** The caller's own view of spending: `GET /proxy/v1/usage`. */

import { dayOf, EMPTY_DAY } from "../accounts/books.ts";
import type { Day, Ledger } from "../accounts/ledger.ts";
import type { RateState } from "../accounts/rate_window.ts";
import { parseQuery } from "../http/query.ts";
import { type NanoUsd, toUsd } from "../money.ts";
import { remaining, resetOf, spendingWarning } from "./limits.ts";

/** Days that can be asked for: as long as usage records are kept, with room to spare. */
const MAX_DAYS = 90;

/** What was spent on a day. All amounts are in USD, exact to the nano-dollar. */
export interface DayUsage {
  readonly day: string;
  readonly spentUsd: number;
  /** Set aside for requests on their way, or left behind by a crash and soon charged. */
  readonly reservedUsd: number;
  readonly requests: number;
  readonly byEndpoint: Readonly<Record<string, { requests: number; spentUsd: number }>>;
}

/** The body's `data`. */
export interface Usage extends DayUsage {
  readonly limitUsd: number;
  readonly remainingUsd: number;
  /** ISO 8601, UTC. */
  readonly resetsAt: string;
  readonly rateLimit: {
    readonly limit: number;
    readonly remaining: number;
    readonly windowSeconds: number;
    /** When the oldest counted request leaves the window. */
    readonly resetsAt: string;
  };
  /** Given when less than a fifth of the limit is left. */
  readonly warning?: string;
  /** The days before, the latest first, if they were asked for by `?days=`. */
  readonly days?: readonly DayUsage[];
}

/**
 * Where an account stands now.
 *
 * @param search the query string: `days` from 1 (today alone) to 90.
 * @throws {PublicError} `bad_request` for another parameter or value.
 */
export async function getUsage(
  ledger: Ledger,
  account: { readonly id: string; readonly limit: NanoUsd },
  search: string,
  now: () => number,
): Promise<{ readonly usage: Usage; readonly rate: RateState }> {
  const { days: count = 1 } = parseQuery(search, {
    days: { kind: "integer", min: 1, max: MAX_DAYS },
  });
  const { days, rate } = await ledger.standing(account.id, count);
  const [today = { day: dayOf(now()), book: EMPTY_DAY }, ...before] = days;
  const warning = spendingWarning(today, account.limit);
  const usage = {
    ...dayUsage(today),
    limitUsd: toUsd(account.limit),
    remainingUsd: toUsd(remaining(today, account.limit)),
    resetsAt: resetOf(today.day),
    rateLimit: {
      limit: rate.limit,
      remaining: rate.remaining,
      windowSeconds: rate.windowSeconds,
      resetsAt: new Date(rate.resetsAt ?? now()).toISOString(),
    },
    ...(warning === null ? {} : { warning }),
    ...(count === 1 ? {} : { days: before.map(dayUsage) }),
  };
  return { usage, rate };
}

function dayUsage({ day, book }: Day): DayUsage {
  const byEndpoint = Object.entries(book.byEndpoint).map(([endpoint, { requests, spent }]) =>
    [endpoint, { requests, spentUsd: toUsd(spent) }] as const
  );
  return {
    day,
    spentUsd: toUsd(book.spent),
    reservedUsd: toUsd(book.reserved),
    requests: book.requests,
    byEndpoint: Object.fromEntries(byEndpoint),
  };
}

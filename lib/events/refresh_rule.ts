/**
 * The rule that decides until when the stored events are right, and when the record store is read again. It is a
 * function of values in the database, so all isolates agree.
 *
 * A snapshot is right until its read began; with notifications, until the first of these moments: now, the first
 * notification that it does not serve, an hour after its read began, the end of the hook. From then on it is served
 * for as long as data may lag, including the caches of clients.
 *
 * While calls are scarce, a notification waits longer for its read, so that a burst of edits is one read. It never waits
 * so long that a snapshot is refused.
 */

import { MAX_AGE_MILLISECONDS, MAX_SKEW_MILLISECONDS } from "./values.ts";

/** The last notifications of a change; times are epoch milliseconds. */
export interface Mark {
  /** The first notification that no snapshot serves yet, and the last of all. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Changes with each notification. */
  readonly version: string;
}

/** A hook that is known to be alive, and until when (epoch milliseconds). */
export interface HookLife {
  readonly id: string;
  readonly until: number;
}

/** The values in the database; times are epoch milliseconds. */
export interface RefreshFacts {
  readonly now: number;
  /** The snapshot: when its read began, the version of the last mark before, and the hook that was alive then. */
  readonly readAt: number;
  readonly markServed: string | null;
  readonly hookOfRead: string | null;
  /** Null if there has been no notification. */
  readonly mark: Mark | null;
  /** Null if no hook is known to be alive. */
  readonly hook: HookLife | null;
  /** Whether the calls of the month must be spared (`airtable/calls.ts`). */
  readonly areCallsScarce: boolean;
}

/** The conclusions from the facts; times are epoch milliseconds. */
export interface Freshness {
  /** Until when the snapshot is known to be right. */
  readonly rightUntil: number;
  /** When the store is read again. */
  readonly dueAt: number;
  /** Whether a notification waits for its read. */
  readonly isMarked: boolean;
  /** Whether the service relies on notifications, so that `rightUntil` is later than the read. */
  readonly isNotified: boolean;
}

/** The minimum between two reads after notifications. */
export const MIN_INTERVAL_MILLISECONDS = 10_000;
/** How long a read waits for the end of a burst of edits, in milliseconds. */
interface Patience {
  /** A burst is over after this long without another notification. */
  readonly quiet: number;
  /** A burst that continues is read this long after its first notification. */
  readonly longest: number;
}

/** Well within the promised minute. */
const PROMPT: Patience = { quiet: 5_000, longest: 50_000 };
/** While calls are scarce: well within the promised five minutes. */
export const THRIFTY: Patience = { quiet: 20_000, longest: 240_000 };
/**
 * The longest interval of reads with notifications: it covers lost ones, and signed addresses of attachments live two
 * hours.
 */
export const HOURLY_MILLISECONDS = 3_600_000;

/** Applies the rule. @param pollMilliseconds the interval of reads without notifications. */
export function applyRefreshRule(facts: RefreshFacts, pollMilliseconds: number): Freshness {
  const { now, readAt, mark, hook } = facts;
  const isMarked = mark !== null && mark.version !== facts.markServed;
  // A read before this hook was alive may have missed changes that no notification reports.
  const isNotified = hook !== null && hook.id === facts.hookOfRead && now < hook.until;
  // A time in the future comes from a wrong clock: the change may have come at any time.
  const changedAt = !isMarked
    ? Infinity
    : mark.firstAt > now + MAX_SKEW_MILLISECONDS
    ? readAt
    : mark.firstAt;
  const rightUntil = isNotified
    ? Math.min(now, readAt + HOURLY_MILLISECONDS, hook.until, changedAt)
    : readAt;
  const known = Math.max(readAt, rightUntil);
  const regular = readAt + (isNotified ? HOURLY_MILLISECONDS : pollMilliseconds);
  const { quiet, longest } = facts.areCallsScarce ? THRIFTY : PROMPT;
  const asked = isMarked
    ? Math.max(
      readAt + MIN_INTERVAL_MILLISECONDS,
      Math.min(mark.lastAt + quiet, changedAt + longest),
    )
    : Infinity;
  const dueAt = Math.min(regular, asked, known + MAX_AGE_MILLISECONDS);
  return { rightUntil: known, dueAt, isMarked, isNotified };
}

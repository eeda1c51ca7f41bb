/** How long analytics stores keep usage records: for a number of days, or for ever. */

import { dayOf, daysUntil } from "../ledger/books.ts";
import type { Question } from "./store.ts";

/** Which records are kept. */
export interface Retention {
  /** The day this many days ago is the oldest that is kept; null keeps records for ever. */
  readonly days: number | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Removes nothing. */
export const KEEP_FOREVER: Retention = { days: null, now: Date.now };

/** The oldest day that is kept on the day `today`. */
export function firstKeptDay(today: string, days: number): string {
  return Temporal.PlainDate.from(today).subtract({ days }).toString();
}

/**
 * The question without the days past the retention. Stores may remove them late, but no answer counts
 * them.
 */
export function withoutPastDays(question: Question, { days, now }: Retention): Question {
  if (days === null) return question;
  const first = firstKeptDay(dayOf(now()), days);
  return question.from < first ? { ...question, from: first } : question;
}

/** The days of a period in their order; none if it ends before it begins. */
export function daysFrom(from: string, to: string): string[] {
  const { days } = Temporal.PlainDate.from(from).until(to);
  return daysUntil(to, days + 1).toReversed();
}

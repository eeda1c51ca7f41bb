/** How long usage records are kept: for so many days, or for ever. */

import { dayOf } from "../accounts/mod.ts";
import type { Question } from "./store.ts";

/** Which records are kept. */
export interface Retention {
  /** The day so many days ago is the last that is kept; null keeps records for ever. */
  readonly days: number | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Nothing is removed. */
export const KEEP_FOREVER: Retention = { days: null, now: Date.now };

/** The first day that is kept when it is `today`. */
export function firstKeptDay(today: string, days: number): string {
  return Temporal.PlainDate.from(today).subtract({ days }).toString();
}

/**
 * The question without the days that are past. Stores remove them in their own time, and perhaps late; an answer
 * never counts them, whichever store gives it.
 */
export function withoutPastDays(question: Question, { days, now }: Retention): Question {
  if (days === null) return question;
  const first = firstKeptDay(dayOf(now()), days);
  return question.from < first ? { ...question, from: first } : question;
}

/** Values that people write and read on a command line: amounts, durations, moments. */

import { formatUsd, type NanoUsd, parseUsd } from "../lib/money.ts";
import { makePrintable } from "../lib/text.ts";
import { DAY_MILLISECONDS } from "../lib/time.ts";
import { Mistake } from "./mistake.ts";

const UNITS = { m: 60_000, h: 3_600_000, d: DAY_MILLISECONDS, w: 7 * DAY_MILLISECONDS } as const;
/** Longer ones are typing mistakes, and would leave the range of dates. */
const DURATION = /^(?<count>\d{1,4})(?<unit>[mhdw])$/;
const DURATIONS = "30m, 12h, 90d or 2w";

/**
 * Reads an amount of dollars, in nano-dollars.
 *
 * @throws {Mistake} for anything but a decimal number from 0.
 */
export function readAmount(text: string): NanoUsd {
  const amount = parseUsd(text);
  if (amount !== null) return amount;
  throw new Mistake(`“${text}” is no amount; expected US dollars from 0, such as 4 or 0.50`);
}

/**
 * Reads a duration such as `90d`, in milliseconds; 0 is one.
 *
 * @throws {Mistake} for anything else.
 */
export function readDuration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== null) return milliseconds;
  throw new Mistake(`“${text}” is no duration; expected one such as ${DURATIONS}`);
}

/**
 * Reads a moment to come, in epoch milliseconds: a duration from now, an ISO 8601 date (its beginning
 * in UTC), or a date with a time and an offset.
 *
 * @throws {Mistake} for anything else, and for a moment that is not to come.
 */
export function readFuture(text: string, now: number): number {
  const duration = parseDuration(text);
  const at = duration === null ? parseMoment(text) : now + duration;
  if (at === null) {
    throw new Mistake(
      `“${text}” is no time; expected a duration such as ${DURATIONS}, or a date such as 2027-01-31`,
    );
  }
  if (at > now) return at;
  throw new Mistake(`“${text}” is not in the future; it is ${formatMoment(now)} now`);
}

/** A moment as people read it: `2026-11-21 12:00 UTC`. */
export function formatMoment(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** A moment as programs read it, or null for none. */
export function toIso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** An amount as people read it: `4 USD`. */
export function formatAmount(amount: NanoUsd): string {
  return `${formatUsd(amount)} USD`;
}

/** A text that others chose, such as the name of a model: terminals obey control characters. */
export function printable(text: string): string {
  return makePrintable(text, () => "\u{fffd}");
}

function parseDuration(text: string): number | null {
  const { count, unit } = DURATION.exec(text)?.groups ?? {};
  if (count === undefined) return null;
  // The pattern has no other unit.
  return Number(count) * UNITS[unit as keyof typeof UNITS];
}

function parseMoment(text: string): number | null {
  try {
    return /^\d{4}-\d\d-\d\d$/.test(text)
      ? Temporal.PlainDate.from(text).toZonedDateTime("UTC").epochMilliseconds
      : Temporal.Instant.from(text).epochMilliseconds;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

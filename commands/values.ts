/** Reads and formats amounts, durations, moments and tables on a command line. */

import { InvalidArgumentError } from "commander";
import { z } from "zod";
import type { DaySums } from "../lib/proxy/ledger/values.ts";
import { type NanoUsd, parseUsd, toUsd } from "../lib/platform/money.ts";
import { isObject } from "../lib/platform/json.ts";
import { makePrintable } from "../lib/platform/text.ts";
import { DAY_MILLISECONDS, formatMinute, HOUR_MILLISECONDS } from "../lib/platform/time.ts";
import { Mistake } from "./frame.ts";

const UNITS = {
  m: 60_000,
  h: HOUR_MILLISECONDS,
  d: DAY_MILLISECONDS,
  w: 7 * DAY_MILLISECONDS,
} as const;
/** Longer durations are mistakes, and would exceed the range of dates. */
const DURATION = /^(?<count>\d{1,4})(?<unit>[mhdw])$/;
const DURATIONS = "30m, 12h, 90d or 2w";

/** Reads an amount of dollars as nano-dollars: a decimal number from 0. */
export function readAmount(text: string): NanoUsd {
  const amount = parseUsd(text);
  if (amount !== null) return amount;
  throw new InvalidArgumentError("Give US dollars from 0, such as 4 or 0.50.");
}

/** Reads a duration such as `90d` as milliseconds; zero is allowed. */
export function readDuration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== null) return milliseconds;
  throw new InvalidArgumentError(`Give a duration such as ${DURATIONS}.`);
}

/** Reads a UTC day such as `2026-11-21`. */
export function readDay(text: string): string {
  if (z.iso.date().safeParse(text).success) return text;
  throw new InvalidArgumentError("Give a day such as 2026-11-21.");
}

/**
 * Reads a moment as epoch milliseconds: an ISO 8601 date (its start in UTC), a date with a time and an offset, or a
 * duration from now, which in the past is one back.
 *
 * @throws {Mistake} for anything else, and for a moment on the wrong side of now.
 */
export function readTime(text: string, now: number, side: "past" | "future"): number {
  const sign = side === "future" ? 1 : -1;
  const duration = parseDuration(text);
  const at = duration === null ? parseMoment(text) : now + sign * duration;
  if (at === null) {
    throw new Mistake(
      `“${text}” is not a time; give a duration such as ${DURATIONS}, or a date such as 2027-01-31`,
    );
  }
  if (sign * (at - now) >= (side === "future" ? 1 : 0)) return at;
  throw new Mistake(`“${text}” is not in the ${side}: it is now ${formatMoment(now)}`);
}

/** A moment as text: `2026-11-21 12:00 UTC`, or `-` for none. */
export function formatMoment(at: number | null): string {
  return at === null ? "-" : formatMinute(at);
}

/** A value for `--json`: amounts in dollars, and moments as texts. A member's name tells whether it is a moment. */
export function toJson(value: unknown, name = ""): unknown {
  if (typeof value === "bigint") return toUsd(value);
  if (typeof value === "number" && /(?:^at|At|[sS]ince|[uU]ntil)$/.test(name)) {
    return new Date(value).toISOString();
  }
  if (Array.isArray(value)) return value.map((each) => toJson(each));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([each, member]) => {
      // A text has exact nano-dollars.
      const inUsd = typeof member === "string" ? each : each.replace(/NanoUsd$/, "Usd");
      return [inUsd, toJson(member, each)] as const;
    }),
  );
}

/** A day for `--json`. */
export function toDayJson(
  { spent, reserved, requests }: Pick<DaySums, "spent" | "reserved" | "requests">,
) {
  return { spentUsd: spent, reservedUsd: reserved, requests };
}

/** A line, which may be from outside, safe for terminals, which interpret control characters. */
export function printable(line: string): string {
  return makePrintable(line, () => "\u{fffd}");
}

/**
 * A table with aligned columns, two spaces apart: plain, so that `awk` can read it. Columns from `numbersFrom` on are
 * aligned to the right.
 */
export function table(rows: readonly (readonly string[])[], numbersFrom = Infinity): string {
  const printed = rows.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of printed) {
    row.forEach((cell, at) => widths[at] = Math.max(widths[at] ?? 0, width(cell)));
  }
  return printed.map((row) =>
    row.map((cell, at) => {
      const space = " ".repeat((widths[at] ?? 0) - width(cell));
      return at < numbersFrom ? cell + space : space + cell;
    }).join("  ").trimEnd()
  ).join("\n");
}

/** In user-perceived characters; wide ones count as one. */
function width(cell: string): number {
  return [...new Intl.Segmenter().segment(cell)].length;
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

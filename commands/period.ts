/** The period of a command: `--day`, or `--from` and `--to`. */

import { dayOf } from "../lib/accounts/mod.ts";
import { DAY_MILLISECONDS } from "../lib/time.ts";
import { type Given, Mistake, type Option } from "./tool.ts";

/** A period in UTC days, the last one included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** The options that {@linkcode readPeriod} reads. */
export const PERIOD_OPTIONS: Readonly<Record<string, Option>> = {
  day: { value: "DAY", summary: "2026-11-21, today or yesterday, in UTC (default: today)" },
  from: { value: "DAY", summary: "the first of several days" },
  to: { value: "DAY", summary: "the last one (default: today)" },
};

const MAX_DAYS = 1_100;

/**
 * Reads the period from the options.
 *
 * @param now epoch milliseconds.
 * @throws {Mistake} for an invalid day, contradictory options, or too many days.
 */
export function readPeriod(given: Given, now: number): Period {
  const [day, first, last] = [given.option("day"), given.option("from"), given.option("to")];
  if (day !== null) {
    if (first !== null || last !== null) {
      throw new Mistake(
        "--day excludes --from and --to; give --day for one day, the others for several",
      );
    }
    const only = readDay(day, now);
    return { from: only, to: only };
  }
  if (first === null && last !== null) {
    throw new Mistake("--to needs --from; for one day give --day");
  }
  const from = readDay(first ?? "today", now);
  const to = readDay(last ?? "today", now);
  if (from > to) throw new Mistake(`--from ${from} is after --to ${to}`);
  const { days } = Temporal.PlainDate.from(from).until(to);
  if (days < MAX_DAYS) return { from, to };
  throw new Mistake(`${days + 1} days are too many at once; ask for at most ${MAX_DAYS}`);
}

/** The period as a phrase. */
export function formatPeriod({ from, to }: Period): string {
  return from === to ? `on ${from} (UTC)` : `from ${from} to ${to} (UTC)`;
}

function readDay(text: string, now: number): string {
  if (text === "today") return dayOf(now);
  if (text === "yesterday") return dayOf(now - DAY_MILLISECONDS);
  try {
    if (/^\d{4}-\d\d-\d\d$/.test(text)) return Temporal.PlainDate.from(text).toString();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new Mistake(`“${text}” is not a day; expected one such as 2026-11-21, today or yesterday`);
}

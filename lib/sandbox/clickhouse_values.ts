// How ClickHouse reads a JSON value into a column: it accepts far more than it should, and reports little. This
// behaviour was observed on version 26.7.

import { ClickHouseError } from "./clickhouse_errors.ts";

/** A value as it is kept: whole numbers as bigint, dates as text. */
export type Value = string | bigint | number | null;

/** A number as it was written: JSON has no limit of digits. */
export class JsonNumber {
  constructor(readonly source: string) {}

  toJSON(): number {
    return Number(this.source);
  }
}

const UNSIGNED: Readonly<Record<string, number>> = { UInt16: 16, UInt64: 64 };
const SIGNED: Readonly<Record<string, number>> = { Int128: 128 };
const DAY_MILLISECONDS = 86_400_000;
/** The last day that two bytes hold. */
const LAST_DATE = 65_535;
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d)?(?:\.(\d{1,3})\d*)?Z?)?$/;

/** @throws {ClickHouseError} for a type that the stand-in does not know. */
export function checkType(type: string): void {
  const [, , inner] = /^(Nullable|LowCardinality)\((.+)\)$/.exec(type) ?? [];
  if (inner !== undefined) return checkType(inner);
  if (["String", "Date", "DateTime64(3, 'UTC')", "Float64"].includes(type)) return;
  if (type in UNSIGNED || type in SIGNED) return;
  throw new ClickHouseError(50, 400, `Unknown data type family: ${type}`, "UNKNOWN_TYPE");
}

/**
 * The value of a column; undefined and null are its default. Numbers that are out of range are cut to the
 * column's bits, and days that no calendar has become others.
 * @throws {ClickHouseError} for a value that cannot be read.
 */
export function readValue(given: unknown, type: string): Value {
  const [, outer, inner] = /^(Nullable|LowCardinality)\((.+)\)$/.exec(type) ?? [];
  if (outer === "Nullable" && isNothing(given)) return null;
  if (inner !== undefined) return readValue(given, inner);
  if (type === "String") return readText(given);
  if (type === "Date") return readDate(given);
  if (type === "Float64") return Number(readText(given));
  if (type.startsWith("DateTime64")) return readMoment(given);
  return readWhole(given, type);
}

/** The text of a `Date` as ClickHouse stores it: 2026-02-31 becomes 2026-03-03. */
export function readDay(text: string): string {
  const [, year, month, day] = /^(\d{4})-(\d\d?)-(\d\d?)$/.exec(text) ?? [];
  if (year === undefined || Number(month) > 12 || Number(day) > 31) return toDate(0);
  if (Number(month) === 0 || Number(day) === 0) return toDate(0);
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day));
  return toDate(Math.floor(date / DAY_MILLISECONDS));
}

function readText(given: unknown): string {
  if (isNothing(given)) return "";
  if (given instanceof JsonNumber) return given.source;
  if (typeof given !== "string") return JSON.stringify(given);
  if (given.isWellFormed()) return given;
  throw new ClickHouseError(
    25,
    400,
    "Cannot parse escape sequence: missing second part of surrogate pair",
    "CANNOT_PARSE_ESCAPE_SEQUENCE",
  );
}

function readWhole(given: unknown, type: string): bigint {
  if (isNothing(given) || given === "") return 0n;
  if (typeof given === "boolean") return given ? 1n : 0n;
  const text = given instanceof JsonNumber ? given.source : String(given);
  const bits = UNSIGNED[type];
  if (bits !== undefined && text.startsWith("-")) {
    const message = "Unsigned type must not contain '-' symbol";
    throw new ClickHouseError(72, 400, message, "CANNOT_PARSE_NUMBER");
  }
  if (!/^[+-]?\d+$/.test(text)) throw unreadable(`expected ',' before: '${text}'`);
  const value = BigInt(text.replace("+", ""));
  return bits === undefined
    ? BigInt.asIntN(SIGNED[type] ?? 128, value)
    : BigInt.asUintN(bits, value);
}

function readDate(given: unknown): string {
  if (isNothing(given)) return toDate(0);
  if (given instanceof JsonNumber && /^\d+$/.test(given.source)) {
    return toDate(Number(given.source));
  }
  const text = String(given);
  if (/^\d{4}-\d\d?-\d\d?$/.test(text)) return readDay(text);
  if (/^\d{4}-\d\d-\d\d/.test(text)) throw unreadable(`expected '"' before: '${text.slice(10)}'`);
  throw new ClickHouseError(38, 400, `Cannot parse date here: ${text}`, "CANNOT_PARSE_DATE");
}

function readMoment(given: unknown): string {
  if (isNothing(given)) return toMoment(0);
  if (given instanceof JsonNumber && /^-?\d+$/.test(given.source)) {
    return toMoment(Number(given.source));
  }
  const [, day = "", minute = "00:00", second = ":00", parts = "0"] = MOMENT.exec(String(given)) ??
    [];
  const at = Date.parse(`${day}T${minute}${second}.${parts.padEnd(3, "0")}Z`);
  // Unlike a day, a moment must exist in the calendar, which JavaScript's parser does not check for days up to 31.
  if (!Number.isNaN(at) && toDate(Math.floor(at / DAY_MILLISECONDS)) === day) return toMoment(at);
  const message = `Cannot read DateTime: ${given}`;
  throw new ClickHouseError(41, 400, message, "CANNOT_PARSE_DATETIME");
}

function toDate(days: number): string {
  const held = Math.min(LAST_DATE, Math.max(0, days));
  return new Date(held * DAY_MILLISECONDS).toISOString().slice(0, 10);
}

function toMoment(at: number): string {
  return new Date(at).toISOString().replace("T", " ").replace("Z", "");
}

function isNothing(given: unknown): given is null | undefined {
  return given === null || given === undefined;
}

/** An error about what stands in the text. */
export function unreadable(what: string): ClickHouseError {
  const message = `Cannot parse input: ${what}`;
  return new ClickHouseError(27, 400, message, "CANNOT_PARSE_INPUT_ASSERTION_FAILED");
}

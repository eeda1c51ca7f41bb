/**
 * Money: whole nano-dollars (10⁻⁹ USD) as bigint, from the first parse to the last print. Amounts are
 * parsed from decimal text, never from a binary fraction, and rounded up.
 */

/** An amount in nano-dollars. */
export type NanoUsd = bigint;

/** Members and operators are told when less of a limit is left, in per cent. */
export const NEAR_LIMIT_LEFT_PERCENT = 20;

/** Whether less than {@linkcode NEAR_LIMIT_LEFT_PERCENT} of a limit is left. */
export function isNearLimit(used: number | NanoUsd, limit: number | NanoUsd): boolean {
  return Number(used) / Number(limit) > 1 - NEAR_LIMIT_LEFT_PERCENT / 100;
}

const DECIMALS = 9;
/** A natural decimal number, as in JSON but with leading zeros allowed. */
const DECIMAL = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;
/**
 * An amount above a quadrillion dollars is a mistake, whether it is a limit or a price. The cost of one request has
 * a far lower bound (`lib/proxy/internal/meter.ts`).
 */
const MAX_READABLE_NANO_USD = 10n ** 24n;

/**
 * Parses a decimal number of dollars such as `0.007`, `1e-9` or `4`, rounded up to a whole nano-dollar;
 * null for anything else, negative amounts included.
 */
export function parseUsd(text: string): NanoUsd | null {
  const parts = text.length > 400 ? null : DECIMAL.exec(text);
  if (parts === null) return null;
  const [, whole = "", fraction = "", exponent = "0"] = parts;
  const digits = BigInt(whole + fraction);
  const shift = Number(exponent) - fraction.length + DECIMALS;
  if (digits === 0n) return 0n;
  if (shift > 40) return null;
  const amount = shift >= 0
    ? digits * 10n ** BigInt(shift)
    : divideUp(digits, 10n ** BigInt(-shift));
  return amount > MAX_READABLE_NANO_USD ? null : amount;
}

/** The amount as a decimal number of dollars without trailing zeros: `0.007`, `4`, `-1.5`. */
export function formatUsd(amount: NanoUsd): string {
  const sign = amount < 0n ? "-" : "";
  const digits = String(amount < 0n ? -amount : amount).padStart(DECIMALS + 1, "0");
  const whole = digits.slice(0, -DECIMALS);
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, "");
  return sign + whole + (fraction === "" ? "" : `.${fraction}`);
}

/** The amount for people, exactly, with at least two decimals: `$4.00`, `$0.0071`. */
export function exactUsd(amount: NanoUsd): string {
  const [whole = "", fraction = ""] = formatUsd(amount).split(".");
  return `${whole.replace(/^-?/, "$&$")}.${fraction.padEnd(2, "0")}`;
}

/** The amount for people, rounded: to cents from a dollar on, to four decimals below, and the smallest to two digits. */
export function readableUsd(amount: NanoUsd): string {
  const size = amount < 0n ? -amount : amount;
  const digits = String(size).length;
  const zeros = digits > DECIMALS ? DECIMALS - 2 : Math.max(0, Math.min(DECIMALS - 4, digits - 2));
  const step = 10n ** BigInt(zeros);
  const rounded = (size + step / 2n) / step * step;
  return exactUsd(amount < 0n ? -rounded : rounded);
}

/** The amount as a number of dollars for JSON; exact to the nano-dollar up to eight million dollars. */
export function toUsd(amount: NanoUsd): number {
  return Number(amount) / 10 ** DECIMALS;
}

/** The quotient of two natural numbers, rounded up. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

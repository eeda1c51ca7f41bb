// Money as the stand-ins count it: whole nano-dollars, written as exact decimals.

/** A thousandth of a dollar, in which web search is priced. */
export const MILLI_USD = 1_000_000n;

const DIGITS = 9;

/** Nano-dollars as dollars, without zeros at the end: 7000000n is `0.007`. */
export function writeUsd(nanoUsd: bigint): string {
  const digits = nanoUsd.toString().padStart(DIGITS + 1, "0");
  const fraction = digits.slice(-DIGITS).replace(/0+$/, "");
  return digits.slice(0, -DIGITS) + (fraction && `.${fraction}`);
}

/**
 * A decimal text times `unit`, rounded up to a whole; null for anything but a number from 0, and for an absurdly
 * large exponent.
 */
export function readDecimal(text: string, unit: bigint): bigint | null {
  const [match, whole = "", fraction = "", exponentText = "0"] =
    /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text) ?? [];
  if (match === undefined) return null;
  const exponent = Number(exponentText) - fraction.length;
  const product = BigInt(whole + fraction) * unit;
  if (exponent >= 0) return product * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return (product + divisor - 1n) / divisor;
}

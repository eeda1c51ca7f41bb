/** Base 62: what ids, secrets and checksums are written in. A double click selects all of it. */

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The multiple of 62 that a byte can reach: bytes above it would favour the first digits. */
const UNBIASED_BYTES = 248;

/** Gives so many random bytes; tests pass their own. */
export type RandomBytes = (length: number) => Uint8Array;

/** Bytes of the platform's cryptographic generator; at most 65,536 at once. */
export const randomBytes: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));

/** So many random digits, each as likely as any other: 5.95 bits each. */
export function randomBase62(length: number, random: RandomBytes = randomBytes): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < UNBIASED_BYTES) text += DIGITS.charAt(byte % 62);
    }
  }
  return text;
}

/** A whole number from 0 in so many digits, with zeros in front; larger numbers take more digits. */
export function toBase62(value: number, length: number): string {
  let text = "";
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) {
    text = DIGITS.charAt(rest % 62) + text;
  }
  return text.padStart(length, "0");
}

/** Base 62, for ids, secrets and checksums: a double click selects all of it. */

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The largest multiple of 62 in a byte: bytes from it on would favour the first digits. */
const UNBIASED_BYTES = 248;

/** Returns `length` random bytes. */
export type RandomBytes = (length: number) => Uint8Array;

/** Cryptographically secure random bytes, at most 65,536 at once. */
export const randomBytes: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));

/** `length` random digits of 5.95 bits each. */
export function randomBase62(length: number, random: RandomBytes = randomBytes): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < UNBIASED_BYTES) text += DIGITS.charAt(byte % 62);
    }
  }
  return text;
}

/** A natural number in at least `length` digits. */
export function toBase62(value: number, length: number): string {
  let text = "";
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) {
    text = DIGITS.charAt(rest % 62) + text;
  }
  return text.padStart(length, "0");
}

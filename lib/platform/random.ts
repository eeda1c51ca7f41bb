/** Random bytes, as an argument, so that a test can choose them. */

/** Returns `length` random bytes. */
export type RandomBytes = (length: number) => Uint8Array;

/** Cryptographically secure random bytes, at most 65,536 at once. */
export const randomBytes: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));

/** `length` random bytes as text in the alphabet of cookies and addresses (RFC 4648, 5). */
export function randomToken(length: number): string {
  return randomBytes(length).toBase64({ alphabet: "base64url", omitPadding: true });
}

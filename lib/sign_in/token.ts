/** The texts of random tokens, and the digests by which they are stored. */

import { createHash } from "node:crypto";

/** Bytes in the alphabet of cookies and addresses (RFC 4648, 5). */
export function toBase64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The SHA-256 of a token, which is stored in place of the token: 256 random bits need no slow hash. */
export function digestToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

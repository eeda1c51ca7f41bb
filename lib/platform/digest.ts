import { createHash } from "node:crypto";

/** The SHA-256 of a text in the alphabet of cookies and addresses (RFC 4648, 5). */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("base64url");
}

/** Characters of a digest. */
export const DIGEST_LENGTH = 22;

/** 128 bits of SHA-256, in the same alphabet. */
export function digestOf(content: string | Uint8Array): string {
  return sha256(content).slice(0, DIGEST_LENGTH);
}

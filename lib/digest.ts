import { createHash } from "node:crypto";

/** Characters of a digest. */
export const DIGEST_LENGTH = 22;

/** 128 bits of SHA-256 in the alphabet that entity tags and addresses share (RFC 4648, 5). */
export function digestOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("base64url").slice(0, DIGEST_LENGTH);
}

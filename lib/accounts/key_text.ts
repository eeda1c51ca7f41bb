/**
 * The text of an API key, as its owner keeps it:
 *
 *     foyer_7Jx0pQz41LbV_ + secret (32 characters) + checksum (6 characters)
 *
 * The public id may be shown anywhere. The secret has 190 random bits. The checksum is the CRC-32 of all before it: it
 * detects any error in one character or in two neighbours without a look-up. Secret scanners find keys by `\bfoyer_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}\b`.
 */

import { hash, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { type RandomBytes, randomBytes } from "../platform/random.ts";

/** Base 62 for ids, secrets and checksums. A double click selects a whole key. */
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The largest multiple of 62 that a byte can hold. Larger bytes are rejected: they would favour some digits. */
const UNBIASED_BYTES = 248;
const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
/** Six digits hold a CRC-32: 62⁶ is above 2³². */
const CHECKSUM_LENGTH = 6;
const KEY = /^foyer_(?<id>[0-9A-Za-z]{12})_[0-9A-Za-z]{38}$/;
/** Any word that begins like a key, whole or damaged; but not the name of the table `foyer_usage`. */
const LIKE_A_KEY = /foyer_(?!usage(?:\s|$))\S*/g;
const PUBLIC_ID = /^foyer_(?<id>[0-9A-Za-z]{12})_/;
/** Characters that a sentence may put after a key. */
const PUNCTUATION = "”\"'`;,.)";

/** Creates a new key: its public id and its text, which exists nowhere else. */
export function createKeyText(
  random: RandomBytes = randomBytes,
): { readonly id: string; readonly text: string } {
  const id = randomBase62(ID_LENGTH, random);
  const body = `foyer_${id}_${randomBase62(SECRET_LENGTH, random)}`;
  return { id, text: body + checksum(body) };
}

/** Whether a text has the form of a key's public id. */
export function isKeyId(text: string): boolean {
  return /^[0-9A-Za-z]{12}$/.test(text);
}

/** Parses a text that was sent as a key: a mistyped one is told from no key at all. Whether it exists is not checked. */
export function parseKeyText(
  text: string,
): { readonly kind: "key"; readonly id: string } | { readonly kind: "mistyped" | "malformed" } {
  const id = KEY.exec(text)?.groups?.["id"];
  if (id === undefined) return { kind: "malformed" };
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return text === body + checksum(body) ? { kind: "key", id } : { kind: "mistyped" };
}

/** The SHA-256 of a key's text, which is stored instead of it. 190 random bits need no slow hash. */
export function hashKeyText(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hash("sha256", text, "buffer"));
}

/** Compares two hashes in constant time. */
export function isSameHash(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Shortens each key in a text, damaged ones too, to its public id, for messages and the log. */
export function redactKeys(text: string): string {
  return text.replaceAll(LIKE_A_KEY, (word) => {
    let end = word.length;
    while (PUNCTUATION.includes(word.charAt(end - 1))) end--;
    const { id } = PUBLIC_ID.exec(word.slice(0, end))?.groups ?? {};
    return `${id === undefined ? "foyer_…" : `foyer_${id}_…`}${word.slice(end)}`;
  });
}

function checksum(body: string): string {
  let text = "";
  for (let rest = crc32(body); rest > 0; rest = Math.floor(rest / 62)) {
    text = DIGITS.charAt(rest % 62) + text;
  }
  return text.padStart(CHECKSUM_LENGTH, "0");
}

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

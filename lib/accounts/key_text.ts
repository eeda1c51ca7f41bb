/**
 * The text of an API key, as its owner keeps it:
 *
 *     foyer_7Jx0pQz41LbV_ + secret (32 characters) + checksum (6 characters)
 *
 * The public id may be shown anywhere. The secret is 190 random bits. The checksum is the CRC-32 of
 * all before it: every mistake of one character, or of two neighbours, is found without a look-up.
 * Secret scanners find keys by `\bfoyer_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}\b`.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { randomBase62, type RandomBytes, randomBytes, toBase62 } from "./base62.ts";

const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
/** 62⁶ is above 2³². */
const CHECKSUM_LENGTH = 6;
const KEY = /^foyer_(?<id>[0-9A-Za-z]{12})_[0-9A-Za-z]{38}$/;
/** Anything that begins as a key does, whole or damaged, with what stands behind it; not a table's name. */
const LIKE_A_KEY = /foyer_(?!usage(?:\s|$))\S*/g;
const PUBLIC_ID = /^foyer_(?<id>[0-9A-Za-z]{12})_/;
/** What a sentence may put behind a key. */
const PUNCTUATION = "”\"'`;,.)";

/** A new key: its public id, and its text, which exists nowhere else. */
interface KeyText {
  readonly id: string;
  readonly text: string;
}

/** What a text is: a key by its public id, one that was mistyped, or something else altogether. */
type ParsedKeyText =
  | { readonly kind: "key"; readonly id: string }
  | { readonly kind: "mistyped" | "malformed" };

/** Makes the text of a new key. */
export function createKeyText(random: RandomBytes = randomBytes): KeyText {
  const id = randomBase62(ID_LENGTH, random);
  const body = `foyer_${id}_${randomBase62(SECRET_LENGTH, random)}`;
  return { id, text: body + checksum(body) };
}

/** Reads the text of a key. Whether such a key exists, and with this secret, is another question. */
export function parseKeyText(text: string): ParsedKeyText {
  const id = KEY.exec(text)?.groups?.["id"];
  if (id === undefined) return { kind: "malformed" };
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return text === body + checksum(body) ? { kind: "key", id } : { kind: "mistyped" };
}

/** The SHA-256 of a key's text: all of its secret that is stored. 190 bits need no slow hash. */
export function hashKeyText(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash("sha256").update(text).digest());
}

/** Whether two hashes are the same, in a time that says nothing of where they differ. */
export function isSameHash(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** A text for people or a log in which keys, damaged ones too, are cut down to their public id. */
export function redactKeys(text: string): string {
  return text.replaceAll(LIKE_A_KEY, (word) => {
    let end = word.length;
    while (PUNCTUATION.includes(word.charAt(end - 1))) end--;
    const id = PUBLIC_ID.exec(word.slice(0, end))?.groups?.["id"];
    return `${id === undefined ? "foyer_…" : `foyer_${id}_…`}${word.slice(end)}`;
  });
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH);
}

/** API keys: their text, and their life from creation to revocation. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { keyEndsAt, keyState, listKeys, rotateKey } from "../../lib/accounts/key.ts";
import {
  createKeyText,
  hashKeyText,
  isSameHash,
  parseKeyText,
  randomBase62,
  redactKeys,
} from "../../lib/accounts/key_text.ts";
import { DAY, HOUR, openAccounts, START } from "../support/accounts.ts";
import { madeBy } from "../support/made_by.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The pattern in the documentation for secret scanners. */
const SCANNER = /\bfoyer_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}\b/;

/** Keys from bytes that fast-check chooses. */
const keyText = fc.array(fc.integer({ min: 0, max: 247 }), { minLength: 44, maxLength: 44 })
  .map((bytes) => {
    let at = 0;
    return createKeyText((length) => Uint8Array.from(bytes.slice(at, at += length)));
  });

Deno.test("the text of every key parses to its public id, and matches the scanners' pattern", () => {
  fc.assert(fc.property(keyText, ({ id, text }) => {
    assert.deepEqual(parseKeyText(text), { kind: "key", id });
    assert.equal(text.length, 57);
    assert.ok(text.startsWith(`foyer_${id}_`));
    assert.match(text, SCANNER);
    assert.match(`KEY="${text}";`, SCANNER);
  }));
});

Deno.test("the checksum is CRC-32 in base 62, most significant digit first", () => {
  // Twelve and thirty-two zeros; the sum and its digits are Python's.
  const { text } = createKeyText((length) => new Uint8Array(length));
  assert.equal(text.slice(0, 51), `foyer_${"0".repeat(12)}_${"0".repeat(32)}`);
  assert.equal(text.slice(51), "4JcnH8");
});

Deno.test("a key with one wrong, missing, surplus or swapped character is refused by its text", () => {
  const mistake = fc.tuple(
    keyText,
    fc.nat(56),
    fc.oneof(fc.constantFrom(...BASE62, "_", "-", " ", "é"), fc.string({ maxLength: 2 })),
    fc.constantFrom("replace", "remove", "insert", "swap"),
  );
  fc.assert(
    fc.property(mistake, ([{ text }, at, other, kind]) => {
      const [before, own, after] = [text.slice(0, at), text.slice(at, at + 1), text.slice(at + 1)];
      const wrong = {
        replace: before + other + after,
        remove: before + after,
        insert: before + other + own + after,
        swap: before + after.slice(0, 1) + own + after.slice(1),
      }[kind];
      fc.pre(wrong !== text);
      assert.notEqual(parseKeyText(wrong).kind, "key", wrong);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("random digits are uniform: bytes that would favour some are rejected", () => {
  const bytes = [255, 248, 0, 247, 61, 62];
  const random = (length: number) => Uint8Array.from(bytes.splice(0, length));
  assert.equal(randomBase62(4, random), "0zz0");
  const counts = new Map<string, number>();
  for (const digit of randomBase62(62_000)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  assert.equal(counts.size, 62);
  // Seven standard deviations of a fair draw.
  for (const count of counts.values()) assert.ok(Math.abs(count - 1_000) < 7 * 31.4, `${count}`);
});

Deno.test("texts for a log keep a key's public id, and nothing of the rest of it", () => {
  fc.assert(fc.property(keyText, fc.integer({ min: 20, max: 57 }), ({ id, text }, length) => {
    const cut = text.slice(0, length);
    assert.equal(redactKeys(`no key “${cut}”; try`), `no key “foyer_${id}_…”; try`);
    assert.equal(redactKeys(`${cut}\n${text}!x`), `foyer_${id}_…\nfoyer_${id}_…`);
  }));
  assert.equal(redactKeys("foyer_abc-def-secret and `foyer_`"), "foyer_… and `foyer_…`");
  const plain = ["nothing here", "no table default.foyer_usage here", "it is foyer_usage"];
  for (const text of plain) assert.equal(redactKeys(text), text);
  assert.equal(redactKeys("foyer_usage_1 foyer_usage1"), "foyer_… foyer_…");
});

Deno.test("hashes are compared in full; one of another length is another hash", () => {
  const hash = hashKeyText("a");
  assert.equal(hash.toHex(), "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb");
  assert.ok(isSameHash(hash, hashKeyText("a")));
  for (let at = 0; at < hash.length; at++) {
    assert.ok(!isSameHash(hash, hash.with(at, (hash[at] ?? 0) ^ 1)));
  }
  assert.ok(!isSameHash(hash, hash.slice(1)));
});

Deno.test("a key's state at the edges of its expiry and its planned revocation", async () => {
  await using world = await openAccounts();
  const { key } = await world.key();
  const expiring = { ...key, expiresAt: START + 10 };
  const ending = { ...key, revokedAt: START + 10 };
  for (const [other, after] of [[expiring, "expired"], [ending, "revoked"]] as const) {
    assert.equal(keyState(other, START + 9), "active");
    assert.equal(keyState(other, START + 10), after);
    assert.equal(keyEndsAt(other), START + 10);
  }
  assert.equal(keyEndsAt({ ...expiring, revokedAt: START + 3 }), START + 3);
  assert.equal(keyEndsAt({ ...expiring, revokedAt: START + 30 }), START + 10);
  assert.equal(keyEndsAt(key), null);
});

Deno.test("a rotation gives a new key of the same account, label and length of life, once, however many calls race; both overlap", async () => {
  await using world = await openAccounts();
  const { key, text } = await world.key({ label: "laptop", expiresAt: START + 90 * DAY });
  world.advance(80 * DAY);
  const now = world.now();
  const rotate = (id: string, overlapMilliseconds = HOUR) =>
    rotateKey(world.kv, id, { overlapMilliseconds }, madeBy(now));
  const rotations = await Promise.all([1, 2, 3].map(() => rotate(key.id)));
  assert.deepEqual(rotations.map(({ kind }) => kind).sort(), ["ending", "ending", "rotated"]);
  const rotation = rotations.find(({ kind }) => kind === "rotated");
  assert.ok(rotation?.kind === "rotated");
  assert.notEqual(rotation.text, text);
  assert.equal(rotation.key.accountId, key.accountId);
  assert.equal(rotation.key.label, "laptop");
  assert.equal(rotation.key.createdAt, now);
  assert.equal(rotation.key.expiresAt, now + 90 * DAY);
  assert.deepEqual(rotation.replaced, { ...key, revokedAt: now + HOUR, revoked: false });
  assert.deepEqual(await listKeys(world.kv, key.accountId), [rotation.replaced, rotation.key]);
  assert.equal((await rotate("000000000000")).kind, "unknown");
  await assert.rejects(rotate(key.id, -1), RangeError);
});

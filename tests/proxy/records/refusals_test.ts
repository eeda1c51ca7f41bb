/** Stored refusals: which are kept, for how long, and how they are counted. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type { Question } from "../../../lib/proxy/records/question.ts";
import { mergeRefusals, type Refusal } from "../../../lib/proxy/records/refusal.ts";
import {
  countRefusals,
  listRefusals,
  MAX_KINDS_PER_DAY,
  storeRefusals,
} from "../../../lib/proxy/records/refusals.ts";
import { openKv } from "../../../lib/platform/kv/open.ts";
import { MINUTE, NOON, refusal, TODAY } from "./clickhouse.ts";

const BOT = "acc_aaaaaaaaaaaa";
const DAY = 86_400_000;

/** The stored refusals of an empty database. */
async function openStore() {
  const kv = await openKv(":memory:");
  return {
    kv,
    insertRefusals: (refusals: readonly Refusal[]) => storeRefusals(kv, refusals),
    listRefusals: (accountId: string) => listRefusals(kv, accountId, NOON),
    countRefusals: (question: Question) => countRefusals(kv, question, NOON),
    [Symbol.dispose]: () => kv.close(),
  };
}

const QUESTION: Question = { from: "2026-11-01", to: TODAY, accountId: null, by: "account" };

Deno.test("an account's refusals are listed for 14 days, the latest first, alike ones of an hour as one", async () => {
  using store = await openStore();
  const capped = { code: "spending_limit_reached", reason: "key" };
  const invalid = { code: "validation_failed", field: 'questions.*.criteria["a b"]\u{1f600}' };
  await store.insertRefusals([
    refusal({ ...capped, lastAt: NOON + 1 }),
    refusal({ lastAt: NOON - 15 * DAY }),
    refusal({ lastAt: NOON - 14 * DAY }),
    refusal({ accountId: "acc_bbbbbbbbbbbb" }),
  ]);
  await store.insertRefusals([]);
  await store.insertRefusals([
    refusal({ ...capped, requests: 40, firstAt: NOON + 2, lastAt: NOON + 30 * MINUTE }),
    refusal({ ...capped, lastAt: NOON + 61 * MINUTE }),
    refusal({ ...invalid, keyId: null, endpoint: null }),
  ]);
  assert.deepEqual(await store.listRefusals(BOT), [
    refusal({ ...capped, lastAt: NOON + 61 * MINUTE }),
    refusal({ ...capped, requests: 41, firstAt: NOON + 1, lastAt: NOON + 30 * MINUTE }),
    refusal({ ...invalid, keyId: null, endpoint: null }),
    refusal({ lastAt: NOON - 14 * DAY }),
  ]);
  assert.deepEqual(await store.listRefusals("acc_cccccccccccc"), []);
});

Deno.test("refusals of which only the code is kept are one line for each day, not one for all days", async () => {
  using store = await openStore();
  const onlyCode = { keyId: null, endpoint: null };
  await store.insertRefusals([
    refusal({ ...onlyCode, requests: 300, lastAt: NOON - 13 * DAY }),
    refusal({ ...onlyCode, lastAt: NOON - 5 * 60 * MINUTE }),
    refusal({ ...onlyCode, lastAt: NOON }),
  ]);
  const firstAt = NOON - 5 * 60 * MINUTE;
  assert.deepEqual(await store.listRefusals(BOT), [
    refusal({ ...onlyCode, requests: 2, firstAt }),
    refusal({ ...onlyCode, requests: 300, lastAt: NOON - 13 * DAY }),
  ]);
});

Deno.test("refused requests are counted by each group and reason, the most frequent first", async () => {
  using store = await openStore();
  const other = "acc_bbbbbbbbbbbb";
  await store.insertRefusals([
    refusal({ requests: 5 }),
    refusal({ requests: 2, lastAt: NOON - DAY, endpoint: "answer" }),
    refusal({ accountId: other, code: "forbidden", reason: "banned" }),
    refusal({ requests: 9, lastAt: NOON - 15 * DAY }),
  ]);
  const count = async (by: Question["by"], accountId: string | null = null) =>
    (await store.countRefusals({ ...QUESTION, by, accountId }))
      .map(({ key, code, reason, requests }) => `${requests} ${key} ${code} ${reason}`);
  const banned = "forbidden banned";
  assert.deepEqual(await count("account"), [
    `7 ${BOT} rate_limited null`,
    `1 ${other} ${banned}`,
  ]);
  assert.deepEqual(await count("endpoint"), [
    "5 search rate_limited null",
    "2 answer rate_limited null",
    `1 search ${banned}`,
  ]);
  assert.deepEqual(await count("day", BOT), [
    `5 ${TODAY} rate_limited null`,
    "2 2026-11-20 rate_limited null",
  ]);
  assert.deepEqual(await count("status"), ["7 429 rate_limited null", `1 403 ${banned}`]);
  assert.deepEqual(await count("model"), ["7 null rate_limited null", `1 null ${banned}`]);
  const before = { ...QUESTION, from: TODAY, to: "2026-11-20" };
  assert.deepEqual(await store.countRefusals(before), []);
});

const anyRefusal: fc.Arbitrary<Refusal> = fc.record({
  keyId: fc.constantFrom("key1", "key2", null),
  endpoint: fc.constantFrom("search", "answer"),
  code: fc.constantFrom("rate_limited", "validation_failed"),
  field: fc.option(fc.constantFrom("model", "state")),
  requests: fc.integer({ min: 1, max: 9 }),
  lastAt: fc.nat(5 * 60).map((minutes) => NOON + minutes * MINUTE),
}).map(({ keyId, ...rest }) => {
  const whole = keyId !== null;
  return refusal({ ...rest, keyId, ...whole ? {} : { endpoint: null, field: null } });
});

Deno.test("whatever is merged, no request is lost, and no more kinds are left than may be", () => {
  fc.assert(
    fc.property(fc.array(anyRefusal), fc.integer({ min: 0, max: 6 }), (refusals, max) => {
      const merged = mergeRefusals(refusals, max);
      const sum = (of: readonly Refusal[], code: string) =>
        of.reduce((sum, each) => sum + (each.code === code ? each.requests : 0), 0);
      for (const code of ["rate_limited", "validation_failed"]) {
        assert.equal(sum(merged, code), sum(refusals, code));
      }
      const whole = merged.filter(({ keyId }) => keyId !== null);
      assert.ok(whole.length <= max && merged.length - whole.length <= 2);
      assert.deepEqual(mergeRefusals(merged, max), merged, "merging again changes nothing");
      assert.deepEqual(
        merged.map(({ lastAt }) => lastAt),
        merged.map(({ lastAt }) => lastAt).sort().reverse(),
      );
    }),
  );
});

Deno.test("an account's day stays small, and processes that store at once lose nothing", async () => {
  using store = await openStore();
  const { kv } = store;
  const field = "x".repeat(100);
  const kinds = Array.from(
    { length: 150 },
    (_, number) => refusal({ keyId: `key${number}`, field, lastAt: NOON + number }),
  );
  await store.insertRefusals(kinds.slice(0, 130));
  await Promise.all(kinds.slice(130).map((each) => store.insertRefusals([each])));
  const listed = await store.listRefusals(BOT);
  assert.equal(listed.reduce((sum, { requests }) => sum + requests, 0), 150);
  assert.equal(listed.length, MAX_KINDS_PER_DAY + 1);
  assert.equal(listed[0]?.keyId, "key149");
  const stored = await Array.fromAsync(kv.list({ prefix: ["refusals"] }));
  assert.deepEqual(stored.map(({ key }) => key), [["refusals", TODAY, BOT]]);

  const accounts = Array.from(
    { length: 300 },
    (_, number) => kinds.slice(0, 30).map((each) => ({ ...each, accountId: `acc_${number}` })),
  );
  await store.insertRefusals(accounts.flat());
  assert.equal((await store.countRefusals(QUESTION)).length, 301);
});

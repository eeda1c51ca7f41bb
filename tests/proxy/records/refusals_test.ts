/** Refusals: which are kept, for how long, and how they are counted; a flood and a database that is away cost little. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type { Question } from "../../../lib/proxy/records/question.ts";
import {
  addRefusal,
  type Refusal,
  type RefusedRequest,
} from "../../../lib/proxy/records/refusal.ts";
import {
  countRefusals,
  createRefusalRecorder,
  listRefusals,
  MAX_KINDS_PER_DAY,
  storeRefusals,
} from "../../../lib/proxy/records/refusals.ts";
import { openKv } from "../../../lib/platform/kv/open.ts";
import { faultyKv } from "../../support/faulty_kv.ts";
import { until } from "../../support/until.ts";
import { MINUTE, NOON, QUESTION, refusal, TODAY } from "./clickhouse.ts";

const BOT = "acc_aaaaaaaaaaaa";
const DAY = 86_400_000;

/** The stored refusals of an empty database. */
async function openStore() {
  const kv = await openKv(":memory:");
  return {
    kv,
    insertRefusals: async (refusals: readonly Refusal[]) =>
      assert.deepEqual(await storeRefusals(kv, refusals), []),
    listRefusals: (accountId: string) => listRefusals(kv, accountId, NOON),
    countRefusals: (question: Question) => countRefusals(kv, question, NOON),
    [Symbol.dispose]: () => kv.close(),
  };
}

const SINCE = { ...QUESTION, from: "2026-11-01" };

Deno.test("an account's refusals are listed for 14 days, the latest first, equal ones of a day as one", async () => {
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
    refusal({ ...capped, requests: 40, lastAt: NOON + 61 * MINUTE }),
    refusal({ ...capped, lastAt: NOON + 30 * MINUTE }),
    refusal({ ...invalid, keyId: null, endpoint: null }),
  ]);
  assert.deepEqual(await store.listRefusals(BOT), [
    refusal({ ...capped, requests: 42, lastAt: NOON + 61 * MINUTE }),
    refusal({ ...invalid, keyId: null, endpoint: null }),
    refusal({ lastAt: NOON - 14 * DAY }),
  ]);
  assert.deepEqual(await store.listRefusals("acc_cccccccccccc"), []);
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
    (await store.countRefusals({ ...SINCE, by, accountId }))
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
  assert.deepEqual(await count("key"), [
    "7 keykeykeykey rate_limited null",
    `1 keykeykeykey ${banned}`,
  ]);
  assert.deepEqual(await count("status"), ["7 429 rate_limited null", `1 403 ${banned}`]);
  assert.deepEqual(await count("model"), ["7 null rate_limited null", `1 null ${banned}`]);
  const before = { ...QUESTION, to: "2026-11-20" };
  assert.deepEqual(await store.countRefusals(before), []);
});

const REFUSED: RefusedRequest = {
  accountId: "acc_aaaaaaaaaaaa",
  keyId: "keykeykeykey",
  endpoint: "search",
  code: "rate_limited",
  reason: null,
  field: null,
};

/** A recorder whose pauses the test ends, over a database that it can take away. */
async function openRecorder() {
  const real = await openKv(":memory:");
  const world = {
    now: NOON,
    isAway: false,
    /** A commit begins after this. */
    gate: Promise.resolve(),
    /** Timers that run. */
    waits: [] as { readonly milliseconds: number; readonly end: () => void }[],
    warnings: [] as string[],
    commits: 0,
    /** The stored refusals of an account. */
    stored: (accountId = REFUSED.accountId) => listRefusals(real, accountId, NOON),
  };
  const recorder = createRefusalRecorder({
    kv: faultyKv(real, async ({ kind }) => {
      if (kind === "read") return "work";
      await world.gate;
      world.commits++;
      return world.isAway ? "refuse" : "work";
    }),
    now: () => world.now,
    startTimer(end, milliseconds) {
      const wait = { milliseconds, end };
      world.waits.push(wait);
      return () => void world.waits.splice(world.waits.indexOf(wait), 1);
    },
    log: { warn: (message) => void world.warnings.push(message) },
  });
  return { world, recorder, [Symbol.dispose]: () => real.close() };
}

Deno.test("a flood is stored as a few refusals with their numbers", async () => {
  using opened = await openRecorder();
  const { world, recorder } = opened;
  for (let count = 0; count < 10_000; count++) {
    world.now++;
    recorder.note(REFUSED);
  }
  recorder.note({ ...REFUSED, code: "forbidden", reason: "endpoint" });
  assert.equal(world.commits, 0);
  assert.deepEqual(world.waits.map(({ milliseconds }) => milliseconds), [5_000]);
  world.waits[0]?.end();
  await recorder.flush();
  assert.deepEqual(
    (await world.stored()).map(({ code, requests }) => [code, requests]),
    [["rate_limited", 10_000], ["forbidden", 1]],
  );
  await recorder.flush();
  assert.equal(world.commits, 1, "nothing is stored twice");
  recorder.note(REFUSED);
  const [known] = await recorder.list(REFUSED.accountId);
  assert.equal(known?.requests, 10_001, "a page of this process shows it at once");
});

Deno.test("a refusal is listed once at every moment, also while it is being stored", async () => {
  using opened = await openRecorder();
  const { world, recorder } = opened;
  const { promise, resolve } = Promise.withResolvers<void>();
  world.gate = promise;
  recorder.note(REFUSED);
  const stored = recorder.flush();
  await Promise.resolve();
  const during = recorder.list(REFUSED.accountId);
  recorder.note(REFUSED);
  const after = recorder.flush();
  resolve();
  const count = (refusals: readonly Refusal[]) =>
    refusals.reduce((sum, { requests }) => sum + requests, 0);
  assert.ok(count(await during) >= 1);
  await Promise.all([stored, after]);
  assert.equal(count(await recorder.list(REFUSED.accountId)), 2);
});

Deno.test("while the database is away refusals wait within bounds, and are stored when it is back", async () => {
  using opened = await openRecorder();
  const { world, recorder } = opened;
  world.isAway = true;
  recorder.note(REFUSED);
  world.waits[0]?.end();
  await until(() => world.warnings.length > 0);
  for (let count = 0; count < 5_000; count++) recorder.note({ ...REFUSED, field: `f${count}` });
  assert.deepEqual(world.waits.map(({ milliseconds }) => milliseconds), [60_000]);
  await recorder.flush();
  world.isAway = false;
  await recorder.flush();
  const stored = await world.stored();
  assert.equal(stored.length, MAX_KINDS_PER_DAY + 1);
  assert.equal(stored.reduce((sum, { requests }) => sum + requests, 0), 5_001);
});

const anyRefusal: fc.Arbitrary<Refusal> = fc.record({
  keyId: fc.constantFrom("key1", "key2"),
  endpoint: fc.constantFrom("search", "answer"),
  code: fc.constantFrom("rate_limited", "validation_failed"),
  field: fc.option(fc.constantFrom("model", "state")),
  requests: fc.integer({ min: 1, max: 9 }),
  lastAt: fc.constantFrom(NOON, NOON + MINUTE, NOON + DAY),
}).map(refusal);

Deno.test("whatever is added, each day's requests are counted by code, and few more kinds are left than may be", () => {
  fc.assert(
    fc.property(fc.array(anyRefusal), fc.integer({ min: 0, max: 6 }), (refusals, max) => {
      const kinds = new Map<string, Refusal>();
      const add = (some: Iterable<Refusal>) => {
        kinds.clear();
        for (const each of some) addRefusal(kinds, each, max);
        return [...kinds.values()];
      };
      const sums = (of: readonly Refusal[]) => {
        const name = ({ code, lastAt }: Refusal) => `${code} ${Math.floor(lastAt / DAY)}`;
        return Object.entries(Object.groupBy(of, name)).map(([name, some = []]) =>
          [name, some.reduce((sum, { requests }) => sum + requests, 0)] as const
        ).sort();
      };
      const added = add(refusals);
      assert.deepEqual(sums(added), sums(refusals));
      assert.ok(added.filter(({ keyId }) => keyId !== null).length <= max);
      assert.ok(added.length <= max + 4);
      assert.deepEqual(add(added), added, "what was stored is added again unchanged");
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
  assert.deepEqual(
    listed[0],
    refusal({ keyId: null, endpoint: null, requests: 50, lastAt: NOON + 149 }),
  );
  const stored = await Array.fromAsync(kv.list({ prefix: ["refusals"] }));
  assert.deepEqual(stored.map(({ key }) => key), [["refusals", TODAY, BOT]]);

  const accounts = Array.from(
    { length: 300 },
    (_, number) => kinds.slice(0, 30).map((each) => ({ ...each, accountId: `acc_${number}` })),
  );
  await store.insertRefusals(accounts.flat());
  assert.equal((await store.countRefusals(SINCE)).length, 301);
});

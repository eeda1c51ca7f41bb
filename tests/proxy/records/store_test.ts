/** Both analytics stores: the same queries return the same totals. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { dayOf, daysUntil, type UsageRecord } from "../../../lib/proxy/ledger/books.ts";
import type { UsageBatch } from "../../../lib/proxy/records/record.ts";
import type { Question, UsageStore } from "../../../lib/proxy/records/store.ts";
import { expectedAnswer } from "./oracle.ts";
import {
  anyQuestion,
  anyRecord,
  createEmbedded,
  forEachStore,
  openClickHouseStore,
  page,
  record,
  TODAY,
} from "./stores.ts";

const TODAY_BY_ACCOUNT: Question = { from: TODAY, to: TODAY, accountId: null, by: "account" };

forEachStore("a store without records answers with no groups and zeros", async (store) => {
  await store.ping();
  await store.insert([]);
  assert.deepEqual(await store.query(TODAY_BY_ACCOUNT), expectedAnswer([], TODAY_BY_ACCOUNT));
});

forEachStore(
  "a request counts once, however often and with whatever others it is handed over",
  async (store) => {
    const [a, b, c] = [page([record(), record()]), page([record()]), page([record()])];
    await store.insert([a]);
    await store.insert([a, b]);
    await store.insert([c, a, b]);
    await store.insert([a, a]);
    const { total } = await store.query(TODAY_BY_ACCOUNT);
    assert.equal(total.requests, 4);
    assert.equal(total.cost, 28_000_000n);
  },
);

forEachStore(
  "the highest version of a page counts, in whatever order the versions come",
  async (store) => {
    const swept = record({ cost: 50n, costFrom: "sweep", status: null, durationMs: null });
    const corrected = { ...swept, cost: 3n, costFrom: "provider" as const, status: 200 };
    for (
      const [name, versions] of Object.entries({ first: [1n, 2n], last: [2n, 1n], both: [2n] })
    ) {
      const requestId = `request of ${name}`;
      for (const version of versions) {
        const written = { ...(version === 1n ? swept : corrected), requestId };
        await store.insert([
          page([written], requestId, version),
          page([record({ day: "2026-11-20" })]),
        ]);
      }
    }
    await store.insert([
      page([{ ...swept, requestId: "r" }], "r", 1n),
      page([{ ...corrected, requestId: "r" }], "r", 2n),
    ]);
    const { total } = await store.query(TODAY_BY_ACCOUNT);
    assert.equal(total.requests, 4);
    assert.equal(total.cost, 12n);
    assert.equal(total.failed, 0);
  },
);

forEachStore("a correction leaves the other records of its block alone", async (store) => {
  const pages = Array.from({ length: 300 }, (_, index) => page([record({ cost: BigInt(index) })]));
  await store.insert(pages);
  const { rows: [row], ...fifth } = pages[5]!;
  await store.insert([{ ...fifth, version: 9n, rows: [{ ...row!, cost_nano_usd: "1000" }] }]);
  const { total } = await store.query(TODAY_BY_ACCOUNT);
  assert.equal(total.requests, 300);
  assert.equal(total.cost, 44_850n - 5n + 1000n);
});

forEachStore("durations are at the nearest rank, of those that are known", async (store) => {
  const ofAccount = (accountId: string, durations: readonly (number | null)[]) =>
    durations.map((durationMs) => record({ accountId, durationMs }));
  const to20 = Array.from({ length: 20 }, (_, index) => 10 * (20 - index));
  await store.insert([
    page(ofAccount("none", [null, null])),
    page(ofAccount("one", [7])),
    page(ofAccount("two", [9, 1, null])),
    page(ofAccount("twenty", to20)),
    page(ofAccount("more", [...to20, 1000])),
  ]);
  const { groups, total } = await store.query(TODAY_BY_ACCOUNT);
  const seen = Object.fromEntries(
    groups.map(({ key, totals }) => [key, [totals.medianMs, totals.p95Ms]]),
  );
  assert.deepEqual(seen, {
    none: [null, null],
    one: [7, 7],
    two: [1, 9],
    twenty: [100, 190],
    more: [110, 200],
  });
  assert.deepEqual([total.medianMs, total.p95Ms], [100, 200]);
});

forEachStore("amounts and tokens are exact far above what a number holds", async (store) => {
  const cost = 10n ** 24n + 1n;
  const inputTokens = Number.MAX_SAFE_INTEGER;
  const records = Array.from({ length: 300 }, () => record({ cost, inputTokens }));
  for (let at = 0; at < records.length; at += 30) {
    await store.insert([page(records.slice(at, at + 30))]);
  }
  const { total } = await store.query(TODAY_BY_ACCOUNT);
  assert.equal(total.cost, 300n * cost);
  assert.equal(total.inputTokens, 300n * BigInt(inputTokens));
});

forEachStore("groups come by cost, the highest first, and days in order", async (store) => {
  await store.insert([
    page([record({ day: "2026-11-20", cost: 1n, model: "b" })]),
    page([record({ cost: 5n, model: "a" }), record({ cost: 1n, model: null })]),
    page([record({ day: "2026-11-19", cost: 9n, model: "c" }), record({ cost: 1n, model: "" })]),
  ]);
  const keys = async (by: Question["by"]) => {
    const { groups } = await store.query({ from: "2026-11-01", to: TODAY, accountId: null, by });
    return groups.map(({ key }) => key);
  };
  assert.deepEqual(await keys("day"), ["2026-11-19", "2026-11-20", TODAY]);
  assert.deepEqual(await keys("model"), ["c", "a", "", "b", null]);
});

forEachStore("a question whose last day is before its first has no groups", async (store) => {
  await store.insert([page([record()])]);
  const answer = await store.query({ ...TODAY_BY_ACCOUNT, from: "2026-11-22" });
  assert.deepEqual(answer, expectedAnswer([], TODAY_BY_ACCOUNT));
});

// A real server removes old rows by its own clock, so this test uses the real time.
const REAL_NOW = Date.now();
const RETENTION_DAYS = 30;

forEachStore(
  "the day so many days ago is the last that counts, before and after what is past is removed",
  async (store) => {
    const [today = "", ...before] = daysUntil(dayOf(REAL_NOW), 500);
    const kept = [today, before[RETENTION_DAYS - 2], before[RETENTION_DAYS - 1]];
    const past = [before[RETENTION_DAYS], before[RETENTION_DAYS + 60], before.at(-1)];
    await store.insert([...kept, ...past].map((day = "") => page([record({ day })])));
    const count = async () => {
      const question = { from: before.at(-1) ?? "", to: today, accountId: null };
      const { groups, total } = await store.query({ ...question, by: "day" });
      assert.equal(total.requests, groups.length);
      return groups.map(({ key }) => key);
    };
    assert.deepEqual(await count(), kept.toReversed());
    const seen = daysUntil(today, 500).toReversed();
    await store.applyRetention(seen);
    await store.applyRetention(seen);
    assert.deepEqual(await count(), kept.toReversed());
  },
  { days: RETENTION_DAYS, now: () => REAL_NOW },
);

forEachStore("without a retention everything counts, however old it is", async (store) => {
  await store.insert([page([record({ day: "2020-01-01" })])]);
  await store.applyRetention([]);
  const { total } = await store.query({
    ...TODAY_BY_ACCOUNT,
    from: "2020-01-01",
    to: "2020-01-02",
  });
  assert.equal(total.requests, 1);
});

/** A page's records, how often each version is handed over, and with which others. */
const anyHistory = fc.array(
  fc.record({
    records: fc.array(anyRecord, { minLength: 1, maxLength: 5 }),
    corrected: fc.boolean(),
    again: fc.boolean(),
  }),
  { maxLength: 12 },
);

Deno.test("both stores answer alike, and as plain counting does, for any rows", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyHistory,
      fc.array(anyQuestion, { minLength: 1, maxLength: 4 }),
      fc.nat(3),
      async (history, questions, shift) => {
        const kept: UsageRecord[] = [];
        const pages: UsageBatch[] = [];
        for (const { records: drawn, corrected, again } of history) {
          const records = drawn.map((each) => ({ ...each, day: drawn[0]!.day }));
          const first = page(records);
          pages.push(first);
          if (corrected) {
            const after = records.map((each) => ({ ...each, cost: each.cost + 1n, status: 200 }));
            pages.push(page(after, first.name, 2n));
            kept.push(...after);
          } else kept.push(...records);
          if (again) pages.push(first);
        }
        using embedded = await createEmbedded();
        await using clickHouse = await openClickHouseStore();
        const stores: UsageStore[] = [clickHouse.store, embedded.store];
        for (const store of stores) {
          for (let at = 0; at < pages.length; at += shift + 1) {
            await store.insert(pages.slice(at, at + shift + 1));
          }
          for (const question of questions) {
            assert.deepEqual(await store.query(question), expectedAnswer(kept, question));
          }
        }
      },
    ),
    { numRuns: 40 },
  );
});

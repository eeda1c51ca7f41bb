/** Old usage records: which are removed, and which never are. */

import assert from "node:assert/strict";
import { daysUntil } from "../../../lib/proxy/ledger/books.ts";
import { createClickHouseStore } from "../../../lib/proxy/records/clickhouse.ts";
import { createEmbeddedStore } from "../../../lib/proxy/records/embedded.ts";
import { migrate } from "../../../lib/proxy/records/migrate.ts";
import { openKv } from "../../../lib/platform/kv/open.ts";
import { createEmbedded, NOON, openClickHouse, page, record, TODAY } from "./stores.ts";

/** As many days before and including one, as `seeDay` gives them. */
const seenUntil = (day: string, count = 4_000) => daysUntil(day, count).toReversed();

/** The days of which the embedded store holds values, by kind. */
async function keptDays(kv: Deno.Kv) {
  const days = async (kind: string) => {
    const entries = await Array.fromAsync(kv.list({ prefix: ["analytics", kind] }));
    return [...new Set(entries.map(({ key }) => String(key[2])))];
  };
  return { rows: await days("rows"), pages: await days("pages") };
}

Deno.test("embedded: the rows and notes of days that are past are removed, and no others", async () => {
  using embedded = await createEmbedded({ days: 30, now: () => NOON });
  const kept = ["2026-10-22", "2026-10-23", TODAY, "2026-11-22"];
  const days = ["2024-02-29", "2026-10-21", ...kept];
  // More than one commit can remove.
  const many = Array.from({ length: 120 }, () => page([record({ day: "2026-10-20" })]));
  for (const one of many) await embedded.store.insert([one]);
  await embedded.store.insert(days.map((day) => page([record({ day })])));
  await embedded.store.applyRetention(seenUntil(TODAY));
  assert.deepEqual(await keptDays(embedded.kv), { rows: kept, pages: kept });
});

Deno.test("embedded: a day is removed once so many later ones were seen, however they were numbered", async () => {
  using embedded = await createEmbedded({ days: 2, now: () => NOON });
  const days = ["2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20", TODAY];
  await embedded.store.insert(days.map((day) => page([record({ day })])));
  const rows = async (seen: readonly string[]) => {
    await embedded.store.applyRetention(seen);
    return (await keptDays(embedded.kv)).rows;
  };
  assert.deepEqual(await rows([]), days);
  assert.deepEqual(await rows(["2026-11-20", TODAY]), days);
  // A clock that was years ahead is one day more.
  assert.deepEqual(await rows(["2026-11-19", "2026-11-20", "2037-11-05"]), days.slice(2));
  assert.deepEqual(await rows(["2026-11-20", "2037-11-05", TODAY]), days.slice(3));
});

Deno.test("embedded: an interrupted removal is resumed, and nothing counts twice", async () => {
  for (let allowed = 0;; allowed++) {
    using kv = await openKv(":memory:");
    const old = Array.from({ length: 12 }, () => page([record({ day: "2026-10-01" })]));
    const fresh = page([record()]);
    const forever = createEmbeddedStore(kv);
    for (const one of [...old, fresh]) await forever.insert([one]);
    let removed = 0;
    const failing = new Proxy(kv, {
      get(target, name) {
        if (name !== "delete") {
          const member = Reflect.get(target, name);
          return typeof member === "function" ? member.bind(target) : member;
        }
        return (key: Deno.KvKey) => {
          if (removed++ === allowed) throw new Error("crash");
          return target.delete(key);
        };
      },
    });
    const retention = { days: 30, now: () => NOON };
    const crashed = await createEmbeddedStore(failing, retention).applyRetention(seenUntil(TODAY))
      .then(() => false, () => true);
    // All records are delivered again, as after an outage.
    await forever.insert([...old, fresh]);
    const question = { from: "2026-01-01", to: TODAY, accountId: null, by: "day" as const };
    const { total, groups } = await forever.query(question);
    assert.ok(total.requests <= 13, `${total.requests} requests after ${allowed} removals`);
    assert.equal(groups.find(({ key }) => key === TODAY)?.totals.requests, 1);
    await createEmbeddedStore(kv, retention).applyRetention(seenUntil(TODAY));
    assert.deepEqual(await keptDays(kv), { rows: [TODAY], pages: [TODAY] });
    if (!crashed) break;
  }
});

Deno.test("embedded: without a limit nothing is removed, and a new limit holds at once", async () => {
  using kv = await openKv(":memory:");
  const limited = createEmbeddedStore(kv, { days: 10, now: () => NOON });
  const forever = createEmbeddedStore(kv);
  await limited.insert([page([record({ day: "2025-11-11" })]), page([record()])]);
  await forever.applyRetention(seenUntil(TODAY));
  const question = { from: "2025-01-01", to: TODAY, accountId: null, by: "day" as const };
  assert.equal((await forever.query(question)).total.requests, 2);
  assert.equal((await limited.query(question)).total.requests, 1);
  await limited.applyRetention(seenUntil(TODAY));
  assert.deepEqual((await keptDays(kv)).rows, [TODAY]);
});

Deno.test("clickhouse: the table's TTL follows the setting; without one, an operator's own TTL stays", async () => {
  await using database = await openClickHouse();
  await migrate(database.options);
  const ttl = async () => {
    const answer = await database.send({
      sql: "SELECT engine_full FROM system.tables " +
        "WHERE database = currentDatabase() AND name = 'foyer_usage' FORMAT JSON",
    });
    return / TTL (.*?) SETTINGS /.exec(JSON.parse(answer).data[0].engine_full)?.[1] ?? null;
  };
  const apply = async (days: number | null) => {
    const sent: string[] = [];
    const fetch: typeof database.options.fetch = (input, init) => {
      sent.push(String(init?.body));
      return database.options.fetch(input, init);
    };
    const store = createClickHouseStore({ ...database.options, fetch }, { days, now: () => NOON });
    await store.applyRetention([]);
    return sent.filter((sql) => sql.startsWith("ALTER")).length;
  };
  const table = [
    { days: null, expected: null, alterations: 0 },
    { days: 90, expected: "day + toIntervalDay(92)", alterations: 1 },
    { days: 90, expected: "day + toIntervalDay(92)", alterations: 0 },
    { days: 30, expected: "day + toIntervalDay(32)", alterations: 1 },
    { days: null, expected: null, alterations: 1 },
    { days: null, expected: null, alterations: 0 },
  ];
  for (const { days, expected, alterations } of table) {
    assert.equal(await apply(days), alterations);
    assert.equal(await ttl(), expected);
  }
  await database.send({ sql: "ALTER TABLE foyer_usage MODIFY TTL day + toIntervalMonth(6)" });
  assert.equal(await apply(null), 0);
  assert.equal(await ttl(), "day + toIntervalMonth(6)");
  assert.equal(await apply(90), 1);
  assert.equal(await ttl(), "day + toIntervalDay(92)");
});

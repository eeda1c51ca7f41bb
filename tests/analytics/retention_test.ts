/** Usage records that are past: what is removed, and what never is. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { dayOf } from "../../lib/accounts/books.ts";
import { createClickHouseStore } from "../../lib/analytics/clickhouse.ts";
import { createEmbeddedStore } from "../../lib/analytics/embedded.ts";
import { migrate } from "../../lib/analytics/migrate.ts";
import { openKv } from "../../lib/kv/open.ts";
import { createEmbedded, NOON, openClickHouse, page, record, TODAY } from "./world.ts";

const DAY = 86_400_000;

/** The days of which the embedded store has something, by kind. */
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
  // More than one commit removes.
  const many = Array.from({ length: 120 }, () => page([record({ day: "2026-10-20" })]));
  for (const one of many) await embedded.store.insert([one]);
  await embedded.store.insert(days.map((day) => page([record({ day })])));
  await embedded.store.applyRetention();
  assert.deepEqual(await keptDays(embedded.kv), { rows: kept, pages: kept });
});

Deno.test("embedded: a clock that is years ahead removes a day at each run at most, and none once it is right", async () => {
  let now = NOON;
  using embedded = await createEmbedded({ days: 2, now: () => now });
  const days = ["2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20", TODAY];
  await embedded.store.insert(days.map((day) => page([record({ day })])));
  now += 4000 * DAY;
  await embedded.store.applyRetention();
  assert.deepEqual((await keptDays(embedded.kv)).rows, ["2026-11-20", TODAY]);
  // What is booked meanwhile is of a day to come.
  await embedded.store.insert([page([record({ day: dayOf(now) })])]);
  await embedded.store.applyRetention();
  assert.deepEqual((await keptDays(embedded.kv)).rows, [TODAY, dayOf(now)]);
  const future = dayOf(now);
  now = NOON + DAY;
  await embedded.store.applyRetention();
  await embedded.store.applyRetention();
  assert.deepEqual((await keptDays(embedded.kv)).rows, [TODAY, future]);
});

Deno.test("embedded: a removal that breaks off anywhere is carried on, and nothing counts twice", async () => {
  for (let allowed = 0;; allowed++) {
    using kv = await openKv(":memory:");
    const old = Array.from({ length: 150 }, () => page([record({ day: "2026-10-01" })]));
    const fresh = page([record()]);
    const forever = createEmbeddedStore(kv);
    for (const one of [...old, fresh]) await forever.insert([one]);
    let commits = 0;
    const failing = new Proxy(kv, {
      get(target, name) {
        if (name !== "atomic") {
          const member = Reflect.get(target, name);
          return typeof member === "function" ? member.bind(target) : member;
        }
        return () => {
          if (commits++ === allowed) throw new Error("crash");
          return target.atomic();
        };
      },
    });
    const retention = { days: 30, now: () => NOON };
    const crashed = await createEmbeddedStore(failing, retention).applyRetention()
      .then(() => false, () => true);
    // All of it comes again, as after an outage.
    await forever.insert([...old, fresh]);
    const question = { from: "2026-01-01", to: TODAY, accountId: null, by: "day" as const };
    const { total, groups } = await forever.query(question);
    assert.ok(total.requests <= 151, `${total.requests} requests after ${allowed} commits`);
    assert.equal(groups.find(({ key }) => key === TODAY)?.figures.requests, 1);
    await createEmbeddedStore(kv, retention).applyRetention();
    assert.deepEqual(await keptDays(kv), { rows: [TODAY], pages: [TODAY] });
    if (!crashed) break;
  }
});

Deno.test("embedded: a limit that is lifted removes nothing more, and one that is set again begins anew", async () => {
  using kv = await openKv(":memory:");
  let now = NOON;
  const limited = createEmbeddedStore(kv, { days: 10, now: () => now });
  const forever = createEmbeddedStore(kv);
  await limited.insert([page([record({ day: "2026-11-11" })]), page([record()])]);
  await limited.applyRetention();
  now += 400 * DAY;
  await forever.applyRetention();
  assert.deepEqual((await keptDays(kv)).rows, ["2026-11-11", TODAY]);
  const question = { from: "2026-01-01", to: TODAY, accountId: null, by: "day" as const };
  assert.equal((await forever.query(question)).total.requests, 2);
  await forever.insert([page([record({ day: dayOf(now) })])]);
  await limited.applyRetention();
  assert.deepEqual((await keptDays(kv)).rows, [dayOf(now)]);
});

Deno.test("embedded: whatever the clock does, a day is removed when the database's own day has passed it by so much, not sooner", async () => {
  const anyStep = fc.oneof(
    fc.record({ insert: fc.integer({ min: -40, max: 5 }) }),
    fc.record({ move: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(-900, 900)) }),
    fc.constant("run" as const),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { maxLength: 25 }),
      fc.integer({ min: 1, max: 20 }),
      async (steps, days) => {
        let now = NOON;
        using embedded = await createEmbedded({ days, now: () => now });
        let ownDay: string | null = null;
        let kept = new Set<string>();
        for (const step of steps) {
          if (step === "run") {
            await embedded.store.applyRetention();
            const before: string | undefined = ownDay ?? [...kept].sort().at(-1);
            const next: string = before === undefined ? "9999" : dayOf(Date.parse(before) + DAY);
            ownDay = next < dayOf(now) ? next : dayOf(now);
            const first = dayOf(Date.parse(ownDay) - days * DAY);
            kept = new Set([...kept].filter((day) => day >= first));
          } else if ("move" in step) now += step.move * DAY;
          else {
            const day = dayOf(now + step.insert * DAY);
            await embedded.store.insert([page([record({ day })])]);
            kept.add(day);
          }
          assert.deepEqual((await keptDays(embedded.kv)).rows, [...kept].sort());
        }
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("clickhouse: the table's TTL follows the setting, and another's is left alone while there is none", async () => {
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
    await store.applyRetention();
    return sent.filter((sql) => sql.startsWith("ALTER")).length;
  };
  const table: [days: number | null, ttl: string | null, alterations: number][] = [
    [null, null, 0],
    [90, "day + toIntervalDay(92)", 1],
    [90, "day + toIntervalDay(92)", 0],
    [30, "day + toIntervalDay(32)", 1],
    [null, null, 1],
    [null, null, 0],
  ];
  for (const [days, expected, alterations] of table) {
    assert.equal(await apply(days), alterations);
    assert.equal(await ttl(), expected);
  }
  await database.send({ sql: "ALTER TABLE foyer_usage MODIFY TTL day + toIntervalMonth(6)" });
  assert.equal(await apply(null), 0);
  assert.equal(await ttl(), "day + toIntervalMonth(6)");
  assert.equal(await apply(90), 1);
  assert.equal(await ttl(), "day + toIntervalDay(92)");
});

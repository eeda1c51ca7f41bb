/** A month's calls to Airtable: counted, never beyond the budget, and reported when they are used up. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { createCallCounter, readCalls } from "../../lib/events/airtable/quota.ts";
import { ReadError } from "../../lib/events/reading/record_store.ts";
import { callAt, done, json } from "../commands/desk.ts";
import { type Foyer, NOON, row, startFoyer } from "../support/foyer.ts";
import { step } from "../support/step.ts";

const SECOND = 1_000;
const MINUTE = 60_000;
const EVENTS = "/api/v1/events";

const rows = (count: number) => Array.from({ length: count }, () => row());

async function ask(foyer: Foyer, path = EVENTS): Promise<Response> {
  const response = await foyer.answer(path);
  // A read that a request began in the background.
  await foyer.services.events.refresh();
  return response;
}

Deno.test("a used-up quota is reported everywhere, checked hourly, and ends with the month", async () => {
  await using foyer = await startFoyer({
    records: rows(3),
    now: Date.parse("2026-11-30T21:30:00Z"),
    airtable: { callsPerMonth: 1 },
  });
  const { clock, store } = foyer;
  assert.equal((await ask(foyer)).status, 200);
  clock.now += 130 * SECOND;
  assert.equal((await ask(foyer)).status, 200, "the last snapshot is still young enough");
  assert.equal(store.requests.length, 2);
  clock.now += 3 * MINUTE;
  const refused = await ask(foyer);
  assert.equal(refused.status, 502);
  const { code, hint } = await refused.json();
  assert.equal(code, "upstream_error");
  assert.match(hint, /used up for this month.*plan/);
  assert.equal(refused.headers.get("retry-after"), String(3_600 - 3 * 60));

  const { lines } = foyer;
  const logged = lines.find(({ message }) => message.includes("record store could not be read"));
  assert.match(String(logged?.properties["reason"] ?? ""), /used up its API calls of this month/);
  const page = await (await foyer.answer("/status.md")).text();
  assert.match(page, /^The events store has been failing/m);
  assert.match(
    await done(callAt(foyer, "status")),
    /used up for this month.*hourly.*AIRTABLE_CALLS_PER_MONTH/,
  );
  const told = await json(callAt(foyer, "status", "--json"));
  assert.equal(told.eventsFailure.fault, "quota");
  assert.equal(told.airtableCalls.calls, 2);

  // Each isolate leaves Airtable alone, even one that knows the pause only from the database.
  await using other = await startFoyer({ records: rows(3), now: clock.now });
  const { value: failure } = await foyer.kv.get(["events", "failure"]);
  await other.kv.set(["events", "failure"], failure);
  const there = await other.answer(EVENTS);
  assert.equal(there.status, 502);
  assert.equal((await there.json()).hint, hint);
  assert.equal(other.store.requests.length, 0);

  for (let minute = 0; minute < 56; minute++) {
    clock.now += MINUTE;
    assert.equal((await ask(foyer)).status, 502);
  }
  assert.equal(store.requests.length, 2, "within the hour");
  clock.now += 90 * SECOND;
  await ask(foyer);
  assert.equal(store.requests.length, 3, "after it");
  clock.now = Date.parse("2026-12-01T00:00:01Z");
  assert.equal((await ask(foyer)).status, 200);
  assert.equal((await json(callAt(foyer, "status", "--json"))).airtableCalls.calls, 1);
});

Deno.test("no call is made beyond AIRTABLE_CALLS_PER_MONTH, and the remedy is named", async () => {
  await using foyer = await startFoyer({
    records: rows(150),
    env: { AIRTABLE_CALLS_PER_MONTH: "7" },
  });
  const { clock, store } = foyer;
  for (let minutes = 0; minutes < 30; minutes += 2) {
    clock.now += 2 * MINUTE;
    await ask(foyer);
  }
  assert.equal(store.requests.length, 7);
  const refused = await ask(foyer);
  assert.equal(refused.status, 502);
  assert.match((await refused.json()).hint, /used up for this month/);
  const text = await done(callAt(foyer, "status"));
  assert.match(text, /budget of this month is used up: 7 calls of AIRTABLE_CALLS_PER_MONTH=7/);
  assert.match(text, /Calls of Airtable's API in 2026-11: 7 of 7/);
});

Deno.test("with a budget, reads are so far apart that the month's calls suffice, but no further than events may be old", async () => {
  const left = (Date.parse("2026-12-01T00:00:00Z") - NOON) / SECOND;
  const table: [budget: number, seconds: number, used?: number][] = [
    [100_000, 120],
    [left / 200 + 1, 200],
    [left / 200 + 10_001, 200, 10_000],
    [1_000, 295],
  ];
  for (const [budget, seconds, used = 0] of table) {
    await using foyer = await startFoyer({
      records: rows(1),
      env: { AIRTABLE_CALLS_PER_MONTH: String(Math.round(budget)) },
    });
    const { clock, store } = foyer;
    await foyer.kv.set(["events", "calls"], { month: "2026-11", calls: used, pages: 1 });
    await ask(foyer);
    clock.now += (seconds - 2) * SECOND;
    await ask(foyer);
    assert.equal(store.requests.length, 1, `${seconds}`);
    clock.now += 3 * SECOND;
    await ask(foyer);
    assert.equal(store.requests.length, 2, `${seconds}`);
  }
});

Deno.test("a read says that a budget does not suffice and what would, for the size of a table only once", async () => {
  const table = [
    [600, 50_000, 120, "off", /6 calls every 295 seconds.*Set AIRTABLE_NOTIFICATIONS=on, or/],
    [1, 1_000, 300, "off", /one call every 295 seconds.*Set AIRTABLE_NOTIFICATIONS=on, or choose/],
    [200, 1_000, 300, "off", /2 calls every 295 seconds.* Choose a plan with more calls/],
    [600, 100_000, 120, "off", null],
    [100, 1_000, 120, "on", null],
    [200, 1_000, 120, "on", /2 calls every 3,600 seconds.* Choose a plan with more calls/],
  ] as const;
  for (const [records, budget, seconds, notifications, said] of table) {
    const env = {
      AIRTABLE_CALLS_PER_MONTH: String(budget),
      EVENTS_REFRESH_SECONDS: String(seconds),
      AIRTABLE_NOTIFICATIONS: notifications,
    };
    await using foyer = await startFoyer({ records: rows(records), env });
    await ask(foyer);
    foyer.clock.now += 5 * MINUTE;
    await ask(foyer);
    const warnings = foyer.lines.filter(({ level }) => level === "warn");
    assert.equal(warnings.length, said === null ? 0 : 1);
    for (const { message } of warnings) assert.match(message, said ?? /nothing/);
  }
});

Deno.test("no interleaving of isolates and crashes makes a call beyond the budget, or loses one", async () => {
  const fields = { isolate: fc.nat(2), pages: fc.nat(4) };
  const anyStep = fc.oneof(step("read", fields), step("crash", fields));
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 30 }),
      fc.array(fc.array(anyStep, { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
      async (budget, rounds) => {
        using kv = await Deno.openKv(":memory:");
        const options = {
          kv,
          budget,
          isNotified: false,
          now: () => NOON,
          log: { warn() {} },
        };
        const isolates = Array.from({ length: 3 }, () => createCallCounter(options));
        let sent = 0;
        const run = async ({ kind, isolate, pages }: typeof rounds[number][number]) => {
          const counter = isolates[isolate];
          assert.ok(counter);
          try {
            for (let page = 0; page < pages; page++) {
              await counter.take();
              sent++;
            }
            if (kind === "read") await counter.learn(Math.max(1, pages));
          } catch (error) {
            assert.ok(error instanceof ReadError && error.fault === "quota", String(error));
          }
        };
        for (const round of rounds) await Promise.all(round.map(run));
        const counted = (await readCalls(kv, NOON))?.calls ?? 0;
        assert.equal(counted, sent);
        assert.ok(counted <= budget, `${counted} counted`);
      },
    ),
    { numRuns: 40 },
  );
});

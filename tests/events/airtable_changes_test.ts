/** Reads of only what has changed: always the whole table, in fewer calls. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { createChangeReader } from "../../lib/events/airtable/store.ts";
import type { StoreRecord } from "../../lib/events/record.ts";
import { createAirtableStandIn } from "../../lib/sandbox/airtable.ts";
import type { StandInRecord } from "../../lib/sandbox/records.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const signal = new AbortController().signal;

function record(number: number, name = `Event ${number}`): StandInRecord {
  return {
    id: `rec${String(number).padStart(14, "0")}`,
    createdTime: "2026-01-01T00:00:00.000Z",
    fields: { Name: name },
  };
}

/** A table with a webhook, and a reader of its changes. */
async function setUp(count: number) {
  const clock = { now: Date.parse("2026-11-21T12:00:00Z") };
  const hook: { id: string | null } = { id: null };
  const access = { apiUrl: "http://store.example", token: "patTest.secret", baseId: "appTest" };
  const airtable = createAirtableStandIn({
    ...access,
    records: Array.from({ length: count }, (_, number) => record(number)),
    table: "tblTest0000000001",
    tableId: "tblTest0000000001",
    now: () => clock.now,
    origin: access.apiUrl,
    signingSecret: "test",
    deliver: () => Promise.resolve(new Response(null, { status: 204 })),
    later: (work) => work(),
  });
  async function makeHook(): Promise<void> {
    const response = await airtable.substitute("http://store.example/v0/bases/appTest/webhooks", {
      method: "POST",
      headers: { authorization: "Bearer patTest.secret" },
      body: JSON.stringify({
        specification: { options: { filters: { dataTypes: ["tableData"] } } },
      }),
    });
    if (response.ok) hook.id = (await response.json()).id;
  }
  await makeHook();
  const take = () => Promise.resolve();
  const calls = { take, beginRead: () => Promise.resolve({ take, end: take }) };
  /** The calls and the pauses of all reads. */
  const steps: string[] = [];
  const call: typeof fetch = (...given) => {
    steps.push("call");
    return airtable.substitute(...given);
  };
  const sleep = (milliseconds: number) => {
    steps.push(milliseconds >= 200 ? "pause" : "short pause");
    return Promise.resolve();
  };
  const options = { ...access, table: "tblTest0000000001", fetch: call, calls, sleep };
  const hookId = () => Promise.resolve(hook.id);
  const reader = createChangeReader({
    ...options,
    view: undefined,
    parseRecord: (record: StoreRecord) => record,
    hookId,
    now: () => clock.now,
  });
  /** Reads, and gives the calls that it took. */
  async function read(): Promise<number> {
    const before = airtable.requests.length;
    const found = await reader.read(signal);
    const calls = airtable.requests.length - before;
    const byId = (one: { id: string }, other: { id: string }) => one.id < other.id ? -1 : 1;
    assert.deepEqual(found.toSorted(byId), airtable.records.toSorted(byId));
    return calls;
  }
  return { airtable, clock, hook, makeHook, reader, read, steps };
}

Deno.test("a change of a large table is read in two calls; a small table, an old read and no change are whole reads", async () => {
  const { airtable, clock, hook, makeHook, read } = await setUp(600);
  const edit = (name: string) =>
    airtable.setRecords(
      airtable.records.map((each) => each.id === record(7).id ? record(7, name) : each),
    );
  assert.equal(await read(), 6);
  assert.equal(await read(), 7, "the cursor is asked for once");
  edit("first");
  assert.equal(await read(), 2);
  assert.equal(await read(), 7, "without a change, everything may have changed");
  airtable.setRecords([...airtable.records.slice(3), record(900)]);
  assert.equal(await read(), 2, "records that are new and gone");
  clock.now += 46 * MINUTE;
  edit("second");
  assert.equal(await read(), 6, "signed addresses are too old");
  airtable.setRecords(airtable.records.map(({ id }) => record(Number(id.slice(3)), "all")));
  assert.equal(await read(), 7, "more than a page has changed");
  for (let edits = 0; edits < 300; edits++) edit(`one of many ${edits}`);
  assert.equal(await read(), 4 + 6, "no more payloads than a whole read has pages");
  assert.equal(await read(), 7);
  edit("third");
  assert.equal(await read(), 2);
  airtable.webhooks.drop(hook.id ?? "");
  assert.equal(await read(), 7, "the hook is gone");
  await makeHook();
  assert.equal(await read(), 6, "another hook has other payloads");
  hook.id = null;
  assert.equal(await read(), 6);
  airtable.setRecords(airtable.records.slice(0, 150));
  for (let reads = 0; reads < 3; reads++) assert.equal(await read(), 2);
});

Deno.test("a token that may read the table but no longer its webhook still reads the whole table", async () => {
  const { airtable, read } = await setUp(600);
  await read();
  await read();
  airtable.setRecords(airtable.records.slice(1));
  airtable.faults.push({ kind: "status", status: 403 });
  assert.equal(await read(), 7, "the payloads are refused");
});

Deno.test("a read of the changes pauses between its calls, and ends when it is aborted", async () => {
  const { airtable, reader, read, steps } = await setUp(600);
  await read();
  await read();
  for (let edits = 0; edits < 120; edits++) {
    airtable.setRecords([...airtable.records.slice(1), record(900 + edits)]);
  }
  steps.length = 0;
  assert.ok(await read() > 2, "several pages of changes");
  assert.doesNotMatch(steps.join(), /call,call/);
  airtable.setRecords(airtable.records.slice(1));
  airtable.faults.push({ kind: "hang" });
  const controller = new AbortController();
  const reading = reader.read(controller.signal);
  controller.abort();
  await assert.rejects(reading, /the read was aborted/);
});

Deno.test("a whole read that fails after the changes were asked for has all of its time when it is repeated", async () => {
  const { airtable, read } = await setUp(600);
  await read();
  await read();
  for (let edits = 0; edits < 300; edits++) {
    airtable.setRecords([record(0, `edit ${edits}`), ...airtable.records.slice(1)]);
  }
  airtable.faults.push({ kind: "status", status: 500, nth: 6 });
  await assert.rejects(read());
  assert.equal(await read(), 6, "no payload is requested again");
});

Deno.test("a whole read that fails does not make a later one of a change", async () => {
  const { airtable, clock, read } = await setUp(600);
  await read();
  await read();
  clock.now += 46 * MINUTE;
  airtable.faults.push({ kind: "status", status: 500, nth: 3 });
  await assert.rejects(read());
  assert.equal(await read(), 6);
  airtable.setRecords([record(0, "edited"), ...airtable.records.slice(1)]);
  assert.equal(await read(), 2);
});

Deno.test("a successful read is the whole table, despite edits and failures meanwhile", async () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("edit" as const),
        at: fc.nat(420),
        count: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom(99, 101, 150)),
        does: fc.constantFrom("change", "remove", "add"),
      }),
    },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("read" as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("fail" as const),
        nth: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("wait" as const),
        minutes: fc.constantFrom(1, 44, 46, 7 * 24 * 60),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("hook" as const),
        does: fc.constantFrom("drop", "invalidate", "make", "unknown"),
      }),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const { airtable, clock, hook, makeHook, read } = await setUp(400);
      let edits = 0;
      const readThrough = () =>
        read().catch((error) => {
          if (error instanceof assert.AssertionError) throw error;
        });
      await readThrough();
      await readThrough();
      for (const each of steps) {
        switch (each.kind) {
          case "edit": {
            const { at, count, does } = each;
            const before = airtable.records;
            const some = Array.from({ length: count }, (_, index) => at + index);
            const ids = new Set(some.map((number) => record(number).id));
            const others = before.filter(({ id }) => !ids.has(id));
            const found = before.length - others.length;
            airtable.setRecords(
              does === "remove" ? others : [
                ...others,
                ...some.slice(0, does === "add" ? count : found)
                  .map((number) => record(number, `edit ${++edits}`)),
              ],
            );
            break;
          }
          case "read":
            await readThrough();
            break;
          case "fail":
            airtable.faults.push({ kind: "status", status: 500, nth: each.nth });
            break;
          case "wait":
            clock.now += each.minutes * MINUTE;
            break;
          case "hook":
            if (each.does === "make") await makeHook();
            else if (each.does === "unknown") hook.id = null;
            else if (each.does === "drop") airtable.webhooks.drop(hook.id ?? "");
            else airtable.webhooks.invalidate(hook.id ?? "");
        }
      }
      airtable.faults.clear();
      await read();
    }),
    { numRuns: 60 },
  );
});

Deno.test("a change during a whole read is read again by the next one", async () => {
  const { airtable, reader, read, clock } = await setUp(600);
  await read();
  await read();
  clock.now += HOUR;
  const reading = reader.read(signal);
  airtable.setRecords(airtable.records.map((each, at) => at === 0 ? record(0, "meanwhile") : each));
  await reading;
  assert.equal(await read(), 2);
});

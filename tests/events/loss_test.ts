/**
 * A read that would lose most events: it is refused, the previous events are served for as long as the API
 * allows, and an operator can accept the loss.
 */
// Not quick: it plays through sequences of reads.

import assert from "node:assert/strict";
import { parseListQuery } from "../../lib/events/query.ts";
import fc from "fast-check";
import type { StoreRecord } from "../../lib/events/reading/record.ts";
import { acceptLoss, readFailure } from "../../lib/events/keeping/failure.ts";
import { ReadError, type RecordStore } from "../../lib/events/reading/record_store.ts";
import { PublicError } from "../../lib/platform/http/errors.ts";
import type { StandInRecord } from "../../lib/sandbox/records.ts";
import { callAt, done } from "../commands/desk.ts";
import { openFolder } from "../support/folder.ts";
import { type Foyer, row, startFoyer } from "../support/foyer.ts";
import { createWorld, type Isolate, retryAfter } from "../support/isolates.ts";
import { step } from "../support/step.ts";

const SECOND = 1_000;
const MINUTE = 60_000;

const table = (count: number, more: Record<string, unknown> = {}): StandInRecord[] =>
  Array.from(
    { length: count },
    (_, at) => row({ id: `rec${String(at).padStart(14, "0")}`, "Name": `Event ${at}`, ...more }),
  );

const acceptAny = (kv: Deno.Kv, now: number) => acceptLoss(kv, now, null, () => {});

/** The table with a renamed column. */
const renamed = (records: readonly StandInRecord[], column: string): StandInRecord[] =>
  records.map(({ fields: { [column]: value, ...fields }, ...record }) => ({
    ...record,
    fields: { ...fields, [`${column} (new)`]: value },
  }));

/** The number of events in the API's list, or the status of its refusal. */
async function count({ get }: Foyer): Promise<number | string> {
  const response = await get("/api/v1/events");
  const body = await response.json();
  if (response.status === 200) return body.data.length;
  assert.equal(body.code, "upstream_error");
  assert.match(response.headers.get("retry-after") ?? "", /^\d+$/);
  return String(response.status);
}

/** Advances the clock, and lets a due read take place. */
async function pass(foyer: Foyer, milliseconds: number): Promise<void> {
  foyer.clock.now += milliseconds;
  await foyer.services.events.refresh();
}

const troubles = ({ lines }: Foyer) => lines.filter(({ level }) => level !== "info");

for (const column of ["Name", "Start Date"]) {
  Deno.test(`with the column ${column} renamed the known events are served for 295 seconds, then there is 502, and one error names the column`, async () => {
    const records = table(600);
    await using foyer = await startFoyer({ records });
    assert.equal(await count(foyer), 600);
    foyer.store.setRecords(renamed(records, column));
    foyer.clock.now += 130 * SECOND;
    // A request starts the read in the background.
    assert.equal(await count(foyer), 600);
    await foyer.services.events.refresh();
    const [line, ...others] = troubles(foyer);
    assert.deepEqual(others, []);
    assert.equal(line?.level, "error");
    const { reason } = line?.properties as { reason: string };
    for (
      const part of [`“${column}”`, "600 of 600", "AIRTABLE_FIELDS", "deno task events accept"]
    ) {
      assert.ok(reason.includes(part), `${part}: ${reason}`);
    }
    foyer.clock.now += 164 * SECOND;
    assert.equal(await count(foyer), 600);
    foyer.clock.now += 2 * SECOND;
    assert.equal(await count(foyer), "502");
    // The operator is told what to do, and visitors that it fails.
    const status = await statusOf(foyer);
    for (const part of ["The events store has been failing", column, "deno task events accept"]) {
      assert.ok(status.includes(part), `${part}: ${status}`);
    }
    const page = await (await foyer.get("/status.md")).text();
    assert.match(page, /The events store has been failing/);
    for (const text of [status, page]) assert.ok(!text.includes("Everything"));
    foyer.store.setRecords(records);
    foyer.clock.now += 30 * SECOND;
    assert.equal(await count(foyer), 600);
    assert.equal(await readFailure(foyer.kv), null);
  });
}

Deno.test("a setting that names a column that is not there is found after a restart too, however old the known events are", async () => {
  await using folder = await openFolder();
  const kvPath = `${folder.path}/kv`;
  const records = table(30);
  {
    await using before = await startFoyer({ records, kvPath });
    assert.equal(await count(before), 30);
  }
  const env = { AIRTABLE_FIELDS: JSON.stringify({ startDate: "Begins" }) };
  const now = Date.parse("2026-11-28T12:00:00Z");
  {
    await using wrong = await startFoyer({ records, kvPath, env, now });
    assert.equal(await count(wrong), "502");
    assert.match(JSON.stringify(troubles(wrong)), /“Begins” is missing or invalid in 30 of them/);
  }
  await using right = await startFoyer({ records, kvPath, now: now + MINUTE });
  assert.equal(await count(right), 30);
});

Deno.test("a new table may be empty or have only empty rows; one of whose records none is an event is 502 with the column's name", async () => {
  const tables: [StandInRecord[], column: string | null][] = [
    [[], null],
    [table(3).map((record) => ({ ...record, fields: {} })), null],
    [renamed(table(40), "Start Date"), "Start Date"],
    [renamed(table(3), "Name"), "Name"],
  ];
  for (const [records, column] of tables) {
    await using foyer = await startFoyer({ records });
    const response = await foyer.get("/api/v1/events");
    const { code, message = "", data } = await response.json();
    if (column === null) assert.deepEqual([response.status, data], [200, []]);
    else {
      assert.deepEqual([response.status, code], [502, "upstream_error"]);
      assert.match(message, new RegExp(`most records lack a readable “${column}”`));
      const [line] = troubles(foyer);
      assert.match(
        JSON.stringify(line),
        new RegExp(`none of ${records.length} records.*“${column}”`),
      );
    }
    foyer.store.setRecords(table(12));
    await pass(foyer, 5 * MINUTE);
    assert.equal(await count(foyer), 12);
  }
});

/** What an operator is told by `status`. */
const statusOf = (foyer: Foyer) => done(callAt(foyer, "status"));

Deno.test("a lost column costs the column, and the operator is told until it is back or the loss is accepted", async () => {
  const records = table(30, { "Format": "online", "In Person Location": "Porto" });
  const lacking = renamed(records, "Format");
  await using foyer = await startFoyer({ records });
  const formats = async () => {
    const { data } = await (await foyer.get("/api/v1/events")).json();
    return new Set(data.map(({ format }: { format: string | null }) => format));
  };
  await pass(foyer, 0);
  const gone = /The column “Format” is gone: 30 of 30 events had a value there; is it renamed\?/;
  for (const isAccepted of [false, true]) {
    foyer.store.setRecords(lacking);
    for (let read = 0; read < 3; read++) {
      await pass(foyer, 3 * MINUTE);
      assert.deepEqual(await formats(), new Set([null]), "the events are served");
      assert.match(await statusOf(foyer), gone, "the alarm does not end with the next read");
    }
    const errors = troubles(foyer).filter(({ level }) => level === "error");
    assert.equal(errors.length, isAccepted ? 2 : 1, "each loss is one line");
    assert.match(JSON.stringify(errors.at(-1)), gone);
    if (isAccepted) {
      assert.match(await done(callAt(foyer, "events", "accept")), /without Format/);
      assert.equal((await callAt(foyer, "events", "accept")).code, 1, "once");
    } else foyer.store.setRecords(records);
    await pass(foyer, 3 * MINUTE);
    assert.doesNotMatch(await statusOf(foyer), /is gone/);
    assert.deepEqual(await formats(), new Set([isAccepted ? null : "online"]));
  }
  // A few emptied cells, or none of a column that few had, are an edit.
  foyer.store.setRecords(records.map((record, at) => at % 3 === 0 ? lacking[at]! : record));
  await pass(foyer, 3 * MINUTE);
  assert.doesNotMatch(await statusOf(foyer), /is gone/);
});

Deno.test("a column that is unreadable in most events is lost, and so are several at once", async () => {
  const records = table(20, { "Format": "online", "Url": "https://x.example", "Pinned": true });
  await using foyer = await startFoyer({ records });
  await pass(foyer, 0);
  foyer.store.setRecords(records.map(({ fields, ...record }) => ({
    ...record,
    fields: { ...fields, "Format": { error: "#ERROR!" }, "Url": "see poster" },
  })));
  await pass(foyer, 3 * MINUTE);
  assert.equal(await count(foyer), 20);
  const status = await statusOf(foyer);
  for (const column of ["Format", "Url"]) {
    assert.ok(status.includes(`The column “${column}” is gone`), status);
  }
  assert.match(status, /20 shown without a cell, 0 records left out/);
  assert.match(status, /and 19 more +Format +an error of the formula/, "one fault is one line");
});

Deno.test("without the column of announcements each known event keeps its moment", async () => {
  const records = table(20).map((record, at) => ({
    ...record,
    fields: { ...record.fields, "Announced At": `2026-10-${String(at + 1).padStart(2, "0")}` },
  }));
  await using foyer = await startFoyer({ records });
  const moments = async () =>
    (await (await foyer.get("/api/v1/events?sort=announcedAt")).json()).data
      .map(({ id, announcedAt }: Record<string, string>) => `${id} ${announcedAt}`);
  const before = await moments();
  foyer.store.setRecords(renamed(records, "Announced At"));
  await pass(foyer, 3 * MINUTE);
  assert.match(await statusOf(foyer), /“Announced At” is gone/);
  assert.deepEqual(await moments(), before);
});

Deno.test("days of announcements that are typed while their column is mostly empty count", async () => {
  const records = table(20, { "Announced At": "2026-10-01" });
  await using foyer = await startFoyer({ records });
  await pass(foyer, 0);
  foyer.store.setRecords([
    ...table(5, { "Announced At": "2026-11-01" }),
    ...renamed(records.slice(5), "Announced At"),
  ]);
  await pass(foyer, 3 * MINUTE);
  const { data } = await (await foyer.get("/api/v1/events?sort=announcedAt")).json();
  const days = data.map(({ announcedAt }: Record<string, string>) => announcedAt?.slice(0, 10));
  assert.deepEqual(days.toSorted(), [
    ...Array(15).fill("2026-10-01"),
    ...Array(5).fill("2026-11-01"),
  ]);
});

/** The last days in the API's list. */
async function lastDays({ get }: Foyer): Promise<(string | null)[]> {
  const { data } = await (await get("/api/v1/events")).json();
  return data.map(({ endDate }: Record<string, unknown>) => endDate);
}

for (const [size, ended] of [[20, 20], [30, 14], [3, 3], [9, 2]] as const) {
  Deno.test(`the last days of ${ended} of ${size} events are not lost, since they would run for ever, until it is accepted`, async () => {
    const records = [
      ...table(ended, { "End Date": "2026-12-02" }),
      ...table(size, { "End Date": undefined }).slice(ended),
    ];
    await using foyer = await startFoyer({ records });
    await pass(foyer, 0);
    const before = await lastDays(foyer);
    assert.equal(before.filter((day) => day !== null).length, ended);
    foyer.store.setRecords(renamed(records, "End Date"));
    await pass(foyer, 3 * MINUTE);
    const told = new RegExp(`made ${ended} endless of ${size} events: “End Date” is missing`);
    assert.match(await statusOf(foyer), told);
    assert.deepEqual(await lastDays(foyer), before);
    await pass(foyer, 3 * MINUTE);
    assert.equal(await count(foyer), "502");
    assert.notEqual(await acceptAny(foyer.kv, foyer.clock.now), null);
    for (let read = 0; read < 2; read++) {
      await pass(foyer, MINUTE + read * 2 * MINUTE);
      assert.deepEqual(new Set(await lastDays(foyer)), new Set([null]));
      assert.doesNotMatch(await statusOf(foyer), /End Date/, "it is accepted once");
    }
  });
}

Deno.test("one event may be made endless, and unreadable last days make days of one", async () => {
  const records = table(12, { "End Date": "2026-12-02" });
  await using foyer = await startFoyer({ records });
  await pass(foyer, 0);
  foyer.store.setRecords([...table(1, { "End Date": undefined }), ...records.slice(1)]);
  await pass(foyer, 3 * MINUTE);
  assert.equal((await lastDays(foyer)).filter((day) => day === null).length, 1);
  foyer.store.setRecords(table(12, { "End Date": { error: "#ERROR!" } }));
  await pass(foyer, 3 * MINUTE);
  assert.ok((await lastDays(foyer)).every((day) => day !== null), "the events are served");
  assert.match(await statusOf(foyer), /The column “End Date” is gone: 11 of 12 events/);
});

Deno.test("with a loss of events that is accepted, columns that are gone are told still", async () => {
  const records = table(30, { "Format": "online" });
  await using foyer = await startFoyer({ records });
  await pass(foyer, 0);
  foyer.store.setRecords(renamed(records.slice(0, 12), "Format"));
  await pass(foyer, 3 * MINUTE);
  assert.notEqual(await acceptAny(foyer.kv, foyer.clock.now), null);
  await pass(foyer, 0);
  assert.equal(await count(foyer), 12);
  assert.match(await statusOf(foyer), /“Format” is gone: 30 of 30/);
});

Deno.test("the accepted loss of a column is no acceptance of another one", async () => {
  const records = table(20, { "Format": "online", "Url": "https://x.example" });
  await using foyer = await startFoyer({ records });
  await pass(foyer, 0);
  foyer.store.setRecords(renamed(records, "Format"));
  await pass(foyer, 3 * MINUTE);
  await done(callAt(foyer, "events", "accept"));
  foyer.store.setRecords(renamed(renamed(records, "Format"), "Url"));
  await pass(foyer, 3 * MINUTE);
  const status = await statusOf(foyer);
  assert.match(status, /“Url” is gone/);
  assert.doesNotMatch(status, /“Format” is gone/);
});

Deno.test("the records that are left out are counted beside any number of faults", async () => {
  const records = [
    ...table(1_200, { "Format": "by mail" }),
    ...["recZ1", "recZ2", "recZ3"].map((id) => row({ id, "Name": "" })),
  ];
  await using foyer = await startFoyer({ records });
  await pass(foyer, 0);
  const status = await statusOf(foyer);
  assert.match(status, /1,200 shown without a cell, 3 records left out/);
  assert.match(status, /recZ1 and 2 more +Name/);
});

Deno.test("a file of whose rows none has a known name is 502, and each row without an id counts", async () => {
  await using folder = await openFolder();
  const path = `${folder.path}/events.json`;
  const files: [unknown[], RegExp][] = [
    [[{ id: "a1", title: "Jam" }, { id: "a2", title: "Walk" }], /none of 2 records.*“Name”/],
    [[{ Name: "Jam", "Start Date": "2026-12-01" }, {}, 7], /none of 3 records.*“id”.* in 3 of/],
  ];
  for (const [rows, reason] of files) {
    await Deno.writeTextFile(path, JSON.stringify(rows));
    await using foyer = await startFoyer({ env: { EVENTS_FILE: path } });
    assert.equal(await count(foyer), "502");
    assert.match(JSON.stringify(troubles(foyer)), reason);
  }
  // A row may name its columns itself, as an export does.
  await Deno.writeTextFile(path, '[{"id": "a1", "Name": "Jam", "Start Date": "1 Dec 2026"}]');
  await using foyer = await startFoyer({ env: { EVENTS_FILE: path } });
  assert.equal(await count(foyer), 1);
});

Deno.test("an acceptance holds for the loss that was refused, once, and for an hour", async () => {
  const records = table(20);
  await using foyer = await startFoyer({ records });
  const accept = () => acceptAny(foyer.kv, foyer.clock.now);
  await pass(foyer, 0);
  assert.equal(await accept(), null, "nothing was refused");
  foyer.store.setRecords(records.slice(0, 5));
  await pass(foyer, 3 * MINUTE);
  assert.equal(await count(foyer), 20);
  const accepted = await accept();
  assert.deepEqual([accepted?.known, accepted?.gone, accepted?.leftOut], [20, 15, 0]);

  // A different loss ends the acceptance.
  foyer.store.setRecords(records.slice(5, 10));
  for (let read = 0; read < 3; read++) {
    await pass(foyer, 2 * MINUTE);
    assert.equal(await count(foyer), "502");
  }
  foyer.store.setRecords(records.slice(0, 5));
  await pass(foyer, MINUTE);
  assert.equal(await count(foyer), "502");

  // It ends after an hour.
  await accept();
  foyer.clock.now += 60 * MINUTE;
  assert.equal(await count(foyer), "502");

  // The acceptance takes effect at once, despite the pause after the refusal, and for one read only.
  await accept();
  await pass(foyer, 0);
  assert.equal(await count(foyer), 5);
  foyer.store.setRecords(records);
  await pass(foyer, 3 * MINUTE);
  assert.equal(await count(foyer), 20);
  foyer.store.setRecords(records.slice(0, 5));
  await pass(foyer, 3 * MINUTE);
  assert.equal(await count(foyer), 20);
});

Deno.test("an acceptance at any moment of a read counts, and an outage afterwards does not end it", async () => {
  for (let operations = 0; operations < 14; operations++) {
    let records: readonly StoreRecord[] = table(20);
    let failure: unknown = null;
    await using world = await createWorld({
      origin: () => "appTest",
      read: () => failure === null ? Promise.resolve(records) : Promise.reject(failure),
    });
    const [first, second] = world.isolates(2) as [Isolate, Isolate];
    await first.source.refresh();
    records = records.slice(0, 5);
    await world.time.advance(3 * MINUTE);
    await first.source.refresh();
    await world.time.advance(MINUTE);
    second.freeze(operations);
    let isOver = false;
    const reading = second.source.refresh().finally(() => isOver = true);
    await world.time.until(() => isOver || second.isHeld);
    assert.notEqual(await acceptAny(world.kv, world.time.now()), null);
    second.thaw();
    await reading;
    if (operations < 2) assert.equal(await readFailure(world.kv), null, "it is taken over");
    failure = new ReadError("unavailable", "down");
    for (let minute = 0; minute < 3; minute++) {
      await world.time.advance(MINUTE);
      await first.source.refresh();
    }
    failure = null;
    await world.time.advance(MINUTE);
    await first.source.refresh();
    assert.equal((await servedBy(first)).length, 5, `after ${operations} operations`);
  }
});

/** The ids and last days of the events that are served now. @throws {PublicError} for a refusal. */
async function servedBy({ source }: Isolate): Promise<string[]> {
  const { representation } = await (await source.catalog()).list(parseListQuery(""));
  const { data } = await (await representation.send("identity", { maxAgeSeconds: 0 })).json();
  return data.map(({ id, endDate }: { id: string; endDate: string | null }) => `${id} ${endDate}`)
    .sort();
}

/** Some of the records: any, or about half of one of the tables below. */
const some = [
  { from: fc.nat(30), count: fc.nat(30) },
  { from: fc.constant(0), count: fc.constantFrom(5, 6, 9, 12, 13) },
];
const column = fc.constantFrom("Name", "Start Date", "End Date");
const anyEdit = fc.oneof(
  step("rename", { column }),
  ...some.flatMap((given) => [step("drop", given), step("spoil", given), step("add", given)]),
  step("repair"),
  step("fail"),
  step("accept"),
  step("restart"),
);

Deno.test("no sequence of broken reads makes an event vanish sooner than the rule says", async () => {
  const edits = fc.array(anyEdit, { minLength: 4, maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(edits, fc.constantFrom(0, 1, 5, 9, 10, 11, 24), async (edits, size) => {
      const id = (at: number) => `rec${at}`;
      let whole = new Set(Array.from({ length: size }, (_, at) => id(at)));
      let spoilt = new Set<string>();
      let lacking: string | null = null;
      let isDown = false;
      const store: RecordStore<StoreRecord> = {
        origin: () => "appTest",
        read() {
          if (isDown) return Promise.reject(new ReadError("unavailable", "down"));
          return Promise.resolve([...whole].map((id) => {
            const fields: Record<string, unknown> = {
              "Name": id,
              "Start Date": spoilt.has(id) ? "soon" : "2026-12-01",
              "End Date": "2026-12-02",
            };
            if (lacking !== null) delete fields[lacking];
            return { id, createdTime: "2026-01-01T00:00:00.000Z", fields };
          }));
        },
      };
      await using world = await createWorld(store);
      let isolate = world.isolate();
      /** The last days of the events of the last good read. */
      let known: ReadonlyMap<string, string | null> = new Map();
      /** The loss that was refused last, and the accepted one. */
      let refused: string | null = null;
      let accepted: string | null = null;
      let readAt = -Infinity;
      const read = async () => {
        await world.time.advance(121 * SECOND);
        await isolate.source.refresh();
        if (isDown) return;
        const hides = lacking !== null && lacking !== "End Date";
        const readable = hides ? new Set<string>() : whole.difference(spoilt);
        const day = lacking === "End Date" ? null : "2026-12-02";
        const lost = [...known.keys()].filter((each) => !readable.has(each)).sort();
        const ended = [...known].filter(([each, day]) => day !== null && readable.has(each));
        const endless = day === null && ended.length > 1 ? ended.map(([each]) => each).sort() : [];
        // Before anything is known, records of which none is an event are no empty table.
        const isUnusable = known.size === 0 && readable.size === 0 && whole.size > 0;
        const isTooMuch = isUnusable || endless.length > 0 ||
          (known.size >= 10 ? 2 * lost.length > known.size : known.size > 0 && readable.size === 0);
        const gone = (isUnusable ? [...whole].sort() : lost).map((each) => [each, whole.has(each)]);
        const look = JSON.stringify([gone, endless]);
        if (isTooMuch && accepted !== look) {
          if (refused !== look) accepted = null;
          refused = look;
          return;
        }
        known = new Map([...readable].map((each) => [each, day]));
        [readAt, refused, accepted] = [world.time.now(), null, null];
      };
      await read();
      for (const edit of edits) {
        if ("from" in edit) {
          const some = Array.from({ length: edit.count }, (_, at) => id(edit.from + at));
          if (edit.kind === "drop") whole = whole.difference(new Set(some));
          else if (edit.kind === "add") whole = whole.union(new Set(some));
          else spoilt = new Set(some);
        } else if (edit.kind === "rename") lacking = edit.column;
        else if (edit.kind === "repair") [lacking, isDown, spoilt] = [null, false, new Set()];
        else if (edit.kind === "fail") isDown = true;
        else if (edit.kind === "restart") isolate = world.isolate();
        else {
          const loss = await acceptAny(world.kv, world.time.now());
          assert.equal(loss === null, refused === null);
          accepted = refused;
        }
        await read();
        const isServed = world.time.now() - readAt < 295 * SECOND;
        const served = await servedBy(isolate).catch((error) => {
          if (error instanceof PublicError) return retryAfter(error);
          throw error;
        });
        const expected = [...known].map(([each, day]) => `${each} ${day}`).sort();
        if (isServed) assert.deepEqual(served, expected);
        else assert.equal(typeof served, "number", "502, and not what was read last or less");
      }
    }),
    { numRuns: 80, endOnFailure: true },
  );
});

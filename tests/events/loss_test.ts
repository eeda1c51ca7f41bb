/**
 * A read that would lose most events: it is refused, the previous events are served for as long as the API
 * allows, and an operator can accept the loss.
 */
// Not quick: it plays through sequences of reads.

import assert from "node:assert/strict";
import { parseListQuery } from "../../lib/events/query.ts";
import fc from "fast-check";
import type { StoreRecord } from "../../lib/events/record.ts";
import { acceptLoss, ReadError, readFailure, type RecordStore } from "../../lib/events/store.ts";
import { PublicError } from "../../lib/platform/http/errors.ts";
import type { StandInRecord } from "../../lib/sandbox/records.ts";
import { callTool, done } from "../commands/desk.ts";
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
    const { kv, services: { config }, clock } = foyer;
    const status = await done(callTool("status", [], { kv, config, now: () => clock.now }));
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

Deno.test("a new table may be empty, have only empty rows, or columns of other names", async () => {
  const tables: [StandInRecord[], number][] = [
    [[], 0],
    [table(3).map((record) => ({ ...record, fields: {} })), 0],
    [renamed(table(40), "Start Date"), 21],
  ];
  for (const [records, warnings] of tables) {
    await using foyer = await startFoyer({ records });
    assert.equal(await count(foyer), 0);
    // Twenty problems are logged, and how many more there are.
    assert.deepEqual(troubles(foyer).map(({ level }) => level), Array(warnings).fill("warn"));
    foyer.store.setRecords(table(12));
    await pass(foyer, 5 * MINUTE);
    assert.equal(await count(foyer), 12);
  }
});

Deno.test("an acceptance holds for the loss that was refused, once, and for an hour", async () => {
  const records = table(20);
  await using foyer = await startFoyer({ records });
  const accept = () => acceptLoss(foyer.kv, foyer.clock.now);
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
    assert.notEqual(await acceptLoss(world.kv, world.time.now()), null);
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
    assert.equal((await idsOf(first)).length, 5, `after ${operations} operations`);
  }
});

/** The ids of the events that are served now; none for a refusal. */
async function idsOf({ source }: Isolate): Promise<string[]> {
  const { representation } = await (await source.catalog()).list(parseListQuery(""));
  const { data } = await (await representation.prepared("identity")).clone().json();
  return data.map(({ id }: { id: string }) => id).sort();
}

/** Some of the records: any, or about half of one of the tables below. */
const some = [
  { from: fc.nat(30), count: fc.nat(30) },
  { from: fc.constant(0), count: fc.constantFrom(5, 6, 9, 12, 13) },
];
const column = fc.constantFrom("Name", "Start Date");
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
            };
            if (lacking !== null) delete fields[lacking];
            return { id, createdTime: "2026-01-01T00:00:00.000Z", fields };
          }));
        },
      };
      await using world = await createWorld(store);
      let isolate = world.isolate();
      let known: ReadonlySet<string> = new Set();
      /** The loss that was refused last, and the accepted one. */
      let refused: string | null = null;
      let accepted: string | null = null;
      let readAt = -Infinity;
      const read = async () => {
        await world.time.advance(121 * SECOND);
        await isolate.source.refresh();
        if (isDown) return;
        const readable = lacking === null ? whole.difference(spoilt) : new Set<string>();
        const lost = [...known.difference(readable)].sort();
        const isTooMuch = known.size >= 10
          ? 2 * lost.length > known.size
          : known.size > 0 && readable.size === 0;
        const look = JSON.stringify(lost.map((each) => [each, whole.has(each)]));
        if (isTooMuch && accepted !== look) {
          if (refused !== look) accepted = null;
          refused = look;
          return;
        }
        [known, readAt, refused, accepted] = [readable, world.time.now(), null, null];
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
          const loss = await acceptLoss(world.kv, world.time.now());
          assert.equal(loss === null, refused === null);
          accepted = refused;
        }
        await read();
        const isServed = world.time.now() - readAt < 295 * SECOND;
        const served = await idsOf(isolate).catch((error) => {
          if (error instanceof PublicError) return retryAfter(error);
          throw error;
        });
        if (isServed) assert.deepEqual(served, [...known].sort());
        else assert.equal(typeof served, "number", "502, and not what was read last or less");
      }
    }),
    { numRuns: 80, endOnFailure: true },
  );
});

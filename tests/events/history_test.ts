/** The history that snapshots carry on: versions of events, and those that are gone. */

import assert from "node:assert/strict";
import type { StoreRecord } from "../../lib/events/reading/record.ts";
import { NOON, parseRecord, record, snapshotOf, throughBytes } from "./build.ts";
import type { History } from "../../lib/events/keeping/history.ts";
import { buildSnapshot as build, type Snapshot } from "../../lib/events/keeping/snapshot.ts";

const DAY = 86_400_000;

/** Reads a day apart, each stored and loaded as bytes. */
async function read(...reads: readonly (readonly StoreRecord[])[]): Promise<Snapshot> {
  let last: Snapshot | null = null;
  for (const [at, records] of reads.entries()) {
    const built: Snapshot = await snapshotOf(records, last, NOON + at * DAY);
    last = await throughBytes(built, built);
  }
  assert.ok(last !== null);
  return last;
}

const versionOf = ({ events }: Snapshot, id = "recA") => {
  const event = events.find((event) => event.id === id);
  return event && [event.sequence, event.changedAt];
};
const goneOf = ({ former }: Snapshot) =>
  former.map(({ id, sequence, goneAt, withdrawn }) => [id, sequence, goneAt, withdrawn]);

const a = record("recA");
const b = record("recB");
const moved = record("recA", { "Start Date": "2026-12-02" });

const NO_COLUMNS = { counts: {}, lost: [] };

Deno.test("the first read takes events as changed when they were announced, a later one when it begins", async () => {
  assert.deepEqual(versionOf(await read([a])), [0, Date.parse(a.createdTime ?? "")]);
  assert.deepEqual(versionOf(await read([b], [a, b])), [0, NOON + DAY]);
  const tomorrow = { ...a, createdTime: "2026-11-22T12:00:00.000Z" };
  assert.deepEqual(versionOf(await read([tomorrow])), [0, NOON]);
});

Deno.test("a change moves the time, and the sequence only if the days are others", async () => {
  const meets = { "Format": "both", "In Person Location": "Berlin" };
  const cases: [string, Record<string, unknown>, number][] = [
    ["a name", { "Name": "B" }, 0],
    ["a description", { "Description": "B" }, 0],
    ["a place", meets, 0],
    ["a first day", { "Start Date": "2026-12-02" }, 1],
    ["a last day", { "End Date": "2026-12-02" }, 1],
    ["days in person", { ...meets, "In Person Start": "2026-12-05" }, 1],
  ];
  for (const [what, fields, sequence] of cases) {
    const snapshot = await read([a], [a], [record("recA", fields)], [record("recA", fields)]);
    assert.deepEqual(snapshot.problems, [], what);
    assert.deepEqual(versionOf(snapshot), [sequence, NOON + 2 * DAY], what);
  }
});

Deno.test("an event that is gone is remembered for 30 days, with a sequence above its last", async () => {
  const days = (count: number) => Array.from({ length: count }, () => [b]);
  assert.deepEqual(goneOf(await read([a, b], [b])), [["recA", 1, NOON + DAY, true]]);
  assert.deepEqual(goneOf(await read([a, b], ...days(30))), [["recA", 1, NOON + DAY, true]]);
  const kept = await read([a, b], ...days(30));
  const forgotten = await read([a, b], ...days(31));
  assert.deepEqual(goneOf(forgotten), []);
  assert.equal(kept.meta.changedAt, NOON + DAY);
  assert.equal(forgotten.meta.changedAt, NOON + 31 * DAY, "the calendar is another one then");
});

Deno.test("events that return to an earlier state are a new snapshot, with their history", async () => {
  const [first, again] = [await read([a]), await read([a], [moved], [a])];
  assert.notEqual(first.meta.changedAt, again.meta.changedAt);
  assert.deepEqual(versionOf(again), [2, NOON + 2 * DAY]);
});

Deno.test("a snapshot of another layout is made anew, and carries the history on", async () => {
  const first = await build(
    [a, b].map(parseRecord),
    { history: null, snapshot: null },
    NOON,
    NO_COLUMNS,
  );
  const past = { history: { ...first.history, later: 1 } as History, snapshot: null };
  const next = await build([moved].map(parseRecord), past, NOON + DAY, NO_COLUMNS);
  assert.deepEqual(versionOf(next.snapshot), [1, NOON + DAY]);
  assert.deepEqual(goneOf(next.snapshot), [["recB", 1, NOON + DAY, true]]);
  assert.equal(next.snapshot.meta.since, NOON);
  assert.equal((next.history as History & { later: number }).later, 1, "what it does not know");
});

Deno.test("an event changes when the time of its announcement has come", async () => {
  const tomorrow = { ...a, createdTime: "2026-11-22T11:00:00.000Z" };
  assert.deepEqual(versionOf(await read([tomorrow], [tomorrow])), [0, NOON + DAY]);
  const last = await read([tomorrow], [tomorrow], [tomorrow]);
  assert.deepEqual(versionOf(last), [0, NOON + DAY]);
  assert.equal(last.meta.changedAt, NOON + DAY);
});

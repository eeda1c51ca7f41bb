/** Snapshots: which facts each one takes from its predecessor, and that damaged bytes in the database are refused. */
// Not quick: it stores 10,000 events.

import assert from "node:assert/strict";
import fc from "fast-check";
import type { StoreRecord } from "../../lib/events/reading/record.ts";
import { EVENT_CELLS } from "../../lib/platform/event_columns.ts";
import { NOON, parseRecord, record, snapshotOf, throughBytes } from "./build.ts";
import type { Snapshot } from "../../lib/events/keeping/snapshot.ts";
import { withStatus } from "../../lib/events/model.ts";
import {
  loadSnapshot,
  packLines,
  SNAPSHOT_NAME,
  snapshotName,
} from "../../lib/events/keeping/stored.ts";
import { getBlobPointer, writeBlob } from "../../lib/platform/kv/blob.ts";

const MINUTE = 60_000;

const logoOf = ({ events }: Snapshot, id: string) =>
  events.find((event) => event.id === id)?.logoUrl;
const isAttachments = (cell: unknown): cell is { readonly url: string }[] => Array.isArray(cell);

const anyRecords = fc.uniqueArray(
  fc.record({
    id: fc.stringMatching(/^rec[A-Za-z0-9]{3}$/),
    createdTime: fc.constantFrom("2026-01-01T00:00:00.000Z", "2026-05-05T05:05:05.000Z"),
    fields: fc.record({
      "Name": fc.string({ unit: "binary" }),
      "Start Date": fc.constantFrom("2026-11-01", "2026-11-21", "2026-02-30"),
      "End Date": fc.constantFrom("2026-11-21", "2026-10-01", ""),
      "Description": fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.constant(7)),
      "Logo Url": fc.oneof(
        fc.webUrl(),
        fc.record({ id: fc.constantFrom("attA", "attB"), url: fc.webUrl() }).map((item) => [item]),
      ),
    }, { requiredKeys: [] }),
  }),
  { selector: ({ id }) => id, maxLength: 30 },
);

Deno.test("a stored snapshot is read back unchanged, held images and problems included", async () => {
  await fc.assert(
    fc.asyncProperty(anyRecords, async (records) => {
      const snapshot = await snapshotOf(records);
      const decoded = await throughBytes(snapshot, snapshot);
      assert.deepEqual(decoded, snapshot);
    }),
    { numRuns: 60 },
  );
});

Deno.test("10,000 events go into the database and come back", async () => {
  const random = (at: number) => (at * 2_654_435_761 % 4_294_967_296).toString(36);
  const records = Array.from({ length: 10_000 }, (_, at) => {
    const words = Array.from({ length: 40 }, (_, word) => random(at * 41 + word)).join(" ");
    const logo = [{ id: `att${at}`, url: `https://files.example/${at}/${random(at)}` }];
    return record(`rec${at}`, { "Description": words, "Logo Url": logo });
  });
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const snapshot = await snapshotOf(records);
  clearInterval(timer);
  assert.ok(turns > 10, `requests have ${turns} turns meanwhile`);
  const { meta: _meta, ...content } = snapshot;
  const bytes = await packLines(content);
  assert.ok(bytes.length > 1_000_000, "far more than one value holds");
  using kv = await Deno.openKv(":memory:");
  const replaces = await getBlobPointer(kv, SNAPSHOT_NAME);
  const guard = (operation: Deno.AtomicOperation) => operation;
  const switched = { replaces, meta: snapshot.meta, guard };
  const written = await writeBlob(kv, SNAPSHOT_NAME, bytes, switched);
  assert.ok(written?.pointer);
  assert.deepEqual(await loadSnapshot(kv, written.pointer), snapshot);
});

Deno.test("a version with another field reads the table itself, instead of serving events that lack the field", () => {
  const fields = Object.keys(EVENT_CELLS);
  assert.equal(snapshotName(fields), SNAPSHOT_NAME);
  for (const others of [[...fields, "language"], fields.slice(1), fields.toReversed()]) {
    assert.notEqual(snapshotName(others), SNAPSHOT_NAME);
  }
});

Deno.test("large events are stored and loaded one at a time", async () => {
  const text = "für Äpfel ".repeat(10_000);
  const records = Array.from(
    { length: 50 },
    (_, at) => record(`rec${at}`, { "Description": text }),
  );
  const snapshot = await snapshotOf(records);
  const { encode } = TextEncoder.prototype;
  const { decode } = TextDecoder.prototype;
  let most = 0;
  TextEncoder.prototype.encode = function (text = "") {
    most = Math.max(most, text.length);
    return encode.call(this, text);
  };
  TextDecoder.prototype.decode = function (bytes, options) {
    most = Math.max(most, bytes?.byteLength ?? 0);
    return decode.call(this, bytes, options);
  };
  try {
    assert.deepEqual(await throughBytes(snapshot), snapshot);
  } finally {
    TextEncoder.prototype.encode = encode;
    TextDecoder.prototype.decode = decode;
  }
  assert.ok(most > 0 && most < 2 * text.length, `${most} at once`);
});

Deno.test("changedAt moves with the facts of events and with problems of records, and with nothing else", async () => {
  const a = record("recA", { "Logo Url": [{ id: "att1", url: "https://s.example/1" }] });
  const b = record("recB", { "Logo Url": "https://s.example/b1" });
  const bad = record("recBad", { "Start Date": "2026-02-30" });
  const records = [a, b, bad];
  const first = await snapshotOf(records);
  assert.equal(first.meta.changedAt, NOON);
  const signedAnew = record("recA", { "Logo Url": [{ id: "att1", url: "https://s.example/2" }] });
  const sameFacts: Record<string, readonly StoreRecord[]> = {
    "the same records": records,
    "another order": [bad, b, a],
    "a new signature": [signedAnew, b, bad],
    "a column that nobody reads": [a, { ...b, fields: { ...b.fields, "Notes": "later" } }, bad],
  };
  for (const [what, same] of Object.entries(sameFacts)) {
    for (const minute of [2, 90]) {
      const later = await snapshotOf(same, first, NOON + minute * MINUTE);
      assert.equal(later.meta.changedAt, NOON, `${what} after ${minute} minutes`);
      assert.equal(later.meta.readAt, NOON + minute * MINUTE);
      // An address that is not an attachment's is taken as it is.
      const given = same.find(({ id }) => id === "recB")?.fields["Logo Url"];
      assert.equal(logoOf(later, "recB"), given);
    }
  }
  const otherFacts: Record<string, readonly StoreRecord[]> = {
    "another name": [a, record("recB", { "Name": "B" }), bad],
    "another picture": [
      record("recA", { "Logo Url": [{ id: "att2", url: "https://s.example/u" }] }),
      b,
      bad,
    ],
    "no picture": [record("recA"), b, bad],
    "one event fewer": [a, bad],
    "one event more": [...records, record("recC")],
    "a mended record": [a, b, record("recBad")],
    "another problem": [a, b, record("recBad", { "Start Date": "soon" })],
  };
  for (const [what, other] of Object.entries(otherFacts)) {
    const later = await snapshotOf(other, first, NOON + 2 * MINUTE);
    assert.equal(later.meta.changedAt, NOON + 2 * MINUTE, what);
    // The picture is the record's, at once.
    const given = other.find(({ id }) => id === "recA")?.fields["Logo Url"];
    assert.equal(logoOf(later, "recA"), isAttachments(given) ? given[0]?.url : null, what);
  }
});

Deno.test("the first of two records with one id counts, and the second is reported", async () => {
  const snapshot = await snapshotOf([record("recA", { "Name": "first" }), record("recA")]);
  assert.deepEqual(snapshot.events.map(({ name }) => name), ["first"]);
  assert.deepEqual(
    snapshot.problems.map(({ recordId, field, leftOut }) => [recordId, field, leftOut]),
    [["recA", "id", true]],
  );
});

Deno.test("what a read finds unchanged is what the snapshot before had, so that nothing is computed anew for it", async () => {
  const [a, b] = [record("recA"), record("recB")];
  const first = await snapshotOf([a, b]);
  const second = await snapshotOf([b, a], first, NOON + 2 * MINUTE);
  assert.equal(second.events, first.events);
  assert.equal(second.meta.readAt, NOON + 2 * MINUTE);
  const third = await snapshotOf([a, record("recB", { "Url": "https://b.example" })], second);
  assert.equal(third.events[0], first.events[0]);
  assert.notEqual(third.events[1], first.events[1]);
  const fourth = await snapshotOf([a], third);
  assert.deepEqual([fourth.events.length, fourth.events[0]], [1, first.events[0]]);
});

Deno.test("each event is its record's with the held image, after any previous read", async () => {
  const sameIds = anyRecords.map((records) =>
    records.map((record, at) => ({ ...record, id: `rec${at % 8}${at < 8 ? "" : at}` }))
  );
  await fc.assert(
    fc.asyncProperty(sameIds, sameIds, fc.boolean(), async (before, after, isSame) => {
      const first = await snapshotOf(before);
      // Half of an unchanged read is changed.
      const records = isSame ? [...before.slice(0, 4), ...after.slice(4)] : after;
      const read = new Map(records.map((record) => [record.id, parseRecord(record).parsed?.event]));
      for (const event of (await snapshotOf(records, first)).events) {
        const { status: _status, ...stored } = withStatus(event, "ended");
        const { id, slug, held } = event;
        assert.deepEqual(stored, { ...read.get(id), slug, logoUrl: held.logo?.url ?? null });
      }
    }),
    { numRuns: 100 },
  );
});

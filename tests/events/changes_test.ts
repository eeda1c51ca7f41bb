/** The list's changes. */

import assert from "node:assert/strict";
import { COLUMN_NAMES } from "../../lib/platform/columns.ts";
import { type Catalog, createCatalog } from "../../lib/events/catalog.ts";
import { parseFeedQuery, parseListQuery } from "../../lib/events/query.ts";
import { createRecordParser, type StoreRecord } from "../../lib/events/record.ts";
import { buildSnapshot } from "./build.ts";
import type { Snapshot } from "../../lib/events/snapshot.ts";

const NOON = Date.parse("2026-11-21T12:00:00Z");
const MINUTE = 60_000;
const DAY = 86_400_000;
const parseRecord = createRecordParser(COLUMN_NAMES, "UTC");

const record = (id: string, fields: Record<string, unknown> = {}): StoreRecord => ({
  id,
  createdTime: "2026-01-01T00:00:00.000Z",
  fields: { "Name": `Event ${id}`, "Start Date": "2026-12-01", ...fields },
});
const online = { "Format": "online" };

function read(previous: Snapshot | null, at: number, ...records: readonly StoreRecord[]) {
  return buildSnapshot(records.map(parseRecord), previous, at);
}

function open(snapshot: Snapshot, now = snapshot.meta.readAt): Catalog {
  return createCatalog(snapshot, {
    timeZone: "UTC",
    baseUrl: "https://foyer.example",
    now: () => now,
  });
}

async function ask(catalog: Catalog, search: string) {
  const { representation } = catalog.list(parseListQuery(search));
  const { data, meta } = await (await representation.prepared("identity")).clone().json();
  return { ids: data.map(({ id }: { id: string }) => id).toSorted(), meta, representation };
}

const since = (at: number) => `?changedSince=${new Date(at).toISOString()}`;

Deno.test("withdrawn ids come with changes alone, and a response is another one when they change", async () => {
  const first = await read(null, NOON, record("recA"), record("recB"), record("recC"));
  const catalog = open(first);
  assert.deepEqual((await ask(catalog, "")).meta, {
    count: 3,
    generatedAt: new Date(NOON).toISOString(),
  });
  const none = await ask(catalog, since(NOON));
  assert.deepEqual([none.ids, none.meta.withdrawn], [[], []]);
  const changed = record("recA", { "Description": "New." });
  const second = await read(first, NOON + MINUTE, changed, record("recB"));
  const next = await ask(open(second), since(NOON));
  assert.deepEqual([next.ids, next.meta.withdrawn], [["recA"], ["recC"]]);
  assert.equal(next.meta.count, 1);
  const third = await read(second, NOON + 2 * MINUTE, changed);
  const [before, after] = await Promise.all(
    [second, third].map((snapshot) => ask(open(snapshot), since(NOON + MINUTE + 10_000))),
  );
  assert.deepEqual([before?.ids, after?.ids], [[], []]);
  assert.notEqual(before?.representation.etag, after?.representation.etag);
});

Deno.test("a filter names the events that it no longer chooses; a status that the day changed is a change", async () => {
  const days = { "Start Date": "2026-11-22", "End Date": "2026-11-22" };
  const first = await read(null, NOON, record("recA", online), record("recB", online));
  const second = await read(
    first,
    NOON + MINUTE,
    record("recA", { "Format": "in-person" }),
    record("recB", { ...online, ...days }),
  );
  const moved = await ask(open(second), `${since(NOON)}&format=online`);
  assert.deepEqual([moved.ids, moved.meta.withdrawn], [["recB"], ["recA"]]);
  const tomorrow = open(
    await read(second, NOON + DAY, record("recA"), record("recB", days)),
    NOON + DAY,
  );
  const upcoming = await ask(tomorrow, `${since(NOON + 2 * MINUTE)}&status=upcoming`);
  assert.deepEqual([upcoming.ids, upcoming.meta.withdrawn], [["recA"], ["recB"]]);
  const unchanged = open({ ...second, meta: { ...second.meta, readAt: NOON + DAY } }, NOON + DAY);
  assert.deepEqual((await ask(unchanged, since(NOON + 2 * MINUTE))).ids, ["recB"]);
});

Deno.test("a filtered feed has the withdrawn events that its filter chose", async () => {
  const first = await read(null, NOON, record("recA", online), record("recB"));
  const { choose } = open(await read(first, NOON + MINUTE));
  const withdrawn = (search: string) =>
    choose(parseFeedQuery(search)).withdrawn.map(({ id }) => id).toSorted();
  assert.deepEqual(withdrawn(""), ["recA", "recB"]);
  assert.deepEqual(withdrawn("?format=online"), ["recA"]);
  assert.deepEqual(withdrawn("?format=in-person"), []);
  assert.deepEqual(withdrawn("?q=recb&to=2026-12-01"), ["recB"]);
  assert.deepEqual(withdrawn("?from=2027-01-01&pinned=true"), []);
});

Deno.test("addresses with the same answer share its bytes, each with its own canonical link", async () => {
  const records = Array.from({ length: 40 }, (_, at) => record(`rec${at}`));
  const catalog = open(await read(null, NOON, ...records));
  const of = (search: string) => catalog.list(parseListQuery(search));
  const whole = of("");
  for (let day = 1; day <= 28; day++) {
    const search = `?from=2026-11-${String(day).padStart(2, "0")}`;
    const { representation, headers } = of(search);
    assert.equal(representation, whole.representation);
    const link = `<https://foyer.example/api/v1/events${search}>; rel="canonical"`;
    assert.deepEqual(headers, { link });
  }
  assert.notEqual(of("?limit=39").representation, whole.representation);
  assert.equal(of("?limit=39&to=2027-01-01").representation, of("?limit=39").representation);
});

import assert from "node:assert/strict";
import type { StandInRecord } from "../../lib/sandbox/airtable.ts";
import { PALETTES } from "../../lib/sandbox/palettes.ts";
import { SAMPLE_COLUMNS, sampleRecords } from "../../lib/sandbox/sample.ts";

const RECORDS = sampleRecords();

function cells(name: string): unknown[] {
  return RECORDS.map(({ fields }) => fields[name]);
}

function text({ fields }: StandInRecord, name: string): string {
  return typeof fields[name] === "string" ? fields[name] : "";
}

Deno.test("the sample has at least 300 events, the same ones at each call, in fresh objects", () => {
  assert.ok(RECORDS.length >= 300);
  const again = sampleRecords();
  assert.deepEqual(again, RECORDS);
  assert.notEqual(again[0], RECORDS[0]);
});

Deno.test("ids are those of records, and each is one event's alone", () => {
  for (const { id } of RECORDS) assert.match(id, /^rec[A-Za-z0-9]{14}$/);
  assert.equal(new Set(RECORDS.map(({ id }) => id)).size, RECORDS.length);
});

Deno.test("every day from 2026-11-20 to 2027-06-30 has upcoming, ongoing and ended events", () => {
  for (
    let day = Date.parse("2026-11-20");
    day <= Date.parse("2027-06-30");
    day += 86_400_000
  ) {
    const today = new Date(day).toISOString().slice(0, 10);
    const found = new Set(RECORDS.map((record) => {
      const end = text(record, "End Date");
      if (today < text(record, "Start Date")) return "upcoming";
      return end !== "" && today > end ? "ended" : "ongoing";
    }));
    assert.deepEqual([...found].sort(), ["ended", "ongoing", "upcoming"], today);
  }
});

Deno.test("no event is announced after its start or after 2026-11-20, and the newest are recent", () => {
  for (const record of RECORDS) {
    assert.equal(record.fields["Announced At"], record.createdTime);
    assert.equal(new Date(record.createdTime).toISOString(), record.createdTime);
    assert.ok(record.createdTime < text(record, "Start Date"), text(record, "Name"));
    assert.ok(record.createdTime < "2026-11-20");
  }
  const recent = RECORDS.filter(({ createdTime }) => createdTime > "2026-11-01");
  assert.ok(recent.length >= 10, `${recent.length}`);
});

Deno.test("every format, project type and kind of styling appears", () => {
  assert.deepEqual(
    new Set(cells("Format")),
    new Set(["in-person", "online", "both", undefined]),
  );
  assert.deepEqual(
    new Set(cells("Project Types").flat()),
    new Set(["Electronics", "Websites", "Software", "Gamedev", "CAD", "Other"]),
  );
  assert.deepEqual(new Set(cells("Background Type")), new Set(["color", "image", undefined]));
  assert.equal(
    new Set(cells("Background Color").filter((color) => color !== undefined)).size,
    PALETTES.length,
  );
  const bare = cells("Theme Text").filter((color) => color === undefined).length;
  assert.ok(bare > RECORDS.length / 12 && bare < RECORDS.length / 5, `${bare} without swag`);
  const pinned = cells("Pinned").filter((value) => value === true).length;
  assert.ok(pinned >= 3 && pinned <= 12, `${pinned} pinned`);
  assert.ok(cells("Slack Channel").filter(Boolean).length > 100);
  assert.ok(cells("Requirements").filter(Boolean).length >= 8);
  assert.ok(cells("End Date").includes(undefined));
});

Deno.test("every record is well-formed", () => {
  const date = /^\d{4}-\d\d-\d\d$/;
  const color = /^#[0-9a-f]{6}$/;
  for (const record of RECORDS) {
    const { fields } = record;
    const name = text(record, "Name");
    for (const column of Object.keys(fields)) assert.ok(SAMPLE_COLUMNS.includes(column), column);
    assert.ok(name.length > 0 && text(record, "Description").length > 40, name);
    assert.match(text(record, "Url"), /^https?:\/\//);
    assert.match(text(record, "Start Date"), date);
    const end = text(record, "End Date");
    if (end) assert.ok(date.test(end) && end >= text(record, "Start Date"), name);
    if (fields["Format"] === "online") assert.equal(fields["In Person Start"], undefined);
    assert.match(text(record, "Slack Channel"), /^[a-z0-9-]*$/);
    const styled = SAMPLE_COLUMNS.filter((column) => /^(Theme|Background [TC])/.test(column));
    const given = styled.filter((column) => fields[column] !== undefined);
    assert.ok(given.length === 0 || given.length === styled.length, `${name}: half a style`);
    for (const column of given.filter((column) => /Color|Text$|Accent/.test(column))) {
      assert.match(text(record, column), color);
    }
    const hasImage = fields["Background Image Url"] !== undefined;
    assert.equal(hasImage, fields["Background Type"] === "image", name);
  }
});

Deno.test("the same conference is in the sample once, with any number of topics", () => {
  const keys = RECORDS.map((record) =>
    ["Name", "Start Date", "In Person Location"].map((column) => text(record, column)).join("|")
  );
  assert.equal(new Set(keys.map((key) => key.toLowerCase())).size, RECORDS.length);
});

Deno.test("names keep their own letters", () => {
  const names = cells("Name");
  for (const name of ["Øredev", "BSides Kraków", "Personal AI Agents — LIVE"]) {
    assert.ok(names.includes(name), name);
  }
});

import assert from "node:assert/strict";
import type { StandInRecord } from "../../lib/sandbox/airtable.ts";
import { isAttachment } from "../../lib/sandbox/records.ts";
import { sampleRecords } from "../../lib/sandbox/sample.ts";
import { untidy } from "../../lib/sandbox/untidy.ts";
import { createRecordParser } from "../../lib/events/reading/record.ts";
import { COLUMN_NAMES, EVENT_FIELDS, fieldAt } from "../../lib/platform/event_columns.ts";

const RECORDS = sampleRecords();

function text({ fields }: StandInRecord, name: string): string {
  return typeof fields[name] === "string" ? fields[name] : "";
}

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
  for (const { createdTime, fields } of RECORDS) {
    assert.equal(fields["Announced At"], createdTime);
    assert.ok(createdTime < String(fields["Start Date"]) && createdTime < "2026-11-20");
  }
  assert.ok(RECORDS.filter(({ createdTime }) => createdTime > "2026-11-01").length >= 10);
});

Deno.test("every format, project type and kind of look appears, and each attachment once", () => {
  const valuesOf = (column: string) => new Set(RECORDS.flatMap(({ fields }) => fields[column]));
  assert.deepEqual(valuesOf("Format"), new Set(["in-person", "online", "both", undefined]));
  assert.equal(valuesOf("Project Types").size, 6);
  assert.deepEqual(valuesOf("Background Type"), new Set(["image", "color", undefined]));
  assert.equal(new Set(RECORDS.flatMap(({ fields }) => Object.keys(fields))).size, 27);
  const ids = RECORDS.flatMap(({ fields }) =>
    Object.values(fields).flat().filter(isAttachment).map(({ id }) => id)
  );
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^att[A-Za-z0-9]{14}$/);
});

Deno.test("of the untidy table of dev no event is hidden, and each is as in the tidy one but for what means nothing", () => {
  const parse = createRecordParser(COLUMN_NAMES, "UTC");
  const withoutFiles = (record: StandInRecord) => {
    const cells = Object.entries(record.fields)
      .filter(([, cell]) => ![cell].flat().some(isAttachment));
    return { ...record, fields: Object.fromEntries(cells) };
  };
  const tidy = new Map(RECORDS.map((each) => [each.id, parse(withoutFiles(each)).parsed?.event]));
  const reasons = new Set<string>();
  for (const record of untidy(RECORDS)) {
    const { parsed, problems } = parse(withoutFiles(record));
    assert.ok(parsed, JSON.stringify(record.fields));
    const columns = problems.map(({ field }) => field);
    // Without their files, backgrounds are reported in both tables.
    const mistakes = problems.filter(({ field }) => !field.startsWith("Background"));
    for (const { reason } of mistakes) reasons.add(reason);
    const before = tidy.get(record.id);
    if (mistakes.length > 0) continue;
    for (const field of EVENT_FIELDS) {
      // A record without a format is made one of both, and one edit is a channel's name.
      if (/^(?:theme|background|inPerson|slackChannel)/.test(field)) continue;
      if (field === "format" && before?.format === null) continue;
      const what = `${record.id} ${field}, ${columns}`;
      assert.deepEqual(fieldAt(parsed.event, field), fieldAt(before, field), what);
    }
  }
  assert.ok(reasons.size > 10, [...reasons].join("\n"));
});

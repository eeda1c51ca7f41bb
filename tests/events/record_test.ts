/** Rows typed by people: which become events, and the problems reported about the others. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { COLUMN_NAMES, EVENT_FIELDS, type EventField } from "../../lib/platform/columns.ts";
import { eventSchema } from "../../lib/events/model.ts";
import { createRecordParser } from "../../lib/events/record.ts";
import { statusOn } from "../../lib/events/values.ts";

const parse = createRecordParser(COLUMN_NAMES, "Europe/Berlin");

function outcome(
  fields: Record<string, unknown>,
  record: { id?: string; createdTime?: string } = {},
) {
  return parse({
    id: "recA",
    createdTime: "2026-01-01T00:00:00.000Z",
    ...record,
    fields: { "Name": "A", "Start Date": "2026-12-01", ...fields },
  });
}

/** Every column, with a valid value. */
const WHOLE = {
  "Name": "Hack Night",
  "Description": "All night.",
  "Url": "https://hack.example/",
  "Start Date": "2026-12-01",
  "End Date": "2026-12-03",
  "Announced At": "2026-10-01T09:00:00Z",
  "Format": "both",
  "In Person Start": "2026-12-02",
  "In Person End": "2026-12-03",
  "In Person Location": "Vienna",
  "Project Types": ["CAD", "Other"],
  "Slack Channel": "#hack-night",
  "Slack Url": "https://slack.example/C1",
  "Requirements": "A laptop.",
  "Pinned": true,
  "Logo Url": [{ id: "att1", url: "https://files.example/logo" }],
  "Background Type": "image",
  "Background Color": "#000",
  "Background Image Url": "https://files.example/ground",
  "Theme Text": "#fff",
  "Theme Accent": "#f00",
  "Theme Logo Size": 0.5,
  "Theme Button Color": "#111",
  "Theme Button Text Color": "#eee",
  "Theme Button Border Radius": 0,
  "Theme Button Border Width": 10_000,
  "Theme Button Border Color": "#222",
};

Deno.test("a bad cell leaves the event out, and the report names record, column and reason", () => {
  const table = [
    [{ "Name": "" }, "Name", /missing/],
    [{ "Name": 7 }, "Name", /expected text, got 7/],
    [{ "Name": ["x"] }, "Name", /a list/],
    [{ "Name": "\u0000\u0007" }, "Name", /missing/],
    [{ "Description": "x".repeat(2_000_000) }, "Description", /longer than 131072/],
    [{ "Start Date": undefined }, "Start Date", /missing/],
    [{ "Start Date": "2026-02-30" }, "Start Date", /a day that exists.*2026-02-30/],
    [{ "Start Date": "12/01/2026" }, "Start Date", /a day that exists/],
    [{ "Start Date": "0001-01-01" }, "Start Date", /from 1900 to 2999/],
    [{ "Start Date": 20261201 }, "Start Date", /a day that exists.*, got 20261201/],
    [{ "Start Date": "9".repeat(1_000_000) }, "Start Date", /a day that exists.*, got "9{60}"$/],
    [{ "Start Date": "2026-12-01T10:00:00" }, "Start Date", /a day that exists/],
    [{ "Start Date": "2026-12-1" }, "Start Date", /a day that exists/],
    [{ "Start Date": "+012026-12-01T00:00:00Z" }, "Start Date", /from 1900 to 2999/],
    [{ "Start Date": "3000-01-01" }, "Start Date", /from 1900 to 2999/],
    [{ "Start Date": "1899-12-31T23:00:00Z", "End Date": "2026-13-01" }, "End Date", /2026-13-01/],
    [{ "End Date": ["2026-12-01"] }, "End Date", /a list/],
    [{ "In Person Start": "soon" }, "In Person Start", /a day that exists/],
    [{ "In Person End": {} }, "In Person End", /an object/],
    [{ "In Person Location": 7 }, "In Person Location", /expected text, got 7/],
    [{ "End Date": "2026-11-30" }, "End Date", /ends on 2026-11-30, before it starts/],
    [{ "In Person Start": "2026-12-02", "In Person End": "2026-12-01" }, "In Person End", /before/],
    [{ "Announced At": "yesterday" }, "Announced At", /an instant.*, got "yesterday"/],
    [{ "Announced At": "2026-03-12" }, "Announced At", /an instant/],
    [{ "Announced At": 1_800_000_000_000 }, "Announced At", /an instant.*, got 18/],
    [{ "Announced At": "+275760-09-13T00:00:00Z" }, "Announced At", /from 1900 to 2999/],
    [{ "Announced At": "-000001-01-01T00:00:00Z" }, "Announced At", /from 1900 to 2999/],
    [{ "Format": "hybrid" }, "Format", /in-person, online, both or nothing, got "hybrid"/],
    [{ "Format": ["online"] }, "Format", /got a list/],
    [{ "Url": true }, "Url", /expected text, got true/],
    [{ "Slack Channel": {} }, "Slack Channel", /expected text, got an object/],
    [{ "Slack Url": 1 }, "Slack Url", /expected text/],
    [{ "Requirements": [] }, "Requirements", /expected text, got a list/],
    [{ "Project Types": ["Knitting"] }, "Project Types", /Electronics.*Other, got "Knitting"/],
    [{ "Project Types": [7, null, {}] }, "Project Types", /Electronics/],
    [{ "Project Types": Array(100_000).fill("CAD") }, "Project Types", /more than 100/],
    [{ "Project Types": Array(100_000).fill("x") }, "Project Types", /100|Electronics/],
    [{ "Project Types": "CAD" }, "Project Types", /a list/],
    [{ "Pinned": "yes" }, "Pinned", /true or false/],
    [{ "Pinned": 1 }, "Pinned", /true or false/],
    [{ "Logo Url": [{ id: "att" }] }, "Logo Url", /attachment/],
    [{ "Logo Url": [{ id: "att", url: "a".repeat(9_000) }] }, "Logo Url", /attachment/],
    [{ "Logo Url": "a".repeat(9_000) }, "Logo Url", /attachment/],
    [{ "Background Image Url": {} }, "Background Image Url", /attachment/],
    [{ "Background Color": 0xffffff }, "Background Color", /expected text/],
    [{ "Theme Text": ["#fff"] }, "Theme Text", /expected text/],
    [{ "Theme Logo Size": "7" }, "Theme Logo Size", /a number from 0 to 10000, got "7"/],
    [{ "Theme Logo Size": -1 }, "Theme Logo Size", /from 0 to 10000/],
    [{ "Theme Logo Size": 10_001 }, "Theme Logo Size", /from 0 to 10000/],
    [{ "Background Type": "video" }, "Background Type", /color, image/],
  ] as const;
  for (const [fields, column, reason] of table) {
    const { parsed, problems } = outcome(fields);
    assert.equal(parsed, null, column);
    const [problem, ...more] = problems.filter(({ field }) => field === column);
    assert.ok(problem, `${column}: ${JSON.stringify(problems)}`);
    assert.deepEqual(more, [], "one reason is enough");
    assert.match(problem.reason, reason);
    assert.ok(problem.reason.length < 300);
    assert.deepEqual([problem.recordId, problem.leftOut], ["recA", true]);
  }
});

Deno.test("all bad cells of a row are reported, each by its column's own name", () => {
  const parse = createRecordParser(
    { ...COLUMN_NAMES, "name": "Titel", "inPerson.location": "Ort" },
    "UTC",
  );
  const fields = { "Titel": 7, "Ort": 8, "Name": "not looked at", "Pinned": "yes" };
  const { parsed, problems } = parse({ id: "recB", fields });
  assert.equal(parsed, null);
  assert.deepEqual(problems.map(({ recordId, field }) => [recordId, field]), [
    ["recB", "Titel"],
    ["recB", "Ort"],
    ["recB", "Pinned"],
  ]);
});

Deno.test("without any one of its columns an event has nothing there, but a name and a first day", () => {
  const table: Partial<Record<EventField, [string, unknown]>> = {
    "description": ["description", null],
    "url": ["url", null],
    "endDate": ["endDate", null],
    "announcedAt": ["announcedAt", "2026-01-01T00:00:00.000Z"],
    "format": ["format", null],
    "projectTypes": ["projectTypes", []],
    "slackChannel": ["slackChannel", null],
    "slackUrl": ["slackUrl", null],
    "requirements": ["requirements", null],
    "pinned": ["pinned", false],
    "logoUrl": ["logoUrl", null],
    "background.type": ["background", null],
    "background.imageUrl": ["background", null],
  };
  for (const field of EVENT_FIELDS) {
    for (const nothing of [undefined, null, "", " \n "]) {
      const { parsed } = outcome({ ...WHOLE, [COLUMN_NAMES[field]]: nothing });
      if (field === "name" || field === "startDate") {
        assert.equal(parsed, null, field);
        continue;
      }
      assert.ok(parsed, field);
      const event = { ...parsed.event };
      if (field.startsWith("theme.")) assert.equal(event.theme, null, field);
      const [key, value] = table[field] ?? [];
      if (key !== undefined) {
        assert.deepEqual(Object.entries(event).find(([k]) => k === key), [key, value]);
      }
    }
  }
});

Deno.test("people meet at an event that says so, and at one without a format that says where or when", () => {
  const nowhere = { start: null, end: null, location: null };
  const table = [
    [{}, null],
    [{ "Format": "online" }, null],
    [{ "Format": "online", "In Person Location": "Vienna" }, null],
    [{ "Format": "in-person" }, nowhere],
    [{ "Format": "both" }, nowhere],
    [{ "In Person Location": "Vienna" }, { ...nowhere, location: "Vienna" }],
    [{ "In Person Start": "2026-12-02" }, { ...nowhere, start: "2026-12-02" }],
    [{ "In Person End": "2026-12-02" }, { ...nowhere, end: "2026-12-02" }],
  ] as const;
  for (const [fields, inPerson] of table) {
    assert.deepEqual(outcome(fields).parsed?.event.inPerson, inPerson, JSON.stringify(fields));
  }
});

Deno.test("a channel has no leading #, and an attachment column gives its first file", () => {
  const channels = [["#general", "general"], ["## general", "general"], ["#", null], ["c#", "c#"]];
  for (const [given, expected] of channels) {
    assert.equal(outcome({ "Slack Channel": given }).parsed?.event.slackChannel, expected);
  }
  const files = [{ id: "a", url: "https://x.example/1", size: 7 }, { id: "b", url: "x" }];
  assert.deepEqual(outcome({ "Logo Url": files }).parsed?.logo, {
    attachmentId: "a",
    url: "https://x.example/1",
  });
  assert.equal(outcome({ "Logo Url": [] }).parsed?.logo, null);
});

Deno.test("an id that cannot stand in an address leaves the event out", () => {
  for (const id of ["", "rss", "a/b", "ä", "x".repeat(65), "../x"]) {
    assert.equal(outcome({}, { id }).parsed, null, id);
  }
});

Deno.test("an incomplete theme or background is left out and reported, and the event is shown", () => {
  const table = [
    [{ "Theme Text": "#fff" }, "Theme Accent"],
    [{ "Background Type": "color" }, "Background Color"],
    [{ "Background Type": "image", "Background Color": "#fff" }, "Background Image Url"],
    [{ "Background Color": "#fff" }, "Background Type"],
  ] as const;
  for (const [fields, column] of table) {
    const { parsed, problems } = outcome(fields);
    assert.deepEqual([parsed?.event.theme, parsed?.event.background], [null, null]);
    assert.deepEqual(problems.map(({ field, leftOut }) => [field, leftOut]), [[column, false]]);
  }
});

Deno.test("a column with a time counts as its day in the organisation's zone, a day is itself", () => {
  const table = [
    ["2026-12-01T23:30:00.000Z", "UTC", "2026-12-01"],
    ["2026-12-01T23:30:00.000Z", "Europe/Berlin", "2026-12-02"],
    ["2026-12-01T22:59:59.999Z", "Europe/Berlin", "2026-12-01"],
    ["2026-07-01T22:00:00Z", "Europe/Berlin", "2026-07-02"],
    ["2026-12-01T01:00:00+02:00", "UTC", "2026-11-30"],
    ["2026-12-01T05:00:00Z", "America/Los_Angeles", "2026-11-30"],
    ["2026-12-01T12:00:00Z", "Pacific/Kiritimati", "2026-12-02"],
    ["2026-12-01", "Pacific/Kiritimati", "2026-12-01"],
    ["2028-02-29", "America/Los_Angeles", "2028-02-29"],
  ] as const;
  for (const [cell, timeZone, day] of table) {
    const fields = { "Name": "A", "Start Date": cell, "End Date": cell, "In Person End": cell };
    const { parsed } = createRecordParser(COLUMN_NAMES, timeZone)({
      id: "recA",
      createdTime: "2026-01-01T00:00:00.000Z",
      fields,
    });
    assert.ok(parsed, cell);
    const { startDate, endDate, inPerson } = parsed.event;
    assert.deepEqual([startDate, endDate, inPerson?.end], [day, day, day], `${cell} ${timeZone}`);
  }
});

Deno.test("an event is announced when its column says, else when its record was made", () => {
  assert.equal(outcome({}).parsed?.event.announcedAt, "2026-01-01T00:00:00.000Z");
  const column = outcome({ "Announced At": "2026-03-01T10:00:00+02:00" });
  assert.equal(column.parsed?.event.announcedAt, "2026-03-01T08:00:00.000Z");
  for (const createdTime of ["", "yesterday", "+275760-09-13T00:00:00Z"]) {
    const { parsed, problems } = outcome({}, { createdTime });
    assert.equal(parsed, null);
    assert.deepEqual(problems.map(({ field }) => field), ["Announced At"]);
  }
});

Deno.test("text loses the characters that no representation can carry, and keeps the rest", () => {
  const { parsed } = outcome({
    "Name": " a\u0000b\u0085\ud800c\u202e ",
    "Description": "x\r\ny\tz\n",
  });
  assert.equal(parsed?.event.name, "ab\ufffdc\u202e");
  assert.equal(parsed?.event.description, "x\ny\tz");
  const everyControl = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).join(
    "",
  );
  const kept = outcome({ "Requirements": `a${everyControl}b` }).parsed?.event.requirements ?? "";
  // deno-lint-ignore no-control-regex -- these are what must be gone
  assert.doesNotMatch(kept, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  assert.ok(kept.startsWith("a\t\n !") && kept.endsWith("~b"), kept);
  const noncharacters = "\ufdd0\ufdef\ufffe\uffff\u{1fffe}\u{10ffff}";
  assert.equal(outcome({ "Name": `a${noncharacters}b` }).parsed?.event.name, "ab");
  assert.equal(outcome({ "Requirements": noncharacters }).parsed?.event.requirements, null);
});

Deno.test("a name or an address is never cut: too long, it is a bad cell; long prose is reported and kept whole", () => {
  for (
    const [column, length] of [["Name", 2_000], ["In Person Location", 2_000], [
      "Url",
      8_192,
    ]] as const
  ) {
    assert.deepEqual(outcome({ [column]: "x".repeat(length) }).problems, []);
    const { parsed, problems } = outcome({ [column]: "x".repeat(length + 1) });
    assert.equal(parsed, null);
    assert.deepEqual(problems.map(({ field }) => field), [column]);
  }
  assert.deepEqual(outcome({ "Description": "x".repeat(20_000) }).problems, []);
  const { parsed, problems } = outcome({ "Description": "x".repeat(131_072) });
  assert.equal(parsed?.event.description?.length, 131_072);
  assert.deepEqual(problems.map(({ field, leftOut }) => [field, leftOut]), [[
    "Description",
    false,
  ]]);
  assert.match(problems[0]?.reason ?? "", /longer than 20000 characters/);
});

Deno.test("no content of cells throws, and every event fits the API", () => {
  const cell = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(
      "2026-12-01",
      "2026-11-30T00:00:00Z",
      "online",
      "both",
      "color",
      "image",
      "+275760-09-13T00:00:00Z",
      "2026-02-30",
      true,
      3,
      1e308,
      -0,
    ),
    fc.constantFrom(["CAD"], [{ id: "att1", url: "https://x.example/a" }], "#fff", null),
    fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) }),
  );
  const column = fc.constantFrom(...EVENT_FIELDS.map((field) => COLUMN_NAMES[field]));
  const fields = fc.array(fc.tuple(column, cell), { maxLength: 4 }).map(Object.fromEntries);
  let shown = 0;
  fc.assert(
    fc.property(fields, fc.boolean(), (fields, sound) => {
      const { parsed, problems } = outcome(
        sound ? { ...fields, "Name": "A", "Start Date": "2026-12-01" } : fields,
      );
      assert.equal(parsed === null, problems.some((problem) => problem.leftOut));
      if (parsed === null) return;
      shown++;
      const status = statusOn(parsed.event, "2026-12-01");
      eventSchema.parse({ ...parsed.event, slug: "a", status });
    }),
    { numRuns: 1_000 },
  );
  assert.ok(shown > 50, `${shown} of 1000 were shown`);
});

/** Rows typed by people: which become events, and the problems reported about the others. */

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  COLUMN_NAMES,
  EVENT_FIELDS,
  type EventField,
  fieldAt,
} from "../../lib/platform/event_columns.ts";
import { isEmptyCell } from "../../lib/events/reading/internal/cell.ts";
import { eventSchema } from "../../lib/events/model.ts";
import { createRecordParser } from "../../lib/events/reading/record.ts";
import { statusOn } from "../../lib/events/days.ts";

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

/** A file of an attachment column, as Airtable's API has it. */
const file = (filename: string, type: string, more: object = {}) => ({
  id: `att${filename}`,
  url: `https://files.example/${filename}`,
  filename,
  type,
  size: 7,
  ...more,
});
const LINK = "recAbCdEfGhIjKlMn";

Deno.test("a cell is read in every form that a kind of field gives it, and as people type it, without a report", () => {
  const table: [field: EventField, cell: unknown, value: unknown][] = [
    ["name", 2026, "2026"],
    ["name", ["Harbour", "Night"], "Harbour, Night"],
    ["name", [["Nested"]], "Nested"],
    ["name", { state: "generated", value: "By a model", isStale: false }, "By a model"],
    ["name", { label: "Open", url: null }, "Open"],
    ["name", { type: "upce", text: "0123" }, "0123"],
    ["name", { id: "usr1", email: "ada@example.org", name: "Ada" }, "Ada"],
    ["name", { id: "sel1", name: "Choice", color: "blue" }, "Choice"],
    ["name", "a\u202eb\u2066c\u200fd", "abcd"],
    ["startDate", ["2026-12-10"], "2026-12-10"],
    ["startDate", "2026-12-1", "2026-12-01"],
    ["startDate", "2026/12/01", "2026-12-01"],
    ["startDate", "1.12.2026", "2026-12-01"],
    ["startDate", "01. 12. 2026 18:00", "2026-12-01"],
    ["startDate", "25/12/2026", "2026-12-25"],
    ["startDate", "12/25/2026 6:00pm", "2026-12-25"],
    ["startDate", "1 December 2026", "2026-12-01"],
    ["startDate", "2026-12-01 (to be confirmed)", "2026-12-01"],
    ["startDate", "1 December 2026 18:00 CET", "2026-12-01"],
    ["startDate", "2026年12月1日", "2026-12-01"],
    ["startDate", "Tue, 1st Dec 2026", "2026-12-01"],
    ["startDate", "Tuesday, December 1, 2026 6:00 pm", "2026-12-01"],
    ["startDate", "2026-12-01T10:00:00", "2026-12-01"],
    ["startDate", "2026-12-01 10:00", "2026-12-01"],
    ["startDate", "2026-12-01T23:30:00+0000", "2026-12-02"],
    ["startDate", "2026-12-01T23:30:00+00:00[Europe/London]", "2026-12-02"],
    ["startDate", "2026-12-01 14:00-18:00", "2026-12-01"],
    ["startDate", "2026-12-01 11:30-12:00", "2026-12-01"],
    ["startDate", "\u200e10/10/2026", "2026-10-10"],
    ["startDate", "25-Dec-2026", "2026-12-25"],
    ["announcedAt", "2026-03-12", "2026-03-11T23:00:00.000Z"],
    ["announcedAt", "2026-03-12T10:00:00", "2026-03-12T09:00:00.000Z"],
    ["announcedAt", ["2026-03-12T10:00:00.000Z"], "2026-03-12T10:00:00.000Z"],
    ["format", "In-Person Only", "in-person"],
    ["format", "Online Only", "online"],
    ["format", "ONLINE_ONLY", "online"],
    ["format", "Both", "both"],
    ["format", "in person", "in-person"],
    ["format", "Only Online", "online"],
    ["format", "In person or online", "both"],
    ["format", "Hybrid (online + in person)", "both"],
    ["format", "hybrid", "both"],
    ["format", "Virtual", "online"],
    ["format", ["In Person", "Online"], "both"],
    ["format", { id: "sel1", name: "Both", color: "red" }, "both"],
    ["format", [["online"]], "online"],
    ["projectTypes", "Software", ["Software"]],
    ["projectTypes", "Software, CAD", ["Software", "CAD"]],
    ["projectTypes", "software; Game Dev\nCAD", ["Software", "Gamedev", "CAD"]],
    ["projectTypes", "Software / CAD & Other", ["Software", "CAD", "Other"]],
    ["projectTypes", ["Game Dev", "WEBSITES"], ["Gamedev", "Websites"]],
    ["projectTypes", [["CAD"], ["CAD", "Other"]], ["CAD", "Other"]],
    ["pinned", 1, true],
    ["pinned", "true", true],
    ["pinned", "TRUE", true],
    ["pinned", [true], true],
    ["pinned", "Yes", true],
    ["pinned", "✔️", true],
    ["pinned", 0, false],
    ["pinned", "no", false],
    ["theme.logoSize", "120", 120],
    ["theme.logoSize", "12,5 px", 12.5],
    ["theme.logoSize", [8], 8],
    ["background.type", "Image", "image"],
    ["background.type", "Colour", "color"],
    ["url", "example.org", "https://example.org"],
    ["url", "www.example.org/x?y#z", "https://www.example.org/x?y#z"],
    ["url", "example.org:8080/x", "https://example.org:8080/x"],
    ["url", " HTTPS://Example.org/Path ", "HTTPS://Example.org/Path"],
    ["url", "//example.org/x", "https://example.org/x"],
    ["url", "https:example.org", "https://example.org/"],
    ["url", "münchen.example", "https://xn--mnchen-3ya.example/"],
    ["url", "https://https://example.org", "https://example.org"],
    ["url", "https://:@example.org/", "https://example.org/"],
    ["url", "[Tickets](https://example.org/t)", "https://example.org/t"],
    ["url", "Register: https://example.org/t.", "https://example.org/t"],
    ["url", "<https://example.org/t>", "https://example.org/t"],
    ["url", { label: "Open", url: "https://example.org/b" }, "https://example.org/b"],
    ["url", ["https://example.org/l"], "https://example.org/l"],
    ["slackUrl", { label: "Open", url: null }, undefined],
    ["slackChannel", "## general", "general"],
    ["slackChannel", "#", undefined],
    ["slackChannel", "c#", "c#"],
    ["inPerson.location", ["Porto, Portugal"], "Porto, Portugal"],
    ["inPerson.location", ["a", "b", "a"], "a, b"],
    ["description", ["One.", "Two."], "One.\n\nTwo."],
    ["logoUrl", [file("a.pdf", "application/pdf"), file("b.jpg", "image/jpeg")], "b.jpg"],
    ["logoUrl", [[file("a.png", "image/png")]], "a.png"],
    ["logoUrl", [file("a.PNG", "")], "a.PNG"],
    [
      "logoUrl",
      [file("a.heic", "image/heic", {
        thumbnails: {
          small: { url: "https://files.example/small", width: 36, height: 36 },
          full: { url: "https://files.example/full", width: 3000, height: 3000 },
          large: { url: "https://files.example/large", width: 512, height: 512 },
        },
      })],
      "full",
    ],
    ["logoUrl", "files.example/c.png", "c.png"],
  ];
  for (const [field, cell, value] of table) {
    const column = COLUMN_NAMES[field];
    const whole = { ...WHOLE, "End Date": "2026-12-31", "In Person End": "2026-12-31" };
    const { parsed, problems } = outcome({ ...whole, [column]: cell });
    const what = `${column} ${JSON.stringify(cell)}`;
    assert.deepEqual(problems, [], what);
    const image = value === undefined ? undefined : `https://files.example/${value}`;
    const found = fieldAt(parsed?.event, field);
    assert.deepEqual(found, field === "logoUrl" ? image : value ?? null, what);
  }
});

Deno.test("a cell that is not understood costs the cell, and the report names record, column, what stands there and what would be right", () => {
  const table: [field: EventField, cell: unknown, reason: RegExp, value?: unknown][] = [
    ["format", "by mail", /^expected in-person, online, both or nothing, got "by mail"$/],
    ["format", ["online", "by mail"], /got "by mail", which is left out/, "online"],
    ["format", "constructor", /got "constructor"/],
    ["projectTypes", ["Software", { error: "#ERROR!" }], /left out of the list/, ["Software"]],
    ["inPerson.location", JSON.parse(`${"[".repeat(9_000)}1${"]".repeat(9_000)}`), /deep$/],
    ["requirements", { error: "\u001b[2J\u202e" }, /: \\u\{1b\}\[2J\\u\{202e\}$/],
    ["theme.logoSize", "1,200", /from 0 to 10000, got "1,200"/],
    ["url", "https://example.org/a b", /a space in an address/, "https://example.org/a"],
    ["url", "flyer.webp", /expected an http/],
    ["url", `https://example.org/${"ü".repeat(8_000)}`, /expected an http/],
    ["url", [file("a.pdf", "application/pdf")], /a file, whose address ends/],
    ["endDate", "1 marraskuu 2026", /a day that exists/, "2026-12-01"],
    ["projectTypes", ["AI", "Software"], /got "AI", which is left out/, ["Software"]],
    ["projectTypes", "Knitting", /Electronics.*Other, got "Knitting"/, []],
    ["projectTypes", Array(100_000).fill("CAD"), /more than 100/, []],
    ["projectTypes", [LINK], /links to records: use a lookup of their name/, []],
    ["inPerson.location", [LINK, LINK], /^links to records: use a lookup of their name$/],
    ["inPerson.location", "x".repeat(3_000), /longer than 2000 characters/],
    ["inPerson.location", {}, /an object of no known kind/],
    ["requirements", { error: "#ERROR!" }, /^an error of the formula: #ERROR!$/],
    ["theme.logoSize", { specialValue: "NaN" }, /no number, but NaN, from a formula/],
    ["description", { state: "error", value: null, errorType: "x" }, /could not be generated/],
    ["description", "x".repeat(2_000_000), /longer than 131072 characters/],
    ["requirements", { id: "usr1", email: "ada@example.org" }, /a collaborator without a name/],
    ["requirements", true, /expected text, got true/],
    ["url", "javascript:alert(1)", /expected an http:\/\/ or https:\/\/ address/],
    ["url", "data:text/html,x", /address without user and password, got "data:text/],
    ["url", "https://user:pass@example.org", /without user and password/],
    ["url", "see poster", /got "see poster"/],
    ["url", "poster.pdf", /got "poster.pdf"/],
    ["url", "mailto:ada@example.org", /expected an http/],
    ["url", "https://a.example https://b.example", /expected an http/],
    ["url", 7, /got 7/],
    ["slackUrl", "slack://channel?id=C1", /expected an http/],
    ["url", `https://example.org/${"x".repeat(9_000)}`, /expected an http/],
    ["logoUrl", [file("a.pdf", "application/pdf")], /a picture that browsers show/],
    ["logoUrl", "javascript:alert(1)", /a picture that browsers show/],
    ["logoUrl", {}, /an object of no known kind/],
    ["pinned", "perhaps", /expected true or false, got "perhaps"/, false],
    ["theme.logoSize", -1, /from 0 to 10000/],
    ["theme.logoSize", 10_001, /from 0 to 10000/],
    ["background.type", "video", /color, image/],
    ["endDate", "soon", /a day that exists, such as 2026-03-12, got "soon"/, "2026-12-01"],
    ["endDate", "2026-11-30", /ends on 2026-11-30, before it starts on 2026-12-01/, "2026-12-01"],
    ["endDate", "12/10/2026", /a day that exists/, "2026-12-01"],
    ["endDate", ["2026-12-04", "2026-12-05"], /several values: the first is used/, "2026-12-04"],
    ["startDate", "1–3 December 2026", /several days: the first is used/, "2026-12-01"],
    ["startDate", "December 1 - 3, 2026", /several days: the first is used/, "2026-12-01"],
    ["endDate", "before 3 December 2026", /a day that exists/, "2026-12-01"],
    ["inPerson.start", "soon", /a day that exists/],
    ["inPerson.end", "2026-12-01", /people leave on 2026-12-01, before they meet/],
    ["announcedAt", "soon", /an instant.*, got "soon"/, "2026-01-01T00:00:00.000Z"],
    ["announcedAt", 1_800_000_000_000, /an instant.*, got 18/, "2026-01-01T00:00:00.000Z"],
    ["announcedAt", "+275760-09-13T00:00:00Z", /from 1900/, "2026-01-01T00:00:00.000Z"],
  ];
  for (const [field, cell, reason, value = null] of table) {
    const column = COLUMN_NAMES[field];
    const { parsed, problems } = outcome({ ...WHOLE, [column]: cell });
    const what = `${column} ${JSON.stringify(cell).slice(0, 80)}`;
    assert.ok(parsed, what);
    assert.deepEqual(problems.map((problem) => problem.field), [column], what);
    const [problem] = problems;
    assert.match(problem?.reason ?? "", reason);
    assert.ok((problem?.reason.length ?? 0) < 300);
    assert.deepEqual([problem?.recordId, problem?.leftOut], ["recA", false]);
    const isOfGroup = /^(?:theme|background)\./.test(field);
    if (!isOfGroup) assert.deepEqual(fieldAt(parsed.event, field), value, what);
    else assert.equal(parsed.event[field.startsWith("theme") ? "theme" : "background"], null);
  }
});

Deno.test("only without a name, a first day or an id is there no event, and a row of empty cells is none", () => {
  const table: [fields: Record<string, unknown>, column: string, reason: RegExp][] = [
    [{ "Name": "" }, "Name", /missing/],
    [{ "Name": "\u0000\u0007" }, "Name", /missing/],
    [{ "Name": [LINK] }, "Name", /links to records/],
    [{ "Name": { error: "#ERROR!" } }, "Name", /error of the formula/],
    [{ "Start Date": undefined }, "Start Date", /missing/],
    [{ "Start Date": "2026-02-30" }, "Start Date", /a day that exists.*2026-02-30/],
    [{ "Start Date": "12/01/2026" }, "Start Date", /a day that exists/],
    [{ "Start Date": "0001-01-01" }, "Start Date", /from 1900 to 2999/],
    [{ "Start Date": 20261201 }, "Start Date", /a day that exists.*, got 20261201/],
    [{ "Start Date": "9".repeat(1_000_000) }, "Start Date", /a day that exists.*, got "9{60}"$/],
    [{ "Start Date": "+012026-12-01T00:00:00Z" }, "Start Date", /from 1900 to 2999/],
    [{ "Start Date": "3000-01-01" }, "Start Date", /from 1900 to 2999/],
    [{ "Start Date": "1899-12-31T12:00:00Z" }, "Start Date", /from 1900 to 2999/],
  ];
  for (const [fields, column, reason] of table) {
    const { parsed, problems } = outcome(fields);
    assert.equal(parsed, null, column);
    assert.deepEqual(problems.map(({ field, leftOut }) => [field, leftOut]), [[column, true]]);
    assert.match(problems[0]?.reason ?? "", reason);
  }
  const blank = parse({
    id: "recB",
    fields: { "Name": " ", "Project Types": [], "Pinned": false },
  });
  assert.deepEqual(blank, { parsed: null, problems: [], fields: [] });
  const long = outcome({ "Name": "x".repeat(2_001) });
  assert.equal(long.parsed?.event.name, `${"x".repeat(1_999)}…`);
  assert.match(long.problems[0]?.reason ?? "", /longer than 2000 characters: the event is shown/);
});

Deno.test("all bad cells of a row are reported, each by its column's own name", () => {
  const parse = createRecordParser(
    { ...COLUMN_NAMES, "name": "Titel", "inPerson.location": "Ort" },
    "UTC",
  );
  const fields = { "Titel": true, "Ort": {}, "Name": "not looked at", "Pinned": "perhaps" };
  const { parsed, problems } = parse({ id: "recB", fields });
  assert.equal(parsed, null);
  assert.deepEqual(problems.map(({ recordId, field, leftOut }) => [recordId, field, leftOut]), [
    ["recB", "Titel", true],
    ["recB", "Ort", false],
    ["recB", "Pinned", false],
    ["recB", "Start Date", true],
  ]);
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
    ["2026-12-01T22:59:59.999Z", "Europe/Berlin", "2026-12-01"],
    ["2026-07-01T22:00:00Z", "Europe/Berlin", "2026-07-02"],
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
    assert.equal(parsed?.event.announcedAt, "2026-12-01T00:00:00.000Z", "else on its first day");
    assert.deepEqual(problems, []);
  }
});

Deno.test("text loses the characters that no representation can carry, and keeps the rest", () => {
  const { parsed } = outcome({
    "Name": " a\u0000b\u0085\ud800c\u202e ",
    "Description": "x\r\ny\tz\n",
  });
  assert.equal(parsed?.event.name, "ab\ufffdc");
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

Deno.test("long prose is reported and kept whole", () => {
  assert.deepEqual(outcome({ "Description": "x".repeat(20_000) }).problems, []);
  const { parsed, problems } = outcome({ "Description": "x".repeat(131_072) });
  assert.equal(parsed?.event.description?.length, 131_072);
  assert.deepEqual(problems.map(({ field, leftOut }) => [field, leftOut]), [
    ["Description", false],
  ]);
  assert.match(problems[0]?.reason ?? "", /longer than 20000 characters/);
});

Deno.test("no JSON in an optional cell hides an event, throws, or leaves the contract", () => {
  const cell = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(
      ...["2026-12-01", "2026-11-30T00:00:00Z", "online", "both", "color", "image", "#fff"],
      ...["+275760-09-13T00:00:00Z", "2026-02-30", "javascript:x", "https://x.example/a"],
      ...[true, 3, 1e308, -0, null],
    ),
    fc.constantFrom(
      ...[["CAD"], [file("a.png", "image/png")], [file("a.pdf", "application/pdf")], [LINK]],
      ...[{ error: "#ERROR!" }, { specialValue: "NaN" }, { state: "error", value: null }],
      ...[{ label: "x", url: "javascript:x" }, { text: 7 }, { id: "usr1", email: "a@b.c" }],
    ),
    fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) }),
  );
  const optional = EVENT_FIELDS.filter((field) => field !== "name" && field !== "startDate");
  const column = fc.constantFrom(...optional.map((field) => COLUMN_NAMES[field]));
  const fields = fc.array(fc.tuple(column, cell), { maxLength: 6 }).map(Object.fromEntries);
  const isAddress = (url: string | null) =>
    url === null || /^https?:\/\/[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/i.test(url);
  fc.assert(
    fc.property(fields, (fields) => {
      const { parsed, problems } = outcome(fields);
      assert.ok(parsed);
      assert.ok(problems.every(({ leftOut }) => !leftOut));
      const status = statusOn(parsed.event, "2026-12-01");
      const event = eventSchema.parse({ ...parsed.event, slug: "a", status });
      const { url, slackUrl, logoUrl, background } = event;
      for (const each of [url, slackUrl, logoUrl, background?.imageUrl ?? null]) {
        assert.ok(isAddress(each), String(each));
      }
    }),
    { numRuns: 1_000 },
  );
  const required = fc.record({ "Name": cell, "Start Date": cell });
  fc.assert(fc.property(required, (fields) => {
    const { parsed, problems } = outcome(fields);
    const isBlank = Object.values(fields).every(isEmptyCell);
    assert.equal(parsed === null, isBlank || problems.some(({ leftOut }) => leftOut));
  }));
});

/** Rows typed by people: what becomes an event, and what is said of the rest. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { EVENT_FIELDS } from "../../lib/config.ts";
import { COLUMN_NAMES } from "../../lib/events/columns.ts";
import { eventSchema } from "../../lib/events/model.ts";
import { createRecordParser } from "../../lib/events/record.ts";
import { statusOn } from "../../lib/events/status.ts";

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
    [{ "Start Date": 20261201 }, "Start Date", /expected/],
    [{ "End Date": "2026-11-30" }, "End Date", /ends on 2026-11-30, before it starts/],
    [{ "In Person Start": "2026-12-02", "In Person End": "2026-12-01" }, "In Person End", /before/],
    [{ "Announced At": "yesterday" }, "Announced At", /an instant/],
    [{ "Format": "hybrid" }, "Format", /in-person, online, both or nothing, got "hybrid"/],
    [{ "Project Types": ["Knitting"] }, "Project Types", /expected/],
    [{ "Project Types": "CAD" }, "Project Types", /a list/],
    [{ "Pinned": "yes" }, "Pinned", /true or false/],
    [{ "Logo Url": [{ id: "att" }] }, "Logo Url", /attachment/],
    [{ "Theme Logo Size": "big" }, "Theme Logo Size", /a number/],
    [{ "Theme Logo Size": -1 }, "Theme Logo Size", /from 0 to 10000/],
    [{ "Background Type": "video" }, "Background Type", /color, image/],
  ] as const;
  for (const [fields, column, reason] of table) {
    const { parsed, problems } = outcome(fields);
    assert.equal(parsed, null, column);
    const problem = problems.find(({ field }) => field === column);
    assert.ok(problem, `${column}: ${JSON.stringify(problems)}`);
    assert.match(problem.reason, reason);
    assert.ok(problem.reason.length < 300);
    assert.deepEqual([problem.recordId, problem.leftOut], ["recA", true]);
  }
});

Deno.test("an id that cannot stand in an address leaves the event out", () => {
  for (const id of ["", "rss", "a/b", "ä", "x".repeat(65), "../x"]) {
    assert.equal(outcome({}, { id }).parsed, null, id);
  }
});

Deno.test("half a theme or background is none yet: the event is shown without, and it is reported", () => {
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

Deno.test("a column with a time counts as its day in the organisation's zone", () => {
  const { parsed } = outcome({ "Start Date": "2026-12-01T23:30:00.000Z", "End Date": null });
  assert.equal(parsed?.event.startDate, "2026-12-02");
});

Deno.test("an event is announced when its column says, else when its record was made", () => {
  assert.equal(outcome({}).parsed?.event.announcedAt, "2026-01-01T00:00:00.000Z");
  const column = outcome({ "Announced At": "2026-03-01T10:00:00+02:00" });
  assert.equal(column.parsed?.event.announcedAt, "2026-03-01T08:00:00.000Z");
});

Deno.test("text loses what no face of an event can carry, and keeps the rest", () => {
  const { parsed } = outcome({
    "Name": " a\u0000b\u0085\ud800c\u202e ",
    "Description": "x\r\ny\tz\n",
  });
  assert.equal(parsed?.event.name, "ab\ufffdc\u202e");
  assert.equal(parsed?.event.description, "x\ny\tz");
});

Deno.test("whatever cells hold, nothing throws, and what is shown fits the contract", () => {
  const cell = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(
      "2026-12-01",
      "2026-11-30T00:00:00Z",
      "online",
      "both",
      "color",
      "image",
      true,
      3,
    ),
    fc.constantFrom(["CAD"], [{ id: "att1", url: "https://x.example/a" }], "#fff", null),
    fc.string({ unit: "binary" }),
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

/** The record store that is a file: both layouts, garbage, and changes. */

import assert from "node:assert/strict";
import { COLUMN_NAMES } from "../../lib/platform/event_columns.ts";
import { identifierOf } from "../../lib/events/feeds/internal/identifiers.ts";
import { createFileStore } from "../../lib/events/reading/file.ts";
import { createRecordParser } from "../../lib/events/reading/record.ts";
import { ReadError } from "../../lib/events/reading/record_store.ts";
import { openFolder } from "../support/folder.ts";
import { type Foyer, startFoyer } from "../support/foyer.ts";
import { until } from "../support/until.ts";

const never = new AbortController().signal;

async function withFile(run: (path: string) => Promise<void>): Promise<void> {
  await using folder = await openFolder();
  await run(`${folder.path}/events.json`);
}

/** A store that gives records as they are. */
const createStore = (path: string, columns = COLUMN_NAMES) =>
  createFileStore(path, columns, (record) => record);

async function read(path: string, text: string, columns = COLUMN_NAMES) {
  await Deno.writeTextFile(path, text);
  return await createStore(path, columns).read(never);
}

async function failure(reading: Promise<unknown>): Promise<ReadError> {
  const error = await reading.then(() => null, (thrown: unknown) => thrown);
  assert.ok(error instanceof ReadError, String(error));
  return error;
}

const RECORD = {
  id: "rec1",
  createdTime: "2026-01-01T00:00:00.000Z",
  fields: { "Name": "Hack Night", "Start Date": "2026-12-01" },
};

const EVENT = {
  id: "hack-night",
  slug: "is-made-anew",
  name: "Hack Night",
  status: "is computed",
  startDate: "2026-12-01",
  endDate: null,
  announcedAt: "2026-10-01T09:00:00.000Z",
  inPerson: { start: "2026-12-01", end: null, location: "Vienna" },
  projectTypes: ["CAD"],
  logoUrl: "https://files.example/logo",
  background: { type: "color", color: "#000", imageUrl: null },
  theme: {
    text: "#fff",
    accent: "#f00",
    logoSize: 1,
    button: { color: "#1", textColor: "#2", borderRadius: 3, borderWidth: 4, borderColor: "#5" },
  },
};

Deno.test("records in Airtable's layout are read as they are, as a list or under records", () =>
  withFile(async (path) => {
    for (const content of [[RECORD], { records: [RECORD] }, { records: [RECORD], offset: "x" }]) {
      assert.deepEqual(await read(path, JSON.stringify(content)), [RECORD]);
    }
    assert.deepEqual(await read(path, "[]"), []);
    assert.deepEqual(await read(path, '\ufeff{"records":[]}\n'), [], "with a byte order mark");
  }));

Deno.test("an event as the API answers it becomes the same event again", () =>
  withFile(async (path) => {
    for (const columns of [COLUMN_NAMES, { ...COLUMN_NAMES, "name": "Title", "theme.text": "T" }]) {
      const [record] = await read(path, JSON.stringify([EVENT]), columns);
      assert.ok(record);
      const { parsed, problems } = createRecordParser(columns, "UTC")(record);
      assert.deepEqual(problems, []);
      const { slug: _slug, status: _status, ...facts } = EVENT;
      assert.deepEqual(parsed?.event, {
        ...facts,
        description: null,
        url: null,
        format: null,
        slackChannel: null,
        slackUrl: null,
        requirements: null,
        pinned: false,
      });
    }
  }));

Deno.test("a row that is not a record hides no other, and is reported for its id", () =>
  withFile(async (path) => {
    const rows = [null, 7, "x", [], {}, { id: 7, name: "A" }, { id: "rec2", fields: [] }, RECORD];
    const records = await read(path, JSON.stringify(rows));
    assert.equal(records.length, rows.length);
    const outcomes = records.map(createRecordParser(COLUMN_NAMES, "UTC"));
    assert.deepEqual(
      outcomes.map(({ parsed }) => parsed?.event.id),
      [...Array(rows.length - 1).fill(undefined), "rec1"],
    );
    for (const { problems } of outcomes.slice(0, 6)) assert.equal(problems[0]?.field, "id");
  }));

Deno.test("names that every object has are not columns of an event", () =>
  withFile(async (path) => {
    const row = '{"id":"a","__proto__":{"name":"A"},"theme":{"__proto__":{"text":"#fff"}}}';
    const [record] = await read(path, `[${row}]`);
    assert.ok(record);
    const { problems } = createRecordParser(COLUMN_NAMES, "UTC")(record);
    assert.deepEqual(problems.map(({ field }) => field), ["Name", "Start Date"]);
  }));

Deno.test("a file without a list of records is nonsense, and its text is not repeated", () =>
  withFile(async (path) => {
    for (const text of ["", "{", "null", "{}", '"secret"', '{"records":{}}', "\ufeff", "[1,]"]) {
      const error = await failure(read(path, text));
      assert.equal(error.fault, "nonsense", text);
      assert.ok(!error.message.includes("secret"));
    }
  }));

Deno.test("a file that is missing or cannot be read is unavailable, and the variable is named", () =>
  withFile(async (path) => {
    for (const wrong of [path, `${path}/below`, new URL(".", `file://${path}`).pathname]) {
      const error = await failure(createStore(wrong).read(never));
      assert.equal(error.fault, "unavailable");
      assert.match(error.message, /EVENTS_FILE cannot be read: /);
    }
  }));

/** Runs a test with a service over a file that the test replaces. */
function withServedFile(
  run: (write: (text: string) => Promise<void>, foyer: Foyer, path: string) => Promise<void>,
): Promise<void> {
  return withFile(async (path) => {
    let edits = 0;
    async function write(text: string): Promise<void> {
      await Deno.writeTextFile(`${path}.next`, text);
      await Deno.utime(`${path}.next`, ++edits, edits);
      await Deno.rename(`${path}.next`, path);
    }
    await write(fileOf("Before"));
    await using foyer = await startFoyer({ env: { EVENTS_FILE: path } });
    await run(write, foyer, path);
  });
}

function fileOf(name: string): string {
  const event = { id: "one", name, startDate: "2026-12-01", announcedAt: "2026-10-01T09:00:00Z" };
  return JSON.stringify([event]);
}

/** The list, five seconds after the last request. */
async function listNow({ answer, clock, services: { events } }: Foyer) {
  clock.now += 5_000;
  await answer("/api/v1/events");
  // The read that the request began behind itself.
  await events.refresh();
  return await (await answer("/api/v1/events")).json();
}

const nameNow = async (foyer: Foyer) => (await listNow(foyer)).data[0].name;

/** How many failed reads were logged. */
const failures = ({ logged }: Foyer) =>
  logged.filter((line) => line.includes("could not be read")).length;

Deno.test("an edit of the file is shown within five seconds of requests, and without one it is not read again", () =>
  withServedFile(async (write, foyer) => {
    const nameOf = async (answer: Response) => (await answer.json()).data[0].name;
    for (const name of ["Before", "After", "At last"]) {
      await write(fileOf(name));
      foyer.clock.now += 5_000;
      await until(async () => await nameOf(await foyer.answer("/api/v1/events")) === name);
    }
    assert.deepEqual(await listNow(foyer), await listNow(foyer), "generatedAt included");
  }));

Deno.test("a file that is damaged or gone leaves the last events, is reported once in a pause, and is read when it is whole", () =>
  withServedFile(async (write, foyer, path) => {
    assert.equal(await nameNow(foyer), "Before");
    await write("[");
    assert.equal(await nameNow(foyer), "Before");
    assert.equal(failures(foyer), 1);
    await Deno.remove(path);
    assert.equal(await nameNow(foyer), "Before");
    assert.equal(failures(foyer), 2);
    await write(fileOf("After"));
    assert.equal(await nameNow(foyer), "After");
  }));

Deno.test("events in calendars are those of any file, or of the id that the file gives itself, also while it is damaged", () =>
  withServedFile(async (write, foyer) => {
    const records = JSON.parse(fileOf("Before"));
    const edits: [text: string, origin: string][] = [
      [JSON.stringify(records), "file"],
      [JSON.stringify({ records }), "file"],
      [JSON.stringify({ id: "club", records }), "club"],
      ["[", "club"],
      [`\ufeff${JSON.stringify({ records, id: " club " })}`, "club"],
      [JSON.stringify({ id: 7, records: [...records] }), "file"],
    ];
    for (const [text, origin] of edits) {
      await write(text);
      await listNow(foyer);
      const calendar = await (await foyer.answer("/calendar.ics")).text();
      assert.ok(calendar.includes(`UID:${identifierOf(origin, "one")}\r\n`), text);
    }
  }));

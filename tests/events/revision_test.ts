/** A file of events that is edited while it is served. */

import assert from "node:assert/strict";
import { type Foyer, startFoyer } from "../support/foyer.ts";

/** Runs a test with a service over a file. */
async function withFile(
  run: (write: (text: string) => Promise<void>, foyer: Foyer, path: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/events.json`;
  let edits = 0;
  async function write(text: string): Promise<void> {
    await Deno.writeTextFile(`${folder}/next`, text);
    await Deno.utime(`${folder}/next`, ++edits, edits);
    await Deno.rename(`${folder}/next`, path);
  }
  try {
    await write(fileOf("Before"));
    await using foyer = await startFoyer({ env: { EVENTS_FILE: path } });
    await run(write, foyer, path);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function fileOf(name: string): string {
  const event = { id: "one", name, startDate: "2026-12-01", announcedAt: "2026-10-01T09:00:00Z" };
  return JSON.stringify([event]);
}

/** The event's name, five seconds after the last request. */
async function nameNow({ answer, clock, services: { events } }: Foyer): Promise<string> {
  clock.now += 5_000;
  await answer("/api/v1/events");
  // The read that the request began behind itself.
  await events.refresh();
  return (await (await answer("/api/v1/events")).json()).data[0].name;
}

/** How many failed reads were logged. */
const failures = ({ logged }: Foyer) =>
  logged.filter((line) => line.includes("could not be read")).length;

Deno.test("an edit of the file is shown within five seconds of requests", () =>
  withFile(async (write, foyer) => {
    for (const name of ["Before", "After", "At last"]) {
      await write(fileOf(name));
      assert.equal(await nameNow(foyer), name);
    }
  }));

Deno.test("a file that is damaged or gone leaves the last events, is reported once in a pause, and is read when it is whole", () =>
  withFile(async (write, foyer, path) => {
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

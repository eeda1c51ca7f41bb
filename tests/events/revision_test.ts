/** A file of events that is edited while it is served. */

import assert from "node:assert/strict";
import { type Foyer, startFoyer } from "../support/foyer.ts";
import { skipPauses } from "../support/held_pauses.ts";

/** Runs a test with a service over a file. */
async function withFile(
  run: (write: (text: string) => Promise<void>, foyer: Foyer, path: string) => Promise<void>,
  sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>,
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
    await using foyer = await startFoyer({
      env: { EVENTS_FILE: path },
      ...sleep && { sleep },
    });
    await run(write, foyer, path);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function fileOf(name: string): string {
  const event = { id: "one", name, startDate: "2026-12-01", announcedAt: "2026-10-01T09:00:00Z" };
  return JSON.stringify([event]);
}

/** The event's name in the response to a request, a second after the last one. */
async function nameNow({ answer, clock }: Foyer): Promise<string> {
  clock.now += 1_000;
  return (await (await answer("/api/v1/events")).json()).data[0].name;
}

/** How many failed reads were logged. */
const failures = ({ logged }: Foyer) =>
  logged.filter((line) => line.includes("could not be read")).length;

Deno.test("the first request after an edit of the file shows it", () =>
  withFile(async (write, foyer) => {
    assert.equal(await nameNow(foyer), "Before");
    await write(fileOf("After"));
    assert.equal(await nameNow(foyer), "After");
    await write(fileOf("At last"));
    assert.equal(await nameNow(foyer), "At last");
  }));

Deno.test("a file that is damaged or gone leaves the last events, is reported once in a pause, and is read when it is whole", () =>
  withFile(async (write, foyer, path) => {
    assert.equal(await nameNow(foyer), "Before");
    await write("[");
    for (let times = 0; times < 4; times++) assert.equal(await nameNow(foyer), "Before");
    assert.equal(failures(foyer), 1);
    await Deno.remove(path);
    foyer.clock.now += 5_000;
    for (let times = 0; times < 4; times++) assert.equal(await nameNow(foyer), "Before");
    assert.equal(failures(foyer), 2);
    await write(fileOf("After"));
    foyer.clock.now += 5_000;
    assert.equal(await nameNow(foyer), "After");
  }));

Deno.test("a file that is missing or half written for a moment is read when it is whole, and no failure is reported", async () => {
  let finish = () => Promise.resolve();
  const sleep = (milliseconds: number, signal?: AbortSignal) =>
    milliseconds === 200 ? finish() : skipPauses(milliseconds, signal);
  await withFile(async (write, foyer, path) => {
    assert.equal(await nameNow(foyer), "Before");
    await Deno.remove(path);
    finish = () => write(fileOf("Copied"));
    assert.equal(await nameNow(foyer), "Copied");
    await write(fileOf("Written").slice(0, 20));
    finish = () => write(fileOf("Written"));
    assert.equal(await nameNow(foyer), "Written");
    assert.equal(failures(foyer), 0);
  }, sleep);
});

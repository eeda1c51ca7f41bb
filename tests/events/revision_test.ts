/** A store's revision: compared at requests, and as soon as the platform reports a change where it can. */

import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { COLUMN_NAMES } from "../../lib/columns.ts";
import { createFileStore, followRevision } from "../../lib/events/file.ts";
import { readStoredSnapshot } from "../../lib/events/source.ts";
import { startFoyer } from "../support/foyer.ts";
import { until } from "../support/until.ts";

const SECOND = 1_000;

/** A follower of a store whose revision a test sets, on a clock that it moves. */
function setUp({ isWatchable }: { isWatchable: boolean }) {
  const seen = { revision: "1", comparisons: 0, changes: 0, errors: 0, watches: 0 };
  const clock = { now: 0 };
  const told: { change?: () => void } = {};
  const follower = followRevision({
    store: {
      revision() {
        seen.comparisons++;
        if (seen.revision === "") return Promise.reject(new Error("gone"));
        return Promise.resolve(seen.revision);
      },
      watch(change) {
        if (!isWatchable) return null;
        seen.watches++;
        told.change = change;
        return () => seen.watches--;
      },
    },
    onChange: () => void seen.changes++,
    now: () => clock.now,
    sleep: () => Promise.resolve(),
    log: { error: () => void seen.errors++ },
  });
  assert.ok(follower);
  async function look(after: number): Promise<void> {
    clock.now += after;
    follower?.look();
    await setImmediate();
  }
  return { follower, seen, told, look };
}

Deno.test("a store is compared once a second while requests come", async () => {
  const { follower, seen, look } = setUp({ isWatchable: false });
  follower.hasRead("1");
  for (let times = 0; times < 10; times++) await look(SECOND / 4);
  assert.deepEqual([seen.comparisons, seen.changes], [3, 0]);
  seen.revision = "2";
  await look(SECOND);
  assert.equal(seen.changes, 1);
  follower.hasRead("2");
  await look(SECOND);
  assert.equal(seen.changes, 1);
  seen.revision = "";
  await look(SECOND);
  assert.deepEqual([seen.changes, seen.errors], [1, 1]);
});

Deno.test("a watched store reports its changes, and is compared again until the change has been read", async () => {
  const { follower, seen, told, look } = setUp({ isWatchable: true });
  follower.hasRead("1");
  await look(SECOND);
  seen.revision = "2";
  for (let steps = 0; steps < 3; steps++) told.change?.();
  await setImmediate();
  assert.deepEqual(
    [seen.comparisons, seen.changes],
    [2, 1],
    "one comparison for the steps of a write",
  );
  await look(SECOND);
  assert.equal(seen.changes, 2, "the read may have failed");
  follower.hasRead("2");
  await look(SECOND);
  assert.equal(seen.changes, 2);
});

Deno.test("no watch outlives the service", async () => {
  const { follower, seen, told, look } = setUp({ isWatchable: true });
  follower.hasRead("1");
  await look(SECOND);
  follower.stop();
  told.change?.();
  await setImmediate();
  assert.deepEqual([seen.watches, seen.comparisons], [0, 1]);
});

Deno.test("a file is watched, even after another replaces it; a link and a missing folder are not", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/events.json`;
    const store = createFileStore(path, COLUMN_NAMES);
    assert.equal(store.watch?.(() => {}), null, "there is no file yet");
    await Deno.writeTextFile(path, "[]");
    let changes = 0;
    const unwatch = store.watch?.(() => void changes++);
    assert.ok(unwatch);
    await Deno.writeTextFile(path, "[ ]");
    await until(() => changes > 0);
    changes = 0;
    await Deno.writeTextFile(`${folder}/other`, "[  ]");
    await Deno.rename(`${folder}/other`, path);
    await until(() => changes > 0);
    unwatch();
    await Deno.symlink(path, `${folder}/link`);
    const link = createFileStore(`${folder}/link`, COLUMN_NAMES);
    assert.equal(link.watch?.(() => {}), null);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("an edit of the file is read before any request asks for it", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/events.json`;
  async function write(name: string): Promise<void> {
    const event = { id: "one", name, startDate: "2026-12-01", announcedAt: "2026-10-01T09:00:00Z" };
    await Deno.writeTextFile(`${folder}/next`, JSON.stringify([event]));
    await Deno.rename(`${folder}/next`, path);
  }
  try {
    await write("Before");
    await using foyer = await startFoyer({ env: { EVENTS_STORE: "file", EVENTS_FILE: path } });
    const nameNow = async () => (await (await foyer.answer("/api/v1/events")).json()).data[0].name;
    assert.equal(await nameNow(), "Before");
    assert.equal(await nameNow(), "Before", "from here on it is watched");
    await write("After");
    await until(async () => (await readStoredSnapshot(foyer.kv))?.events[0]?.name === "After");
    assert.equal(await nameNow(), "After");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

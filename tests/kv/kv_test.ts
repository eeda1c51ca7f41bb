/** The database room: large values, leases, the lock of SQLite. */

import assert from "node:assert/strict";
import {
  type BlobEntry,
  getBlobPointer,
  readBlob,
  removeOldVersions,
  updateBlobMeta,
  writeBlob,
} from "../../lib/kv/blob.ts";
import { takeLease } from "../../lib/kv/lease.ts";
import { openKv, retryLocked } from "../../lib/kv/open.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const GRACE = 120_000;
const unguarded = (operation: Deno.AtomicOperation) => operation;

async function withKv(run: (kv: Deno.Kv) => Promise<void>): Promise<void> {
  const kv = await openKv(":memory:");
  try {
    await run(kv);
  } finally {
    kv.close();
  }
}

function bytesOf(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, at) => (at * 31 + seed) % 256);
}

async function write(kv: Deno.Kv, bytes: Uint8Array<ArrayBuffer>, now = NOW) {
  const replaces = await getBlobPointer(kv, "b");
  return await writeBlob(kv, "b", bytes, { replaces, meta: "m", guard: unguarded }, now);
}

/** The entry after a write that succeeded. */
function whole(entry: BlobEntry<unknown> | null) {
  assert.ok(entry?.pointer);
  return entry.pointer;
}

async function count(kv: Deno.Kv, part: string): Promise<number> {
  return (await Array.fromAsync(kv.list({ prefix: ["blob", "b", part] }))).length;
}

Deno.test("a large value comes back as it was, whatever its length", () =>
  withKv(async (kv) => {
    for (const length of [0, 1, 59_999, 60_000, 60_001, 2_000_000]) {
      const pointer = whole(await write(kv, bytesOf(length)));
      assert.deepEqual(await readBlob(kv, "b", pointer), bytesOf(length));
    }
  }));

Deno.test("of two writers of one entry the second changes nothing", () =>
  withKv(async (kv) => {
    const replaces = await getBlobPointer(kv, "b");
    const change = { replaces, meta: 1, guard: unguarded };
    const first = whole(await writeBlob(kv, "b", bytesOf(100, 1), change, NOW));
    assert.equal(await writeBlob(kv, "b", bytesOf(100, 2), change, NOW), null);
    assert.equal(await updateBlobMeta(kv, "b", first, change, NOW), null);
    assert.deepEqual((await getBlobPointer(kv, "b")).pointer, first);
  }));

Deno.test("a reader at the old pointer still reads its version, until the grace is over", () =>
  withKv(async (kv) => {
    const old = whole(await write(kv, bytesOf(150_000, 1)));
    const pointer = whole(await write(kv, bytesOf(150_000, 2)));
    await removeOldVersions(kv, "b", NOW + GRACE - 1);
    assert.deepEqual(await readBlob(kv, "b", old), bytesOf(150_000, 1));
    await removeOldVersions(kv, "b", NOW + GRACE);
    assert.equal(await readBlob(kv, "b", old), null);
    assert.deepEqual(await readBlob(kv, "b", pointer), bytesOf(150_000, 2));
    assert.equal(await count(kv, "chunks"), 3);
  }));

Deno.test("a writer that was held up until its chunks were removed does not switch to them", () =>
  withKv(async (kv) => {
    const replaces = await getBlobPointer(kv, "b");
    // The guard is called when all chunks are written: the removal comes between.
    let removal: Promise<void> | null = null;
    const slow = new Proxy(kv, {
      get: (target, name) =>
        name === "atomic"
          ? () => {
            const operation = target.atomic();
            const commit = operation.commit.bind(operation);
            operation.commit = async () => {
              await (removal ??= removeOldVersions(kv, "b", NOW + GRACE));
              return await commit();
            };
            return operation;
          }
          : Reflect.get(target, name).bind(target),
    });
    const change = { replaces, meta: 1, guard: unguarded };
    assert.equal(await writeBlob(slow, "b", bytesOf(100_000), change, NOW), null);
    assert.equal((await getBlobPointer(kv, "b")).pointer, null);
  }));

Deno.test("a lease has one holder, and is free after its time", () =>
  withKv(async (kv) => {
    const lease = await takeLease(kv, "l", 1_000, NOW);
    assert.ok(lease);
    assert.equal(await takeLease(kv, "l", 1_000, NOW + 999), null);
    const next = await takeLease(kv, "l", 1_000, NOW + 1_000);
    assert.ok(next);
    const write = (guard: typeof lease.guard, value: string) =>
      guard(kv.atomic()).set(["x"], value).commit();
    assert.equal((await write(lease.guard, "late")).ok, false);
    assert.equal((await write(next.guard, "right")).ok, true);
    await lease.release();
    assert.equal(await takeLease(kv, "l", 1_000, NOW + 1_500), null, "the late one frees nothing");
    await next.release();
    assert.ok(await takeLease(kv, "l", 1_000, NOW + 1_500));
  }));

Deno.test("many that want a lease at once: one gets it", () =>
  withKv(async (kv) => {
    const all = await Promise.all(Array.from({ length: 50 }, () => takeLease(kv, "l", 1_000, NOW)));
    assert.equal(all.filter((lease) => lease !== null).length, 1);
  }));

Deno.test("a clock that went back does not lock a lease for longer than its time", () =>
  withKv(async (kv) => {
    await takeLease(kv, "l", 1_000, NOW);
    assert.ok(await takeLease(kv, "l", 1_000, NOW - 500_000));
  }));

Deno.test("an operation is made again while the database is locked, with growing pauses, not for ever", async () => {
  const pauses: number[] = [];
  const options = {
    attempts: 5,
    random: () => 1,
    sleep: (milliseconds: number) => Promise.resolve(pauses.push(milliseconds)),
  };
  let calls = 0;
  const locked = () => {
    if (++calls < 4) throw new Error("database is locked");
    return Promise.resolve("done");
  };
  assert.equal(await retryLocked(async () => await locked(), options), "done");
  assert.deepEqual(pauses, [2, 4, 8]);
  await assert.rejects(
    retryLocked(() => Promise.reject(new Error("database is locked")), options),
    /locked/,
  );
  assert.equal(pauses.length, 7);
  await assert.rejects(retryLocked(() => Promise.reject(new Error("disk full")), options), /full/);
  assert.equal(pauses.length, 7);
});

Deno.test("a database that cannot be opened is a clear error", async () => {
  await assert.rejects(openKv("/nonexistent/folder/kv"), /KV_PATH: .*\/nonexistent\/folder\/kv/);
});

Deno.test("two connections to one file that write at once lose nothing", async () => {
  const folder = await Deno.makeTempDir();
  const [one, two] = [await openKv(`${folder}/kv`), await openKv(`${folder}/kv`)];
  try {
    const add = (kv: Deno.Kv) =>
      retryLocked(() => kv.atomic().sum(["n"], 1n).commit(), { attempts: 50 });
    await Promise.all(Array.from({ length: 200 }, (_, at) => add(at % 2 ? one : two)));
    assert.equal((await one.get<Deno.KvU64>(["n"])).value?.value, 200n);
  } finally {
    one.close();
    two.close();
    await Deno.remove(folder, { recursive: true });
  }
});

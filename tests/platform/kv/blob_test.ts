/** Large values: whole or absent, whichever process writes, reads, removes or crashes in between. */
// Not quick: it writes megabytes.

import assert from "node:assert/strict";
import {
  type BlobEntry,
  getBlobPointer,
  readBlob,
  removeOldVersions,
  switchPointer,
  writeBlob,
} from "../../../lib/platform/kv/blob.ts";
import { openKv } from "../../../lib/platform/kv/open.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const GRACE = 120_000;
/** Twenty chunks: three commits of chunks, and the switch. */
const MANY_CHUNKS = 20 * 60_000;
const COMMITS = 4;
const unguarded = (operation: Deno.AtomicOperation) => operation;

function bytesOf(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, at) => (at * 31 + seed) % 256);
}

async function write(kv: Deno.Kv, bytes: Uint8Array<ArrayBuffer>, now = NOW) {
  const replaces = await getBlobPointer(kv, "models");
  return await writeBlob(kv, "models", bytes, { replaces, meta: "m", guard: unguarded }, now);
}

/** The pointer after a write that succeeded. */
function whole(entry: BlobEntry<unknown> | null) {
  assert.ok(entry?.pointer);
  return entry.pointer;
}

async function count(kv: Deno.Kv, part: "chunks" | "versions"): Promise<number> {
  return (await Array.fromAsync(kv.list({ prefix: ["blob", "models", part] }))).length;
}

/** The database with an action before its n-th commit, counted from 0. */
function before(kv: Deno.Kv, nth: number, happens: () => Promise<void>): Deno.Kv {
  let commits = 0;
  return new Proxy(kv, {
    get: (target, name) =>
      name !== "atomic" ? Reflect.get(target, name).bind(target) : () => {
        const operation = target.atomic();
        const commit = operation.commit.bind(operation);
        operation.commit = async () => {
          if (commits++ === nth) await happens();
          return await commit();
        };
        return operation;
      },
  });
}

Deno.test("a large value of any length is read back unchanged", async () => {
  using kv = await openKv(":memory:");
  for (const length of [0, 1, 59_999, 60_000, 60_001, 480_000, 480_001, 3_000_000]) {
    const pointer = whole(await write(kv, bytesOf(length)));
    assert.equal(pointer.chunks, Math.ceil(length / 60_000));
    assert.deepEqual(await readBlob(kv, "models", pointer), bytesOf(length));
  }
});

Deno.test("the second of two writers of one entry changes nothing, and its chunks are removed after the grace", async () => {
  using kv = await openKv(":memory:");
  const replaces = await getBlobPointer(kv, "models");
  const change = { replaces, meta: 1, guard: unguarded };
  const first = whole(await writeBlob(kv, "models", bytesOf(100_000, 1), change, NOW));
  assert.equal(await writeBlob(kv, "models", bytesOf(100_000, 2), change, NOW), null);
  assert.equal(await switchPointer(kv, "models", first, { ...change, meta: 2 }, NOW), null);
  assert.deepEqual((await getBlobPointer(kv, "models")).pointer, first);
  assert.equal(await count(kv, "chunks"), 4);
  await removeOldVersions(kv, "models", NOW + GRACE);
  assert.equal(await count(kv, "chunks"), 2);
  assert.deepEqual(await readBlob(kv, "models", first), bytesOf(100_000, 1));
});

Deno.test("a guard that fails keeps the old value", async () => {
  using kv = await openKv(":memory:");
  const old = await write(kv, bytesOf(10, 1));
  const replaces = await getBlobPointer(kv, "models");
  await kv.set(["lease"], "somebody else");
  const guard = (operation: Deno.AtomicOperation) =>
    operation.check({ key: ["lease"], versionstamp: null });
  const change = { replaces, meta: "new", guard };
  assert.equal(await writeBlob(kv, "models", bytesOf(10, 2), change, NOW), null);
  assert.equal(await switchPointer(kv, "models", whole(old), change, NOW), null);
  assert.deepEqual(await getBlobPointer(kv, "models"), old);
});

Deno.test("the metadata of a pointer can change without its bytes", async () => {
  using kv = await openKv(":memory:");
  const pointer = whole(await write(kv, bytesOf(100)));
  const replaces = await getBlobPointer(kv, "models");
  const change = { replaces, meta: "changed", guard: unguarded };
  assert.deepEqual(whole(await switchPointer(kv, "models", pointer, change, NOW)), {
    ...pointer,
    meta: "changed",
  });
  await removeOldVersions(kv, "models", NOW + 10 * GRACE);
  assert.deepEqual(await readBlob(kv, "models", pointer), bytesOf(100));
});

Deno.test("a reader sees the old value or the new one, at any point of a write", async () => {
  using kv = await openKv(":memory:");
  await write(kv, bytesOf(MANY_CHUNKS, 1));
  for (let nth = 0; nth < COMMITS; nth++) {
    const seed = nth + 1;
    const look = async () => {
      const { pointer } = await getBlobPointer(kv, "models");
      assert.ok(pointer);
      assert.deepEqual(await readBlob(kv, "models", pointer), bytesOf(MANY_CHUNKS, seed));
    };
    whole(await write(before(kv, nth, look), bytesOf(MANY_CHUNKS, seed + 1)));
  }
});

Deno.test("a reader at the old pointer still reads its version, until the grace is over", async () => {
  using kv = await openKv(":memory:");
  const old = whole(await write(kv, bytesOf(150_000, 1)));
  const pointer = whole(await write(kv, bytesOf(150_000, 2), NOW + 10_000));
  const left = NOW + 10_000;
  for (const now of [left, left - 5_000, left + GRACE - 1]) {
    await removeOldVersions(kv, "models", now);
    assert.deepEqual(
      await readBlob(kv, "models", old),
      bytesOf(150_000, 1),
      "by any clock",
    );
  }
  await removeOldVersions(kv, "models", left + GRACE);
  assert.equal(await readBlob(kv, "models", old), null);
  assert.deepEqual(await readBlob(kv, "models", pointer), bytesOf(150_000, 2));
  assert.deepEqual([await count(kv, "chunks"), await count(kv, "versions")], [3, 1]);
});

Deno.test("a clock that went far back does not keep old versions for ever", async () => {
  using kv = await openKv(":memory:");
  await write(kv, bytesOf(10, 1));
  const pointer = whole(await write(kv, bytesOf(10, 2)));
  await removeOldVersions(kv, "models", NOW - 10 * GRACE);
  assert.equal(await count(kv, "chunks"), 1);
  assert.deepEqual(await readBlob(kv, "models", pointer), bytesOf(10, 2));
});

Deno.test("a crash at any point of a write leaves the old value, and nothing else after the grace", async () => {
  for (let nth = 0; nth < COMMITS; nth++) {
    using kv = await openKv(":memory:");
    const old = whole(await write(kv, bytesOf(70_000)));
    const crash = before(kv, nth, () => Promise.reject(new Error("killed")));
    await assert.rejects(write(crash, bytesOf(MANY_CHUNKS)), /killed/);
    assert.equal(await count(kv, "chunks"), 2 + Math.min(20, 8 * nth));
    await removeOldVersions(kv, "models", NOW + GRACE - 1);
    assert.equal(await count(kv, "chunks"), 2 + Math.min(20, 8 * nth), "it may be at work still");
    await removeOldVersions(kv, "models", NOW + GRACE);
    assert.deepEqual([await count(kv, "chunks"), await count(kv, "versions")], [2, 1]);
    assert.deepEqual(await readBlob(kv, "models", old), bytesOf(70_000));
  }
});

Deno.test("a removal that crashed is finished by the next one, however large the version", async () => {
  using kv = await openKv(":memory:");
  const chunks = 170;
  await kv.set(["blob", "models", "versions", "v"], { chunks, at: NOW });
  for (let chunk = 0; chunk < chunks; chunk++) {
    await kv.set(["blob", "models", "chunks", "v", chunk], new Uint8Array(8));
  }
  // The version is marked, and one of its three batches is gone.
  const crash = before(kv, 2, () => Promise.reject(new Error("killed")));
  await assert.rejects(removeOldVersions(crash, "models", NOW + GRACE), /killed/);
  assert.equal(await count(kv, "chunks"), 90);
  await removeOldVersions(kv, "models", NOW + GRACE);
  assert.deepEqual([await count(kv, "chunks"), await count(kv, "versions")], [0, 0]);
});

Deno.test("a writer that was held up past the grace does not switch, and leaves no chunk behind", async () => {
  for (let nth = 0; nth < COMMITS; nth++) {
    using kv = await openKv(":memory:");
    const slow = before(kv, nth, () => removeOldVersions(kv, "models", NOW + GRACE));
    assert.equal(await write(slow, bytesOf(MANY_CHUNKS)), null);
    assert.equal((await getBlobPointer(kv, "models")).pointer, null);
    assert.deepEqual([await count(kv, "chunks"), await count(kv, "versions")], [0, 0]);
  }
});

Deno.test("a version that became the current one during a removal is not removed", async () => {
  using kv = await openKv(":memory:");
  await write(kv, bytesOf(10, 1));
  // A writer whose clock is an hour behind switches when the removal has read the pointer.
  const racing = new Proxy(kv, {
    get: (target, name) =>
      name !== "list" ? Reflect.get(target, name).bind(target) : async function* (
        selector: Deno.KvListSelector,
      ) {
        whole(await write(kv, bytesOf(10, 2), NOW - 3_600_000));
        yield* kv.list(selector);
      },
  });
  await removeOldVersions(racing, "models", NOW);
  const pointer = whole(await getBlobPointer(kv, "models"));
  assert.deepEqual(await readBlob(kv, "models", pointer), bytesOf(10, 2));
});

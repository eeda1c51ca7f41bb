/** Large values: whole or absent, whichever process writes, reads or crashes in between. */
// Not quick: it writes megabytes.

import assert from "node:assert/strict";
import {
  type BlobEntry,
  getBlobPointer,
  getStoredBlob,
  readBlob,
  switchPointer,
  writeBlob,
} from "../../../lib/platform/kv/blob.ts";
import { openKv } from "../../../lib/platform/kv/open.ts";

/** Twenty chunks: three commits of chunks, and the switch. */
const MANY_CHUNKS = 20 * 60_000;
const COMMITS = 4;
const unguarded = (operation: Deno.AtomicOperation) => operation;

function bytesOf(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, at) => (at * 31 + seed) % 256);
}

async function write(kv: Deno.Kv, bytes: Uint8Array<ArrayBuffer>) {
  const replaces = await getBlobPointer(kv, "models");
  return await writeBlob(kv, "models", bytes, { replaces, meta: "m", guard: unguarded });
}

/** The pointer after a write that succeeded. */
function whole(entry: BlobEntry<unknown> | null) {
  assert.ok(entry?.pointer);
  return entry.pointer;
}

/** The bytes that the pointer names. */
async function read(kv: Deno.Kv) {
  return await readBlob(kv, "models", whole(await getBlobPointer(kv, "models")));
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

Deno.test("a large value of any length is read back unchanged, and nothing else of it is left", async () => {
  using kv = await openKv(":memory:");
  for (const length of [0, 1, 59_999, 60_000, 60_001, 480_000, 480_001, 3_000_000, 70_000]) {
    const pointer = whole(await write(kv, bytesOf(length)));
    assert.equal(pointer.chunks, Math.ceil(length / 60_000));
    assert.deepEqual(await read(kv), bytesOf(length));
    const stored = await getStoredBlob(kv, "models");
    assert.equal(stored.length, pointer.chunks + 1);
    assert.deepEqual(stored.at(-1)?.value, pointer);
  }
  const places = new Set<unknown>();
  for await (const { key } of kv.list({ prefix: ["blob", "models", "chunks"] })) places.add(key[3]);
  assert.equal(places.size, 2);
});

Deno.test("the second of two writers of one entry changes nothing, at any point of the first one's write", async () => {
  for (let nth = 0; nth < COMMITS; nth++) {
    using kv = await openKv(":memory:");
    await write(kv, bytesOf(10, 1));
    const first = () => write(kv, bytesOf(MANY_CHUNKS, 2)).then((entry) => void whole(entry));
    assert.equal(await write(before(kv, nth, first), bytesOf(MANY_CHUNKS, 3)), null);
    assert.deepEqual(await read(kv), bytesOf(MANY_CHUNKS, 2));
  }
});

Deno.test("a guard that fails keeps the old value, and writes nothing", async () => {
  using kv = await openKv(":memory:");
  const old = await write(kv, bytesOf(10, 1));
  const replaces = await getBlobPointer(kv, "models");
  await kv.set(["lease"], "somebody else");
  const before = await Array.fromAsync(kv.list({ prefix: [] }));
  const guard = (operation: Deno.AtomicOperation) =>
    operation.check({ key: ["lease"], versionstamp: null });
  const change = { replaces, meta: "new", guard };
  assert.equal(await writeBlob(kv, "models", bytesOf(10, 2), change), null);
  assert.equal(await switchPointer(kv, "models", whole(old), change), null);
  assert.deepEqual(await Array.fromAsync(kv.list({ prefix: [] })), before);
});

Deno.test("the metadata of a pointer can change without its bytes", async () => {
  using kv = await openKv(":memory:");
  const pointer = whole(await write(kv, bytesOf(100)));
  const replaces = await getBlobPointer(kv, "models");
  const change = { replaces, meta: "changed", guard: unguarded };
  const changed = whole(await switchPointer(kv, "models", pointer, change));
  assert.deepEqual(changed, { ...pointer, meta: "changed" });
  assert.equal(await switchPointer(kv, "models", pointer, { ...change, meta: 2 }), null);
  assert.deepEqual(await read(kv), bytesOf(100));
});

Deno.test("a reader sees the old value or the new one, at any point of a write", async () => {
  using kv = await openKv(":memory:");
  await write(kv, bytesOf(MANY_CHUNKS, 1));
  for (let nth = 0; nth < COMMITS; nth++) {
    const seed = nth + 1;
    const old = whole(await getBlobPointer(kv, "models"));
    const look = async () => assert.deepEqual(await read(kv), bytesOf(MANY_CHUNKS, seed));
    whole(await write(before(kv, nth, look), bytesOf(MANY_CHUNKS, seed + 1)));
    assert.deepEqual(await readBlob(kv, "models", old), bytesOf(MANY_CHUNKS, seed));
  }
});

Deno.test("a reader that is two writes late gets nothing, rather than a mix", async () => {
  using kv = await openKv(":memory:");
  const old = whole(await write(kv, bytesOf(MANY_CHUNKS, 1)));
  await write(kv, bytesOf(10, 2));
  await write(kv, bytesOf(10, 3));
  assert.equal(await readBlob(kv, "models", old), null);
});

Deno.test("a crash at any point of a write leaves the old value, and the next write succeeds", async () => {
  for (let nth = 0; nth < COMMITS; nth++) {
    using kv = await openKv(":memory:");
    await write(kv, bytesOf(70_000));
    const crash = before(kv, nth, () => Promise.reject(new Error("killed")));
    await assert.rejects(write(crash, bytesOf(MANY_CHUNKS)), /killed/);
    assert.deepEqual(await read(kv), bytesOf(70_000));
    whole(await write(kv, bytesOf(130_000)));
    assert.deepEqual(await read(kv), bytesOf(130_000));
  }
});

/** Formats: the place of the number in a value, and the effect of an unknown number. */

import assert from "node:assert/strict";
import {
  FORMATS as OURS,
  type Formats,
  NewerFormatError,
  numbered,
  readable,
} from "../../lib/platform/kv/formats.ts";
import { getEntry } from "../../lib/platform/kv/list.ts";
import { beginAtomic, setEntry } from "../../lib/platform/kv/write.ts";

const FORMATS: Formats = {
  "book": { isKept: true, reads: 3, writes: 2 },
  "blob copies": { isKept: false, reads: 2, writes: 2 },
};
const book = ["book", "one"];
const pointer = ["blob", "copies", "pointer"];

const read = (key: Deno.KvKey, value: unknown) =>
  readable({ key, value, versionstamp: "0001" }, undefined, FORMATS);

Deno.test("a kept value is read in every format up to the newest known, and refused above it", () => {
  for (const value of [{ a: 1 }, [1], true, 7, { a: 1, format: 2 }, { a: 1, format: 3 }]) {
    assert.deepEqual(read(book, value).value, value);
  }
  for (const format of [4, 100, "5", null]) {
    assert.throws(() => read(book, { a: 1, format }), NewerFormatError);
  }
});

Deno.test("a value that can be made again is absent in any format but its own, and can be replaced", () => {
  assert.deepEqual(read(pointer, { a: 1, format: 2 }).value, { a: 1, format: 2 });
  for (const value of [{ a: 1 }, { a: 1, format: 1 }, { a: 1, format: 3 }, [1], "text"]) {
    assert.deepEqual(read(pointer, value), { key: pointer, value: null, versionstamp: "0001" });
  }
});

Deno.test("a value is stored in the written format, which may be older than the read one", () => {
  assert.deepEqual(numbered(book, { a: 1, format: 1 }, {}, FORMATS), { a: 1, format: 2 });
  assert.throws(() => numbered(book, [1], {}, FORMATS), /book is not an object/);
});

Deno.test("values without a number have format 1, and no kind writes a format that it does not read", () => {
  for (const [kind, { reads, writes }] of Object.entries(OURS)) {
    assert.ok(writes >= 1 && reads >= writes, kind);
  }
});

Deno.test("nothing is stored of a kind that the table lacks, and nothing that is kept may expire", async () => {
  using kv = await Deno.openKv(":memory:");
  await assert.rejects(setEntry(kv, ["new kind", "x"], 1), /\["new kind","x"\] has a kind/);
  assert.throws(() => beginAtomic(kv).set(["blob", "new", "pointer"], 1), /has a kind that/);
  await assert.rejects(setEntry(kv, ["account", "x"], {}, { expireIn: 1 }), /cannot be made again/);
  assert.deepEqual(await Array.fromAsync(kv.list({ prefix: [] })), []);
  await kv.set(["new kind", "x"], 1);
  await assert.rejects(getEntry(kv, ["new kind", "x"]), /has a kind that/);
});

Deno.test("STORAGE.md has a section with an example for every kind of value", async () => {
  const text = await Deno.readTextFile(
    new URL("../../lib/platform/kv/STORAGE.md", import.meta.url),
  );
  const sections = text.split("\n### ").slice(1);
  for (const kind of Object.keys(OURS)) {
    const [first, second] = kind.split(" ");
    const isPart = second === "versions" || second === "chunks";
    const parts = isPart
      ? `["blob", name, "${second}"`
      : JSON.stringify([first, second].filter(Boolean)).slice(0, -1).replaceAll(",", ", ");
    const section = sections.find((each) => each.split("\n")[0]?.includes(parts));
    assert.ok(section !== undefined, `no section of ${parts}`);
    assert.match(section, /```ts\n[^`]+```/, `no example of ${parts}`);
    const isKept = OURS[kind]?.isKept;
    assert.match(
      section,
      isKept ? /\n\nKept / : /\n\nMade again/,
      `${parts} is ${isKept ? "kept" : "made"}`,
    );
  }
});

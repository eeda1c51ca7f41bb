import assert from "node:assert/strict";
import { logoPicture } from "../../lib/sandbox/artwork.ts";
import type { StandInAttachment, StandInRecord } from "../../lib/sandbox/airtable.ts";
import { readPng } from "./read_png.ts";
import { page, setUp, TABLE_PATH } from "./airtable_stand_in.ts";

const HOURS = 60 * 60 * 1000;

const LOGO: StandInAttachment = {
  id: "attLogo0000000001",
  filename: "logo of ours.png",
  source: logoPicture("test", "mint"),
};
const TEXT: StandInAttachment = {
  id: "attText0000000001",
  filename: "note.txt",
  source: { kind: "file", bytes: new TextEncoder().encode("hello"), type: "text/plain" },
};
const RECORD: StandInRecord = {
  id: "rec00000000000001",
  createdTime: "2026-01-01T00:00:00.000Z",
  fields: { Logo: [LOGO], Files: [TEXT], Plain: [{ id: "attRaw", url: "as it is" }] },
};

/** The part of a listing's cell that these tests read. */
interface Cell {
  id: string;
  url: string;
  filename: string;
  size: number;
  type: string;
  width?: number;
  height?: number;
  thumbnails?: Record<string, { url: string; width: number; height: number }>;
}

function withFiles() {
  const world = setUp({ records: [RECORD] });
  async function cell(name: string): Promise<Cell> {
    const { records } = await page(await world.get(TABLE_PATH));
    // Each test checks the members that it reads.
    return (records[0]?.fields[name] as Cell[])[0] as Cell;
  }
  /** Fetches an address of a file, without the token that listings need. */
  const file = (url: string) => world.store.substitute(url);
  return { ...world, cell, file };
}

Deno.test("a cell declares its file's real type", async () => {
  const { cell, file } = withFiles();
  const logo = await cell("Logo");
  const response = await file(logo.url);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("Content-Type"), "image/png");
  assert.equal(logo.type, "image/png");
  const bytes = await response.bytes();
  assert.equal(bytes.length, logo.size);
  const { width, height } = readPng(bytes);
  assert.deepEqual([logo.width, logo.height], [width, height]);
  assert.equal(logo.filename, "logo of ours.png");
});

Deno.test("thumbnails have the size that the cell says", async () => {
  const { cell, file } = withFiles();
  const { thumbnails = {} } = await cell("Logo");
  assert.deepEqual(Object.keys(thumbnails), ["small", "large", "full"]);
  for (const { url, width, height } of Object.values(thumbnails)) {
    const image = readPng(await (await file(url)).bytes());
    assert.deepEqual([image.width, image.height], [width, height]);
  }
});

Deno.test("a stored file comes back byte for byte, without measures or thumbnails", async () => {
  const { cell, file } = withFiles();
  const text = await cell("Files");
  assert.deepEqual(Object.keys(text), ["id", "url", "filename", "size", "type"]);
  const response = await file(text.url);
  assert.equal(response.headers.get("Content-Type"), "text/plain");
  assert.equal(await response.text(), "hello");
});

Deno.test("a cell that is not an attachment is passed on unchanged", async () => {
  const { cell } = withFiles();
  assert.deepEqual(await cell("Plain"), { id: "attRaw", url: "as it is" });
});

Deno.test("each read makes new signatures, and earlier addresses still work", async () => {
  const { cell, file } = withFiles();
  const [first, second] = [await cell("Logo"), await cell("Logo")];
  assert.equal(first.id, second.id);
  assert.notEqual(first.url, second.url);
  for (const { url } of [first, second]) assert.equal((await file(url)).status, 200);
});

Deno.test("an address works for two hours after it was signed, and then expires", async () => {
  const { cell, file, clock } = withFiles();
  const { url } = await cell("Logo");
  clock.now += 2 * HOURS - 1;
  assert.equal((await file(url)).status, 200);
  clock.now += 1;
  assert.equal((await file(url)).status, 410);
});

Deno.test("an address that was tampered with is refused", async () => {
  const { cell, file } = withFiles();
  const { url } = await cell("Logo");
  const expires = new URL(url).searchParams.get("expires") ?? "";
  const changes: [string, string][] = [
    ["later", url.replace(expires, String(Number(expires) + HOURS))],
    ["another file", url.replace(LOGO.id, TEXT.id)],
    ["another size", url.replace("/original/", "/small/")],
    [
      "another signature",
      url.replace(/signature=./, (start) => `signature=${start.endsWith("A") ? "B" : "A"}`),
    ],
    ["no signature", url.replace(/&signature=.*/, "")],
    ["more parameters", `${url}&x=1`],
  ];
  for (const [change, changed] of changes) {
    const response = await file(changed);
    assert.equal(response.status, 403, change);
    assert.equal(typeof (await response.json()).error.type, "string");
  }
});

Deno.test("an address survives a restart with the same secret, and dies with another", async () => {
  const { cell } = withFiles();
  const { url } = await cell("Logo");
  const again = setUp({ records: [RECORD] });
  assert.equal((await again.store.substitute(url)).status, 200);
  const other = setUp({ records: [RECORD], signingSecret: "other" });
  assert.equal((await other.store.substitute(url)).status, 403);
});

Deno.test("a file that was removed from the table is not found", async () => {
  const { store, cell, file } = withFiles();
  const { url } = await cell("Logo");
  store.setRecords([]);
  assert.equal((await file(url)).status, 404);
});

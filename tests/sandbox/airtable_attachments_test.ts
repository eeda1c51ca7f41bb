import assert from "node:assert/strict";
import type { StandInAttachment, StandInRecord } from "../../lib/sandbox/airtable.ts";
import { page, setUp, TABLE_PATH } from "./airtable_stand_in.ts";

const HOURS = 60 * 60 * 1000;

const LOGO: StandInAttachment = {
  id: "attLogo0000000001",
  filename: "logo of ours.png",
  source: { bytes: new TextEncoder().encode("image"), type: "image/png", width: 256, height: 128 },
};
const TEXT: StandInAttachment = {
  id: "attText0000000001",
  filename: "note.txt",
  source: { bytes: new TextEncoder().encode("hello"), type: "text/plain" },
};
const RECORD: StandInRecord = {
  id: "rec00000000000001",
  createdTime: "2026-01-01T00:00:00.000Z",
  fields: { Logo: [LOGO], Files: [TEXT], Plain: [{ id: "attRaw", url: "as it is" }] },
};

function withFiles() {
  const world = setUp({ records: [RECORD] });
  async function cell(name: string): Promise<{ readonly url: string }> {
    const { records } = await page(await world.get(TABLE_PATH));
    // Each test checks the members that it reads.
    return (records[0]?.fields[name] as [{ url: string }])[0];
  }
  /** Fetches an address of a file, without the token that listings need. */
  const file = (url: string) => world.store.substitute(url);
  return { ...world, cell, file };
}

Deno.test("a cell describes its file, and the file comes back byte for byte", async () => {
  const { cell, file } = withFiles();
  const { url, ...text } = await cell("Files");
  assert.deepEqual(text, { id: TEXT.id, filename: "note.txt", size: 5, type: "text/plain" });
  const response = await file(url);
  assert.equal(response.headers.get("Content-Type"), "text/plain");
  assert.equal(await response.text(), "hello");
  assert.deepEqual(await cell("Plain"), { id: "attRaw", url: "as it is" });
});

Deno.test("an address works for two hours after it was signed, beside later ones, also after a restart", async () => {
  const { cell, file, clock } = withFiles();
  const [{ url }, later] = [await cell("Logo"), await cell("Logo")];
  assert.notEqual(url, later.url);
  const again = setUp({ records: [RECORD] });
  assert.equal((await again.store.substitute(url)).status, 200);
  clock.now += 2 * HOURS - 1;
  assert.equal((await file(url)).status, 200);
  clock.now += 1;
  assert.equal((await file(url)).status, 410);
});

Deno.test("an address that was tampered with is refused, and a removed file is not found", async () => {
  const { store, cell, file } = withFiles();
  const { url } = await cell("Logo");
  const changes = [
    url.replace(/expires=\d/, "expires=9"),
    url.replace(LOGO.id, TEXT.id),
    url.replace(/signature=./, (start) => `signature=${start.endsWith("A") ? "B" : "A"}`),
    url.replace(/&signature=.*/, ""),
    `${url}&x=1`,
  ];
  for (const changed of changes) assert.equal((await file(changed)).status, 403, changed);
  store.setRecords([]);
  assert.equal((await file(url)).status, 404);
});

/** Processes that share one database file: both serve, one reads, and a killed one does no damage. */

import assert from "node:assert/strict";
import { getBlobPointer, readBlob } from "../../lib/platform/kv/blob.ts";
import { SNAPSHOT_NAME } from "../../lib/events/keeping/stored.ts";
import { openFolder } from "../support/folder.ts";
import { row } from "../support/foyer.ts";
import { startProcess } from "../support/foyer_process.ts";
import { ACCESS, createTable } from "../support/table.ts";

const WRITER = new URL("write_blobs.ts", import.meta.url).href;

Deno.test("a process that is killed while it writes leaves the last whole value", async () => {
  await using folder = await openFolder();
  const path = `${folder.path}/kv`;
  for (let killed = 0; killed < 6; killed++) {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", WRITER, path],
      stdout: "piped",
    }).spawn();
    const lines = child.stdout.getReader();
    // The writer is killed after a few values, at an arbitrary point of the next one.
    for (let written = 0; written <= killed; written++) await lines.read();
    child.kill("SIGKILL");
    await child.status;
    await lines.cancel();

    const kv = await Deno.openKv(path);
    const { pointer } = await getBlobPointer<number>(kv, SNAPSHOT_NAME);
    assert.ok(pointer !== null);
    const bytes = await readBlob(kv, SNAPSHOT_NAME, pointer);
    assert.ok(bytes !== null);
    assert.equal(bytes.length, 300_000);
    assert.ok(bytes.every((byte) => byte === pointer.meta % 256), "one value, not a mix");
    kv.close();
  }
});

Deno.test("two processes on one file: one reads the store, both serve", async () => {
  await using folder = await openFolder();
  const store = createTable({ records: Array.from({ length: 150 }, () => row({})) });
  const upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, store.fetch);
  const env = {
    KV_PATH: `${folder.path}/kv`,
    AIRTABLE_API_URL: `http://127.0.0.1:${upstream.addr.port}`,
    AIRTABLE_TOKEN: ACCESS.token,
    AIRTABLE_BASE_ID: ACCESS.baseId,
  };
  const processes = await Promise.all([1, 2].map(() => startProcess("serve_foyer.ts", env)));
  try {
    const answers = await Promise.all(
      Array.from(
        { length: 40 },
        (_, at) => fetch(`${processes[at % 2]?.origin}/api/v1/events`),
      ),
    );
    for (const answer of answers) {
      assert.equal(answer.status, 200);
      assert.equal((await answer.json()).meta.count, 150);
    }
    assert.equal(store.requests.length, 2, "two pages, read once");
  } finally {
    for (const { kill } of processes) await kill();
    await upstream.shutdown();
  }
});

/** Processes that share one database file: both serve, one reads, and a killed one does no damage. */

import assert from "node:assert/strict";
import { getBlobPointer, readBlob } from "../../lib/platform/kv/blob.ts";
import { SNAPSHOT_NAME } from "../../lib/events/keeping/stored.ts";
import { createAirtableStandIn } from "../../lib/sandbox/airtable.ts";
import { row } from "../support/foyer.ts";
import { readPort } from "../support/foyer_process.ts";

const WRITER = new URL("write_blobs.ts", import.meta.url).href;

Deno.test("a process that is killed while it writes leaves the last whole value", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/kv`;
  try {
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
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("two processes on one file: one reads the store, both serve", async () => {
  const folder = await Deno.makeTempDir();
  const store = createAirtableStandIn({
    records: Array.from({ length: 150 }, () => row({})),
    token: "patTest.secret",
    baseId: "appTest",
    table: "Events",
    now: Date.now,
    origin: "http://store.example",
    signingSecret: "test",
  });
  const upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, store.fetch);
  const program = new URL("../support/serve_foyer.ts", import.meta.url).href;
  const start = () =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", program],
      env: {
        KV_PATH: `${folder}/kv`,
        AIRTABLE_API_URL: `http://127.0.0.1:${upstream.addr.port}`,
        AIRTABLE_TOKEN: "patTest.secret",
        AIRTABLE_BASE_ID: "appTest",
      },
      stdout: "piped",
    }).spawn();
  const children = [start(), start()];
  try {
    const ports = await Promise.all(children.map(({ stdout }) => readPort(stdout)));
    const answers = await Promise.all(
      Array.from(
        { length: 40 },
        (_, at) => fetch(`http://127.0.0.1:${ports[at % 2]}/api/v1/events`),
      ),
    );
    for (const answer of answers) {
      assert.equal(answer.status, 200);
      assert.equal((await answer.json()).meta.count, 150);
    }
    assert.equal(store.requests.length, 2, "two pages, read once");
  } finally {
    for (const child of children) {
      child.kill("SIGKILL");
      await child.status;
    }
    await upstream.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});

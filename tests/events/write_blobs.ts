/** Writes values to a database file one after the other until it is killed; a line for each. */
// deno-lint-ignore-file no-console -- the test that starts this reads the lines

import { SNAPSHOT_NAME } from "../../lib/events/keeping/stored.ts";
import { getBlobPointer, writeBlob } from "../../lib/platform/kv/blob.ts";
import { openKv } from "../../lib/platform/kv/open.ts";

const kv = await openKv(Deno.args[0]);
for (;;) {
  const replaces = await getBlobPointer<number>(kv, SNAPSHOT_NAME);
  const next = (replaces.pointer?.meta ?? 0) + 1;
  const bytes = new Uint8Array(300_000).fill(next % 256);
  const guard = (operation: Deno.AtomicOperation) => operation;
  await writeBlob(kv, SNAPSHOT_NAME, bytes, { replaces, meta: next, guard });
  console.log(next);
}

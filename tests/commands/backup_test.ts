/** `deno task backup --snapshot`: whole copies of a database file that is in use. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { tool } from "../../commands/backup.ts";
import { parseConfig } from "../../lib/platform/config/config.ts";
import { openKv } from "../../lib/platform/kv/open.ts";
import { openLedger } from "../support/accounts.ts";
import { readBooks } from "../support/ledger_books.ts";
import { callTool, done, json, type Outcome } from "./desk.ts";

/** Calls the tool beside an open database. */
function backup(kv: Deno.Kv, path: string, ...args: string[]): Promise<Outcome> {
  return callTool(tool, [...args, "--snapshot"], {
    kv,
    config: parseConfig({ KV_PATH: path }),
    now: Date.now,
  });
}

async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a copy made while money is reserved and settled is consistent, and can be served", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "foyer.sqlite3");
    using kv = await openKv(path);
    const ledger = openLedger(kv, Date.now);
    const copies: string[] = [];
    const spend = async (index: number) => {
      const names = { requestId: `r${index}`, accountId: `acc_${index % 3}`, keyId: "key" };
      const bid = { ...names, endpoint: "search", model: null, amount: 5n, limit: 10n ** 9n };
      const admission = await ledger.reserve(bid);
      assert.ok(admission.admitted);
      const reading = { cost: 3n, inputTokens: null, outputTokens: null, model: null };
      const settled = ledger.settle(admission.reservation, { ...reading, status: 200 });
      if (index % 50 === 25) {
        const copy = join(folder, `copy-${index}`);
        copies.push(copy);
        const { file, bytes } = await json(backup(kv, path, copy, "--json"));
        assert.deepEqual([file, bytes], [copy, Deno.statSync(copy).size]);
      }
      await settled;
    };
    await Promise.all(Array.from({ length: 200 }, (_, index) => spend(index)));
    assert.equal(copies.length, 4);
    for (const copy of copies) {
      using kv = await openKv(copy);
      const { records, open } = await readBooks(kv);
      assert.ok(records.size + open.size > 0);
      await kv.set(["written"], true);
    }
  });
});

Deno.test("an existing file is not overwritten, and a database that is not a file cannot be copied", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "foyer.sqlite3");
    using kv = await openKv(path);
    await kv.set(["a"], 1);
    const target = join(folder, "copy");
    assert.match(await done(backup(kv, path, target)), /^Copied \d+ bytes to .*To restore: stop/);
    const before = Deno.statSync(target).mtime;
    const again = await backup(kv, path, target);
    assert.deepEqual([again.code, again.out], [2, ""]);
    assert.match(again.err, /copy exists already; [^\n]+\n$/);
    assert.deepEqual(Deno.statSync(target).mtime, before);
    for (const other of [":memory:", "https://kv.example/connect"]) {
      const { code, err } = await backup(kv, other, join(folder, "other"));
      assert.equal(code, 1);
      assert.match(
        err,
        /^backup: KV_PATH is .*only a file can be copied as it is; leave out --snapshot/,
      );
    }
    const nowhere = await backup(kv, path, join(folder, "no", "copy"));
    assert.equal(nowhere.code, 2);
    assert.match(nowhere.err, /^backup: the folder \S+no does not exist; [^\n]+\n$/);
    using empty = await openKv(join(folder, "foyr.sqlite3"));
    const slip = await backup(empty, join(folder, "foyr.sqlite3"), join(folder, "other"));
    assert.deepEqual([slip.code, slip.out], [1, ""]);
    assert.match(slip.err, /^backup: \S+foyr\.sqlite3 is empty; is KV_PATH right\?\n$/);
  });
});

/** Processes that are killed while they change accounts: what is changed is told, and nothing else. */

import assert from "node:assert/strict";
import { openKv } from "../../lib/platform/kv/open.ts";
import { openFolder } from "../support/folder.ts";
import { assertTold } from "../support/told_changes.ts";

const KILLS = 4;

Deno.test("after processes were killed, the audit log tells every account and key as it is", async () => {
  await using folder = await openFolder();
  const env = { KV_PATH: `${folder.path}/kv` };
  using kv = await openKv(env.KV_PATH);
  await Promise.all(Array.from({ length: KILLS }, (_, index) => killAfter(index + 3, env)));
  assert.ok(await assertTold(kv) >= KILLS * 3);
});

/** Starts a process, and kills it at a moment after it has changed a number of accounts. */
async function killAfter(count: number, env: Record<string, string>): Promise<void> {
  const program = new URL("../support/change_accounts.ts", import.meta.url).href;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", program],
    env,
    stdout: "piped",
  }).spawn();
  let lines = 0;
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    lines += part.split("\n").length - 1;
    if (lines < count) continue;
    child.kill("SIGKILL");
    break;
  }
  await child.status;
}

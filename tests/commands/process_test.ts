/** The program as a process: a database file, the exit code, the streams. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs a tool on a database. */
async function call(kvPath: string, tool: string, ...args: string[]) {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "commands/foyer.ts", tool, ...args],
    cwd: root,
    env: { KV_PATH: kvPath, NO_COLOR: "1" },
    stdin: "null",
  });
  const { code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

Deno.test("a call that is not understood touches no database; one that cannot be opened is one sentence", async () => {
  const folder = await Deno.makeTempDir();
  const path = join(folder, "foyer.sqlite3");
  try {
    const typo = await call(path, "keys", "creat");
    assert.deepEqual(typo, {
      code: 2,
      out: "",
      err: "error: unknown command 'creat'\n(Did you mean create?)\n",
    });
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
    const closed = await call(join(folder, "no", "such", "folder"), "accounts", "list");
    assert.deepEqual([closed.code, closed.out], [1, ""]);
    assert.match(
      closed.err,
      /^error: KV_PATH: the database \S+ cannot be opened: .*Does its folder exist, [^\n]+\n$/,
    );
    const memory = await call(":memory:", "accounts", "list", "--json");
    assert.deepEqual([memory.code, memory.out], [0, "[]\n"]);
    assert.match(memory.err, /^Note: KV_PATH is :memory:/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a reader that closes the pipe early causes no stack trace", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const command = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "commands/foyer.ts", "accounts", "list"],
      cwd: root,
      env: { KV_PATH: join(folder, "foyer.sqlite3") },
      stdout: "piped",
      stderr: "piped",
    });
    const process = command.spawn();
    // The stream is closed before the tool starts.
    await process.stdout.cancel();
    assert.equal(await new Response(process.stderr).text(), "");
    assert.equal((await process.status).code, 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** The program as a process: a database file or a remote database, the exit code, the streams. */

import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openKv } from "../../lib/platform/kv/open.ts";
import { openFolder } from "../support/folder.ts";
import { startKvConnect } from "../support/kv_connect.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A command with an environment that has nothing else, in a folder that may have an `.env`. */
function commandOf(env: Record<string, string>, args: readonly string[], cwd: string) {
  const inherited = ["PATH", "HOME", "DENO_DIR"].flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const program = join(root, "commands", "foyer.ts");
  return new Deno.Command(Deno.execPath(), {
    // Deno itself says if it waits for another process that checks the packages.
    args: [
      ...["run", "-A", "--no-check", "--quiet"],
      ...["--config", join(root, "deno.json"), program, ...args],
    ],
    cwd,
    clearEnv: true,
    env: { ...Object.fromEntries(inherited), NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

async function call(env: Record<string, string>, args: readonly string[], cwd = root) {
  const { code, stdout, stderr } = await commandOf(env, args, cwd).output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

Deno.test("a call that is not understood touches no database; a change names the system's user", async () => {
  await using folder = await openFolder();
  const KV_PATH = join(folder.path, "foyer.sqlite3");
  assert.deepEqual(await call({ KV_PATH }, ["keys", "creat"]), {
    code: 2,
    out: "",
    err: "error: unknown command 'creat'\n(Did you mean create?)\n",
  });
  assert.deepEqual(await Array.fromAsync(Deno.readDir(folder.path)), []);
  const memory = await call({ KV_PATH: ":memory:" }, ["accounts", "list", "--json"]);
  assert.deepEqual([memory.code, memory.out], [0, "[]\n"]);
  assert.match(memory.err, /^Note: KV_PATH is :memory:/);
  assert.equal((await call({ KV_PATH }, ["accounts", "create", "bot"])).code, 0);
  using kv = await openKv(KV_PATH);
  const [change] = await Array.fromAsync(kv.list<{ by: unknown }>({ prefix: ["change"] }));
  const user = userInfo().username;
  assert.deepEqual(change?.value.by, { command: "accounts create", user });
});

Deno.test("a reader that closes the pipe early causes no stack trace", async () => {
  await using folder = await openFolder();
  const env = { KV_PATH: join(folder.path, "foyer.sqlite3") };
  const process = commandOf(env, ["accounts", "list"], root).spawn();
  // The stream is closed before the tool starts.
  await process.stdout.cancel();
  assert.match(await new Response(process.stderr).text(), /^$/);
  assert.equal((await process.status).code, 0);
});

Deno.test("a database that cannot be opened is one sentence that names the variable and the remedy", async () => {
  await using server = startKvConnect();
  const { KV_PATH, DENO_KV_ACCESS_TOKEN } = server.env;
  const cases: [env: Record<string, string>, expected: RegExp][] = [
    [{ KV_PATH: "/no/such/folder/foyer.sqlite3" }, /Does its folder exist, [^\n]+\n$/],
    [{ KV_PATH, DENO_KV_ACCESS_TOKEN: "wrong" }, /Is DENO_KV_ACCESS_TOKEN its token\?\n$/],
    [{ KV_PATH }, /Missing DENO_KV_ACCESS_TOKEN [^\n]*\n$/],
    // No unprivileged process listens there.
    [{ KV_PATH: "http://127.0.0.1:1", DENO_KV_ACCESS_TOKEN }, /failed to connect/],
  ];
  await Promise.all(cases.map(async ([env, expected]) => {
    const { code, out, err } = await call(env, ["accounts", "list"]);
    assert.deepEqual([code, out], [1, ""]);
    assert.match(err, /^error: KV_PATH: the database \S+ cannot be opened: [^\n]*\n$/);
    assert.match(err, expected);
  }));
});

Deno.test("a remote database is opened with the token of .env, which Deno itself does not read", async () => {
  await using folder = await openFolder();
  await using server = startKvConnect();
  const lines = Object.entries(server.env).map(([name, value]) => `${name}=${value}\n`);
  await Deno.writeTextFile(join(folder.path, ".env"), lines.join(""));
  const listed = await call({}, ["accounts", "list", "--json"], folder.path);
  assert.deepEqual(listed, { code: 0, out: "[]\n", err: "" });
});

Deno.test("a failed command ends, although an unresponsive database has not answered it", async () => {
  await using server = startKvConnect();
  server.judge = ({ method, keys }) => {
    if (method === "metadata") return "answer";
    return keys.some((key) => key.includes("day")) ? 400 : new Promise(() => {});
  };
  const { code, out, err } = await call(server.env, ["status"]);
  assert.deepEqual([code, out], [1, ""]);
  assert.match(err, /^error: KV Connect failed to call .* \(status=400 Bad Request\): [^\n]*\n$/);
});

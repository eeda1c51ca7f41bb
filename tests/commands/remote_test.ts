/** The tools as processes on a remote database: KV_PATH is an address, DENO_KV_ACCESS_TOKEN its token. */

import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openKv } from "../../lib/platform/kv/open.ts";
import { freePort } from "../support/free_port.ts";
import { startKvConnect } from "../support/kv_connect.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a tool with an environment that has nothing else, in a folder that may have an `.env`. */
async function call(env: Record<string, string>, args: string[], cwd = root) {
  const inherited = ["PATH", "HOME", "DENO_DIR"].flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const program = join(root, "commands", "foyer.ts");
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--config", join(root, "deno.json"), program, ...args],
    cwd,
    clearEnv: true,
    env: { ...Object.fromEntries(inherited), NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

/** An operator's commands in order, and the output of each. */
async function work(env: Record<string, string>): Promise<Said[]> {
  const said: Said[] = [];
  const run = async (...args: string[]) => {
    const one = await call(env, args);
    said.push({ ...one, out: withoutChance(one.out), err: withoutChance(one.err) });
    return one.out;
  };
  await run("accounts", "create", "bot", "--limit", "0.50", "--json");
  const { id } = JSON.parse(await run("keys", "create", "bot", "--name", "laptop", "--json"));
  await run("keys", "rotate", id, "--json");
  await run("keys", "revoke", id);
  await run("keys", "list", "bot", "--json");
  await run("accounts", "ban", "bot");
  await run("accounts", "show", "bot", "--json");
  await run("accounts", "show", "nobody");
  await run("usage", "--json");
  await run("status", "--json");
  return said;
}

/** Ids, keys and times, of which no two are alike. */
function withoutChance(text: string): string {
  return text
    .replaceAll(/\bfoyer_\w+/g, "KEY")
    .replaceAll(/\b(?=\w*[A-Za-z])(?=\w*[\dA-Z])(?:acc_)?[0-9A-Za-z]{12}\b/g, "ID")
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?Z?| UTC)/g, "TIME");
}

Deno.test("every command prints the same for a remote database as for a file", async () => {
  const folder = await Deno.makeTempDir();
  await using server = startKvConnect();
  try {
    const [remote, near] = await Promise.all([
      work(server.env),
      work({ KV_PATH: join(folder, "foyer.sqlite3") }),
    ]);
    assert.deepEqual(remote, near);
    assert.deepEqual(remote.map(({ code }) => code), [0, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
    assert.ok(server.calls.some(({ keys }) => keys.some((key) => key.includes("acc_"))));
    using kv = await openKv(join(folder, "foyer.sqlite3"));
    const changes = await Array.fromAsync(kv.list<{ by: unknown }>({ prefix: ["change"] }));
    const user = userInfo().username;
    assert.deepEqual(changes[0]?.value.by, { command: "accounts create", user });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("an unusable remote database is one sentence that names the variable", async () => {
  await using server = startKvConnect();
  const { KV_PATH, DENO_KV_ACCESS_TOKEN } = server.env;
  const list = ["accounts", "list"];
  const [wrong, missing, nobody] = await Promise.all([
    call({ KV_PATH, DENO_KV_ACCESS_TOKEN: "wrong" }, list),
    call({ KV_PATH }, list),
    call({ KV_PATH: `http://127.0.0.1:${freePort()}`, DENO_KV_ACCESS_TOKEN }, list),
  ]);
  for (const { code, out } of [wrong, missing, nobody]) {
    assert.deepEqual([code, out], [1, ""]);
  }
  const opened = /^error: KV_PATH: the database http:\S+ cannot be opened: /.source;
  assert.match(wrong.err, new RegExp(`${opened}.*Is DENO_KV_ACCESS_TOKEN its token\\?\n$`));
  assert.match(missing.err, new RegExp(`${opened}Missing DENO_KV_ACCESS_TOKEN .*\n$`));
  assert.match(nobody.err, new RegExp(`${opened}.*failed to connect.*\n$`));
});

Deno.test("the token may be in .env, which Deno itself does not read", async () => {
  const folder = await Deno.makeTempDir();
  await using server = startKvConnect();
  try {
    const lines = Object.entries(server.env).map(([name, value]) => `${name}=${value}\n`);
    await Deno.writeTextFile(join(folder, ".env"), lines.join(""));
    assert.deepEqual(await call({}, ["accounts", "list", "--json"], folder), {
      code: 0,
      out: "[]\n",
      err: "",
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
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

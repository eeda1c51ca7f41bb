/** `deno task dev` in a copy of the tree: it still works after the watcher restarts it. */

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { until } from "./support/until.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const NOT_COPIED = new Set([".git", ".data", "_fresh", "node_modules", "tests", "bench"]);
/** The stand-in for web search, unless another program listens there. */
const WEBSEARCH_PORT = 8788;

const copy = await Deno.makeTempDir();
globalThis.addEventListener("unload", () => Deno.removeSync(copy, { recursive: true }));
cpSync(ROOT, copy, {
  recursive: true,
  filter: (source) => !NOT_COPIED.has(source.slice(ROOT.length).split("/")[0] ?? ""),
});
await Deno.symlink(`${ROOT}node_modules`, `${copy}/node_modules`);

function runDev(port: number, flags: readonly string[] = []): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", ...flags, "dev.ts"],
    cwd: copy,
    env: { PORT: String(port), HOST: "127.0.0.1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

Deno.test("a restart by the watcher finds its stand-ins on any ports", async () => {
  using _taken = listenIfFree(WEBSEARCH_PORT);
  const child = runDev(0, ["--watch=static/"]);
  let said = "";
  const heard = Promise.all([child.stdout, child.stderr].map(async (stream) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) said += text;
  }));
  const starts = () => said.split("\nThe proxy:").length - 1;
  // Each start takes a port of its own.
  const address = () => [...said.matchAll(/Listening on (http:[/][/][^/]+)/g)].at(-1)?.[1];
  const search = async () => {
    const key = await Deno.readTextFile(`${copy}/.data/dev-key`);
    const response = await fetch(`${address()}/proxy/v1/websearch/search`, {
      method: "POST",
      headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ query: "sourdough bread" }),
    });
    await response.body?.cancel();
    return response.status;
  };
  try {
    await until(() => starts() === 1);
    assert.equal(await search(), 200);
    assert.ok(said.includes(`Bearer ${await Deno.readTextFile(`${copy}/.data/dev-key`)}'`), said);
    await Deno.writeTextFile(`${copy}/static/docs/house.md`, "# Our house\n\nIt has a door.\n");
    await until(() => starts() === 2);
    assert.equal(await search(), 200, said);
    const page = await fetch(`${address()}/docs/house.md`);
    assert.match(await page.text(), /It has a door/);
  } finally {
    child.kill();
    await child.status;
    await heard;
  }
});

Deno.test("a port that is in use is reported in one line", async () => {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  const { code, stderr } = await runDev(port).output();
  assert.equal(code, 1);
  const said = new TextDecoder().decode(stderr);
  assert.match(said, new RegExp(`^PORT: ${port} is in use`, "m"));
  assert.doesNotMatch(said, /^ +at /m);
});

function listenIfFree(port: number): Disposable | null {
  try {
    return Deno.listen({ port, hostname: "127.0.0.1" });
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return null;
    throw error;
  }
}

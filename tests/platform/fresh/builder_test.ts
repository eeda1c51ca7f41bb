/** `fresh/dev`: a build on disk serves by itself, and a page in development learns of a restart. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { App, staticFiles } from "fresh";
import { Builder } from "fresh/dev";

const project = fileURLToPath(new URL("../../../", import.meta.url));
const fixture = fileURLToPath(new URL("fixture/", import.meta.url));

/** Runs a program in a process of its own until the test ends; returns the port that it prints. */
async function start(code: string): Promise<{ port: number } & AsyncDisposable> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", `--config=${project}deno.json`, code],
    cwd: project,
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!/port (\d+)/.test(text)) {
    const { value, done } = await lines.read();
    if (done) throw new Error(`the program ended: ${text}`);
    text += value;
  }
  return {
    port: Number(/port (\d+)/.exec(text)?.[1]),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await lines.cancel();
      await child.status;
    },
  };
}

const LISTEN =
  `{ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log("port", port) }`;

Deno.test("build writes a server that runs without the builder", async () => {
  const outDir = `_fresh-test-${crypto.randomUUID()}`;
  try {
    await new Builder({ root: fixture.slice(0, -1), outDir }).build();
    const server = `file://${fixture}${outDir}/server.js`;
    await using running = await start(
      `const { default: server } = await import("${server}"); Deno.serve(${LISTEN}, server.fetch);`,
    );
    const origin = `http://127.0.0.1:${running.port}`;
    const html = await (await fetch(origin)).text();
    assert.match(html, /<title>Home<\/title>/);
    const [script = ""] = /\/_fresh\/js\/[^"]+/.exec(html) ?? [];
    const code = await fetch(`${origin}${script}`);
    assert.equal(code.headers.get("content-type"), "text/javascript; charset=UTF-8");
    assert.match(await code.text(), /boot/);
    assert.match(await (await fetch(`${origin}/a.css`)).text(), /margin/);
  } finally {
    await Deno.remove(`${fixture}${outDir}`, { recursive: true });
  }
});

Deno.test("a static file has the content type of its ending", async () => {
  const table = {
    "a.css": "text/css; charset=UTF-8",
    "a.json": "application/json; charset=UTF-8",
    "a.svg": "image/svg+xml",
    "a.JPG": "image/jpeg",
    "a.woff2": "font/woff2",
    "a.unheard": "text/plain",
  };
  const root = await Deno.makeTempDir();
  try {
    // Upstream reads how the islands are compiled from the nearest configuration above the project.
    const compilerOptions = { jsx: "react-jsx", jsxImportSource: "preact" };
    await Deno.writeTextFile(`${root}/deno.json`, JSON.stringify({ compilerOptions }));
    await Deno.mkdir(`${root}/static`);
    for (const name of Object.keys(table)) await Deno.writeTextFile(`${root}/static/${name}`, "x");
    const app = new App().use(staticFiles()).fsRoutes();
    await (await new Builder({ root }).build({ snapshot: "memory" }))(app);
    const handle = app.handler();
    for (const [name, type] of Object.entries(table)) {
      const response = await handle(new Request(`http://fixture.example/${name}`));
      assert.equal(await response.text(), "x");
      assert.equal(response.headers.get("content-type"), type, name);
    }
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("a page in development learns when the server has restarted", async () => {
  const code = `import { Builder } from "fresh/dev";
    await new Builder({ root: "${fixture.slice(0, -1)}" })
      .listen(() => import("file://${fixture}main.ts"), ${LISTEN});`;
  const startedAt = async () => {
    await using running = await start(code);
    const { mode } = await (await fetch(`http://127.0.0.1:${running.port}/api/7`)).json();
    assert.equal(mode, "development");
    const html = await (await fetch(`http://127.0.0.1:${running.port}/plain`)).text();
    assert.match(html, /fresh-runtime\.js/, "every page has the script, for the sake of reloading");
    const socket = new WebSocket(`ws://127.0.0.1:${running.port}/_frsh/alive`);
    const { promise, resolve } = Promise.withResolvers<string>();
    socket.onmessage = ({ data }) => resolve(data);
    const told = await promise;
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.close();
    await closed;
    return told;
  };
  const first = await startedAt();
  assert.notEqual(await startedAt(), first);
});

/** `fresh/dev`: the types of static files, and how a page in development learns of a restart. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { App, staticFiles } from "fresh";
import { Builder } from "fresh/dev";
import { openFolder } from "../../support/folder.ts";
import { killProcess } from "../../support/foyer_process.ts";

const project = fileURLToPath(new URL("../../../", import.meta.url));
const fixture = fileURLToPath(new URL("fixture/", import.meta.url));

Deno.test("a static file has the content type of its ending", async () => {
  const table = {
    "a.css": "text/css; charset=UTF-8",
    "a.json": "application/json; charset=UTF-8",
    "a.svg": "image/svg+xml",
    "a.JPG": "image/jpeg",
    "a.woff2": "font/woff2",
    "a.unheard": "text/plain",
  };
  await using folder = await openFolder();
  const root = folder.path;
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
});

Deno.test("a page in development has a script, whose connection ends with the server", async () => {
  const code = `import { Builder } from "fresh/dev";
    await new Builder({ root: "${fixture.slice(0, -1)}" }).listen(
      () => import("file://${fixture}main.ts"),
      { port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log("port", port) });`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", `--config=${project}deno.json`, code],
    cwd: project,
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream());
  try {
    let said = "";
    for await (const text of lines.values({ preventCancel: true })) {
      if (/port \d+\n/.test(said += text)) break;
    }
    const host = `127.0.0.1:${/port (\d+)/.exec(said)?.[1]}`;
    assert.equal((await (await fetch(`http://${host}/api/7`)).json()).mode, "development");
    const html = await (await fetch(`http://${host}/plain`)).text();
    assert.match(html, /fresh-runtime\.js/);
    const socket = new WebSocket(`ws://${host}/_frsh/alive`);
    const on = (name: string) => new Promise((resolve) => socket.addEventListener(name, resolve));
    const closed = on("close");
    await on("open");
    killProcess(child);
    await closed;
  } finally {
    killProcess(child);
    await child.status;
    await lines.cancel();
  }
});

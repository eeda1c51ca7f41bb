/** The behaviour of `lib/platform/fresh` alone: the differences that its `mod.ts` lists. */
// Alone: the runtime knows the id of one build.

import assert from "node:assert/strict";
import { App } from "fresh";
import { Builder } from "fresh/dev";
import { app } from "./fixture/main.ts";

const root = new URL("fixture", import.meta.url).pathname;
await (await new Builder({ root }).build({ snapshot: "memory" }))(app);
const handle = app.handler();
const get = async (path: string) =>
  await (await handle(new Request(`http://fixture.example${path}`))).text();

Deno.test("a route that exports anything but a function is refused at the start", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${folder}/routes`);
    await Deno.writeTextFile(`${folder}/routes/index.ts`, "export const handler = { GET() {} };");
    const faulty = new App().fsRoutes();
    await (await new Builder({ root: folder }).build({ snapshot: "memory" }))(faulty);
    assert.throws(() => faulty.handler(), /routes\/index: /);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a page has nothing that differs from rendering to rendering", async () => {
  assert.equal(await get("/"), await get("/"));
});

Deno.test("a page's script waits until the page has been painted, and gives each island its props", async () => {
  const html = await get("/");
  const [, script = ""] = /<script type="module">(.*?)<\/script>/s.exec(html) ?? [];
  assert.match(script, /^await new Promise\(.*"paint".*setTimeout.*await Promise\.all\(\[import\(/);
  const [, props = ""] = /boot\(\{Counter\},(.*)\)$/s.exec(script) ?? [];
  assert.deepEqual(JSON.parse(props), [
    { start: 3, label: "</script><!-- \u2028" },
    { start: 7, label: "second" },
  ]);
});

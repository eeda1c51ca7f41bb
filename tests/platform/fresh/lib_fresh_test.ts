/** The behaviour of `lib/platform/fresh` alone: the differences that its `mod.ts` lists. */
// Own runtime: these are its differences.
// Alone: the runtime knows the id of one build.

import assert from "node:assert/strict";
import { App } from "fresh";
import { Builder } from "fresh/dev";
import { dirname } from "node:path/posix";
import type { Build } from "../../../lib/platform/fresh/build.ts";
import { Router } from "../../../lib/platform/fresh/router.ts";
import { openFolder } from "../../support/folder.ts";
import { app } from "./fixture/main.ts";

const root = new URL("fixture", import.meta.url).pathname;
await (await new Builder({ root }).build({ snapshot: "memory" }))(app);
const handle = app.handler();
const get = async (path: string) =>
  await (await handle(new Request(`http://fixture.example${path}`))).text();

/** What `handler()` of an app throws whose routes are these files; null if it throws nothing. */
async function faultOf(files: Readonly<Record<string, string>>): Promise<string | null> {
  await using folder = await openFolder();
  try {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(`${folder.path}/routes/${path}`), { recursive: true });
      await Deno.writeTextFile(`${folder.path}/routes/${path}`, text);
    }
    const app = new App().fsRoutes();
    await (await new Builder({ root: folder.path }).build({ snapshot: "memory" }))(app);
    app.handler();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

Deno.test("a route file that this runtime would not obey is refused at the start", async () => {
  const route = "export const handler = () => new Response();";
  assert.equal(await faultOf({ "index.ts": route, "[id].ts": route }), null);
  const refused = [
    ...["_middleware.ts", "api/_middleware.ts", "_layout.tsx", "_404.tsx", "_error.tsx"],
    ...["api/_app.tsx", "(inside)/page.ts", "docs/[[version]].ts", "_middleware.js"],
    ...["[a][b].ts", "x-[...rest].ts", "[...rest]/x.ts", "[my-id].ts", "é.ts"],
  ];
  for (const path of refused) {
    assert.match(await faultOf({ [path]: route }) ?? "", /knows no file of this name/, path);
  }
  const byMethod = { "index.ts": "export const handler = { GET() {} };" };
  assert.match(await faultOf(byMethod) ?? "", /routes\/index: .* export a function/);
});

Deno.test("a parameter with a literal part wins over one without, whatever their names", () => {
  const names = ["/a/[a]", "/a/[z].ics", "/a/[...a]", "/a/b"];
  const files = names.map((path) => ({ path, module: { handler: () => path } }));
  for (const order of [files, files.toReversed()]) {
    const router = new Router(order, (handler) => (handler as () => string)());
    const found = ["/a/x.ics", "/a/x", "/a/x/y", "/a/b"].map((path) => router.match(path)?.handler);
    assert.deepEqual(found, ["/a/[z].ics", "/a/[a]", "/a/[...a]", "/a/b"]);
  }
});

Deno.test("addresses change with contents alone: another build of the same files has the same ones", async () => {
  const addresses = async () => {
    const app = new App();
    await (await new Builder({ root }).build({ snapshot: "memory" }))(app);
    // The types are those of either runtime.
    const { versions, staticFiles }: Build = Reflect.get(app, "build");
    return [...versions, ...staticFiles.keys()];
  };
  assert.deepEqual(await addresses(), await addresses());
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

/** Every test and file that a document names exists. */

import assert from "node:assert/strict";

const root = new URL("../../", import.meta.url);

const read = async (path: string) => await Deno.readTextFile(new URL(path, root));

/** A text on one line: a document breaks its lines where the name of a test goes on. */
const unbroken = (text: string) => text.replaceAll(/\s+/g, " ");

Deno.test("the security document names no test that is not there", async () => {
  const document = unbroken(await read("static/docs/security.md"));
  let source = "";
  let named = 0;
  for (const [, file, name] of document.matchAll(/`([\w/]+_test\.ts)`|"([^"]+)"/g)) {
    if (file !== undefined) source = unbroken(await read(`tests/${file}`));
    else {
      named++;
      assert.ok(source.includes(name ?? ""), `no test says "${name}"`);
    }
  }
  assert.ok(named > 40, `${named} tests are named`);
});

Deno.test("the architecture names no file that is not there", async () => {
  const document = await read("ARCHITECTURE.md");
  for (const [, path] of document.matchAll(/`((?:lib|routes|tests|static|commands)\/[^`*…]+)`/g)) {
    assert.ok(await Deno.stat(new URL(path ?? "", root)).catch(() => null), `there is no ${path}`);
  }
});

/** Each test, file and log line that a document names exists. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { VERSION } from "../../../lib/operate/reference/openapi.ts";
import { readSources } from "../../support/import_graph.ts";

const root = new URL("../../../", import.meta.url);

const read = async (path: string) => await Deno.readTextFile(new URL(path, root));

/** A text on one line: in a document, the name of a test may be broken over lines. */
const unbroken = (text: string) => text.replaceAll(/\s+/g, " ");

Deno.test("the security document names no test that is not there", async () => {
  const document = await read("static/docs/security.md");
  const named = [...document.matchAll(/`([\w/]+_test\.ts)`/g)].map(([, file = ""]) => file);
  assert.ok(named.length > 40, `${named.length} tests are named`);
  for (const file of named) {
    assert.ok(await Deno.stat(new URL(`tests/${file}`, root)).catch(() => null), file);
  }
});

Deno.test("the architecture names no file that is not there", async () => {
  const document = await read("ARCHITECTURE.md");
  for (
    const [, path] of document.matchAll(/`((?:lib|routes|tests|static|commands)\/[^`*…:]+)[`:]/g)
  ) {
    assert.ok(await Deno.stat(new URL(path ?? "", root)).catch(() => null), `there is no ${path}`);
  }
});

Deno.test("what operators do about an alert quotes lines of the log that the code writes", async () => {
  const [, rest = ""] = (await read("static/docs/operate.md")).split("## What to do when\n");
  const [section = ""] = rest.split("\n###");
  const quoted = [...section.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text)
    .filter((text) => text.split(" ").length > 2 && !text.startsWith("deno "));
  assert.ok(quoted.length >= 4, `${quoted.length} lines are quoted`);
  const files = readdirSync(new URL("lib/", root), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"));
  const sources = await Promise.all(files.map((path) => read(`lib/${path}`)));
  for (const text of quoted) {
    assert.ok(sources.some((source) => source.includes(text)), `no code writes "${text}"`);
  }
});

Deno.test("the architecture names functions and classes of files that are there", async () => {
  const document = unbroken(await read("ARCHITECTURE.md"));
  const steps = [...document.matchAll(/`([\w/.[\]()-]+\.tsx?): (\w+)`/g)];
  assert.ok(steps.length > 30, `${steps.length} steps`);
  for (const [, file = "", name] of steps) {
    const source = await read(file);
    assert.match(
      source,
      new RegExp(`\\b(function|const|class) (\\{ )?${name}\\b`),
      `${file} has no ${name}`,
    );
  }
});

Deno.test("the guide for contributors names no file, function or constant that is not there", async () => {
  const document = unbroken(await read("CONTRIBUTING.md"));
  const words = new Set(
    (await readSources()).flatMap(({ path, text }) =>
      path.startsWith("tests/operate/documents/") ? [] : text.match(/\w+/g) ?? []
    ),
  );
  let named = 0;
  for (const [, text = ""] of document.matchAll(/`([^`]+)`/g)) {
    const [, name] = /^((?:[a-z]+[A-Z]|[A-Z])\w+)(?:\(\{\.\.\.\}\))?$/.exec(text) ?? [];
    const [path] = /^(?:lib|routes|tests|islands|static|commands)\/[\w./()[\]]+$/.exec(text) ?? [];
    if (name !== undefined) assert.ok(words.has(name), `nothing is called ${name}`);
    if (path !== undefined) {
      assert.ok(await Deno.stat(new URL(path, root)).catch(() => null), `there is no ${path}`);
    }
    if (name !== undefined || path !== undefined) named++;
  }
  assert.ok(named > 60, `${named} names`);
});

Deno.test("the changelog ends with the version of the OpenAPI document, and has the list that CONTRIBUTING names", async () => {
  const versioning = unbroken(await read("static/docs/versioning.md"));
  assert.match(versioning, new RegExp(`The version string of the events API is \`${VERSION}\``));
  const [, changelog = ""] = versioning.split("## Changelog");
  assert.deepEqual(changelog.match(/### [\d.]+/g)?.[0], `### ${VERSION}`);
  const contributing = unbroken(await read("CONTRIBUTING.md"));
  const [, list = ""] =
    /changelog of `static\/docs\/versioning\.md`, under “([^”]+)”/.exec(contributing) ?? [];
  assert.notEqual(list, "", "CONTRIBUTING names no list");
  assert.ok(changelog.includes(`${list}:`), `the changelog has no list “${list}”`);
});

/** What the documents name and link to exists: tests, files, functions, log lines, headings, fields, samples. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { z } from "zod";
import { eventSchema } from "../../../lib/events/model.ts";
import { renderDocument } from "../../../lib/operate/documents/render.ts";
import { VERSION } from "../../../lib/operate/reference/openapi.ts";
import { parseConfig } from "../../../lib/platform/config/config.ts";
import { COLUMN_NAMES } from "../../../lib/platform/event_columns.ts";
import { proxyFigures } from "../../../lib/proxy/figures.ts";
import { sampleRecords } from "../../../lib/sandbox/sample.ts";
import { startFoyer } from "../../support/foyer.ts";
import { readSources } from "../../support/import_graph.ts";

const root = new URL("../../../", import.meta.url);

const folder = new URL("static/docs/", root);
/** The documents, by their names. */
const documents = readdirSync(folder).map((file) =>
  [file.replace(/\.md$/, ""), Deno.readTextFileSync(new URL(file, folder))] as const
);

const read = async (path: string) => await Deno.readTextFile(new URL(path, root));

/** Fails unless there is a file, whose path begins at the root or at another file. */
async function assertThere(path: string, base: URL = root, by = ""): Promise<void> {
  assert.ok(await Deno.stat(new URL(path, base)).catch(() => null), `${by} there is no ${path}`);
}

/** A text on one line: in a document, the name of a test may be broken over lines. */
const unbroken = (text: string) => text.replaceAll(/\s+/g, " ");

Deno.test("the security document names no test that is not there", async () => {
  const document = await read("static/docs/security.md");
  const named = [...document.matchAll(/`([\w/]+_test\.ts)`/g)].map(([, file = ""]) => file);
  assert.ok(named.length > 40, `${named.length} tests are named`);
  for (const file of named) await assertThere(`tests/${file}`);
});

Deno.test("the architecture names no file, function or class that is not there", async () => {
  const document = unbroken(await read("ARCHITECTURE.md"));
  const paths = document.matchAll(/`((?:lib|routes|tests|static|commands)\/[^`*…:]+)[`:]/g);
  for (const [, path = ""] of paths) await assertThere(path);
  const steps = [...document.matchAll(/`([\w/.[\]()-]+\.tsx?): (\w+)`/g)];
  assert.ok(steps.length > 30, `${steps.length} steps`);
  for (const [, file = "", name] of steps) {
    const declared = RegExp(`\\b(function|const|class) (\\{ )?${name}\\b`);
    assert.match(await read(file), declared, `${file} has no ${name}`);
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
    if (path !== undefined) await assertThere(path);
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

Deno.test("a link from one document to another leads to a document and a heading that exist", () => {
  const idsOf = (text: string) => new Set(renderDocument(text).headings.map(({ id }) => id));
  const headings = new Map(documents.map(([name, text]) => [name, idsOf(text)]));
  let count = 0;
  for (const [from, text] of documents) {
    const links = text.matchAll(
      /\]\((?:(?:https:\/\/foyer\.example)?\/docs\/(\w+))?(?:#([\w-]+))?\)/g,
    );
    for (const [link, name = from, id] of links) {
      const known = headings.get(name);
      assert.ok(known !== undefined, `${from}.md: no document for ${link}`);
      assert.ok(id === undefined || known.has(id), `${from}.md: no heading for ${link}`);
      count++;
    }
  }
  assert.ok(count > 15, `${count} links are found`);
});

Deno.test("a link in the files of the repository leads to a file that exists, and the README has at most 120 lines", async () => {
  const repository = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "bench/README.md"];
  for (const file of [...repository, "lib/platform/kv/STORAGE.md"]) {
    const text = await read(file);
    for (const [, href = ""] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
      await assertThere(href, new URL(file, root), file);
    }
  }
  assert.ok((await read("README.md")).trimEnd().split("\n").length <= 120, "the README is short");
});

Deno.test("the guide to the events names every value that a field is limited to", async () => {
  const document = await read("static/docs/events.md");
  const [, section = ""] = /## The fields of an event\n([^]*?)\n## /.exec(document) ?? [];
  const values: string[] = [];
  JSON.stringify(z.toJSONSchema(eventSchema), (name, value) => {
    if (name === "enum") values.push(...value);
    return value;
  });
  assert.ok(values.length > 10, `${values.length} values are found`);
  for (const value of values) {
    const advice =
      `name the value \`${value}\` in “The fields of an event” of static/docs/events.md`;
    assert.ok(section.includes(`\`${value}\``), advice);
  }
});

Deno.test("the guide to the configuration names the column of each field that a record fills in", async () => {
  const document = await read("static/docs/configuration.md");
  for (const column of Object.values(COLUMN_NAMES)) {
    const advice = `add the column \`${column}\` to the list in static/docs/configuration.md`;
    assert.ok(document.includes(`\`${column}\``), advice);
  }
});

Deno.test("every figure of the proxy is in a document", () => {
  const unused = Object.keys(proxyFigures(parseConfig({})))
    .filter((name) => !documents.some(([, text]) => text.includes(`{{${name}}}`)));
  assert.deepEqual(unused, [], "figures of lib/proxy/figures.ts that no document names");
});

Deno.test("the README's sample event is one of the sample, with values that it has", async () => {
  const readme = await read("README.md");
  const [, path = "", json = ""] =
    /curl -s http:\/\/localhost:8000(\S+)\n+```json\n([^]*?)```/.exec(readme) ?? [];
  const { data: shown } = JSON.parse(json);
  const records = sampleRecords().filter(({ id }) => id === shown.id);
  await using foyer = await startFoyer({ records });
  const response = await foyer.get(path);
  const { data } = await response.json();
  assert.equal(response.status, 200);
  for (const [name, value] of Object.entries(shown)) assert.deepEqual(data[name], value, name);
});

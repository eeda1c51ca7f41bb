/** The folder of documents: every file is one, filled in, in the order of reading. */

import assert from "node:assert/strict";
import { groupDocuments, readDocuments } from "../../../lib/operate/documents/library.ts";
import { MAX_SEARCH_LENGTH, searchDocuments } from "../../../lib/operate/documents/search.ts";
import { documentsMarkdown, llmsFull, llmsIndex } from "../../../lib/operate/documents/listings.ts";

const BASE_URL = "https://events.example";

async function documents(files: Record<string, string>) {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    const values = { limit: "4" };
    return await readDocuments(new URL(`file://${folder}/`), { baseUrl: BASE_URL, values });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const FILES = {
  "zebra.md": "# Zebras\n\nStripes.\n",
  "versioning.md": "# Versioning\n\nWhat changes.\n",
  "events.md": "# Events\n\nHow to `list` [them](https://foyer.example/x),\nall {{limit}}.\n\n" +
    "## Sorting\n\nBy [name](/docs/names).\n\n```sh\n# a comment\ncurl https://foyer.example\n```\n",
  "notes.txt": "no document",
};

Deno.test("every markdown file is a document, known ones first, filled in with this service's values", async () => {
  const all = await documents(FILES);
  assert.deepEqual(all.map(({ name, address }) => [name, address]), [
    ["events", "/docs/events"],
    ["versioning", "/api/versioning"],
    ["zebra", "/docs/zebra"],
  ]);
  const [events] = all;
  assert.equal(events?.title, "Events");
  assert.equal(events?.summary, "How to list them, all 4.");
  assert.match(events?.markdown ?? "", /curl https:\/\/events\.example\n/);
  assert.match(events?.markdown ?? "", /\[name\]\(https:\/\/events\.example\/docs\/names\)/);
});

Deno.test("the documents are grouped by their readers' purpose, and one without a group comes last", async () => {
  const groups = groupDocuments((await documents(FILES)).toReversed());
  assert.deepEqual(
    groups.map(({ title, documents }) => [title, documents.map(({ name }) => name)]),
    [["Show events", ["events"]], ["Look it up", ["versioning"]], ["More", ["zebra"]]],
  );
});

Deno.test("a document without a heading, or with a placeholder without a value, is an error that names the file", async () => {
  await assert.rejects(documents({ "a.md": "text" }), /a\.md does not begin with a heading/);
  await assert.rejects(documents({ "a.md": "# A\n\n{{b}}" }), /a\.md: \{\{b\}\}/);
});

Deno.test("the search finds sections with all words, those with a word in the heading first", async () => {
  const all = await documents(FILES);
  const table = [
    ["stripes", ["/docs/zebra"]],
    ["NAME sorting", ["/docs/events#sorting"]],
    ["events", ["/docs/events", "/docs/events#sorting"]],
    ["what", ["/api/versioning"]],
    ["curl stripes", []],
    ["  ", []],
  ] as const;
  for (const [search, hrefs] of table) {
    assert.deepEqual(searchDocuments(all, search).map(({ href }) => href), hrefs, search);
  }
});

Deno.test("the search knows synonyms, and the word itself counts more", async () => {
  const all = await documents({
    "a.md": "# A\n\nWhich projectType it has.\n\n## Category\n\nMore.\n",
  });
  const found = (search: string) => searchDocuments(all, search).map(({ href }) => href);
  assert.deepEqual(found("tag"), ["/docs/a"]);
  assert.deepEqual(found("category"), ["/docs/a#category", "/docs/a"]);
});

Deno.test("a heading counts more than a parameter, that more than text, and a sample least", async () => {
  const all = await documents({
    "a.md":
      "# A\n\n```sh\nlimit\n```\n\n## B\n\nThe limit.\n\n## C\n\n| name | use |\n| - | - |\n" +
      "| `limit` | many |\n\n## Limit\n\nText.\n",
  });
  assert.deepEqual(
    searchDocuments(all, "limit").map(({ href }) => href),
    ["/docs/a#limit", "/docs/a#c", "/docs/a#b", "/docs/a"],
  );
});

Deno.test("the search finds at most twenty sections, for the first hundred characters", async () => {
  const sections = Array.from({ length: 25 }, (_, at) => `## Part ${at}\n\nstripes\n`);
  const all = await documents({ "a.md": `# A\n\n${sections.join("\n")}` });
  assert.equal(searchDocuments(all, "stripes").length, 20);
  const long = `stripes${" ".repeat(MAX_SEARCH_LENGTH)}nothing`;
  assert.equal(searchDocuments(all, long).length, 20);
});

Deno.test("a hit in a section has the section's title, one above all sections only the document's", async () => {
  const all = await documents(FILES);
  const list = (search: string) =>
    documentsMarkdown(all, search, searchDocuments(all, search), BASE_URL);
  assert.ok(list("stripes").includes(`[Zebras](${BASE_URL}/docs/zebra)`));
  assert.ok(list("name sorting").includes(`[Events: Sorting](${BASE_URL}/docs/events#sorting)`));
});

Deno.test("an excerpt holds the word, and is short", async () => {
  const filler = "lorem ipsum dolor ".repeat(100);
  const [document] = await documents({ "a.md": `# A\n\n${filler}needle ${filler}\n` });
  assert.ok(document);
  const [hit] = searchDocuments([document], "needle");
  assert.match(hit?.excerpt ?? "", /^… .*needle.* …$/);
  assert.ok((hit?.excerpt.length ?? 0) < 220);
});

Deno.test("an excerpt of a table reads as one, without the names of its columns", async () => {
  const all = await documents({
    "a.md": "# A\n\n| field | type | value |\n| - | - | - |\n| `id` | text | the id |\n" +
      "| `slug` | text | words |\n",
  });
  const [hit] = searchDocuments(all, "slug");
  assert.equal(hit?.excerpt, "id, text, the id; slug, text, words;");
});

Deno.test("llms.txt has one top heading, a summary, and a link to every document's markdown", async () => {
  const all = await documents(FILES);
  const index = llmsIndex(all, { baseUrl: BASE_URL, name: "Foyer", tagline: null });
  assert.match(index, /^# Foyer\n\n> \S/);
  assert.equal(index.match(/^# /gm)?.length, 1);
  for (const [, href = ""] of index.matchAll(/\]\(([^)]+)\)/g)) {
    assert.ok(href.startsWith(BASE_URL));
  }
  for (const path of ["/docs/events.md", "/api/versioning.md", "/docs/zebra.md", "/index.md"]) {
    assert.ok(index.includes(`](${BASE_URL}${path})`), path);
  }
  assert.deepEqual(index.match(/^## .*$/gm)?.slice(0, 2), ["## Show events", "## Look it up"]);
  const full = llmsFull(all, { baseUrl: BASE_URL, name: "Foyer", tagline: null });
  assert.deepEqual(full.match(/^#.*$/gm), [
    "# Foyer: all documents",
    "## Events",
    "### Sorting",
    "# a comment",
    "## Versioning",
    "## Zebras",
  ]);
});

/** The folder of documents: every file is one, filled in, in the order of reading. */

import assert from "node:assert/strict";
import { readDocuments } from "../../../lib/operate/documents/library.ts";
import { MAX_SEARCH_LENGTH, searchDocuments } from "../../../lib/operate/documents/search.ts";
import { documentsMarkdown, llmsFull, llmsIndex } from "../../../lib/operate/documents/listings.ts";
import { openFolder } from "../../support/folder.ts";

const BASE_URL = "https://events.example";

async function documents(files: Record<string, string>) {
  await using folder = await openFolder();
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder.path}/${name}`, text);
  }
  const values = { limit: "4" };
  return await readDocuments(new URL(`file://${folder.path}/`), { baseUrl: BASE_URL, values });
}

const FILES = {
  "zebra.md": "# Zebras\n\nStripes.\n",
  "versioning.md": "# Versioning\n\nWhat changes.\n\n- one\n  two\n",
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

Deno.test("a document without a heading, or with a placeholder without a value, is an error that names the file", async () => {
  await assert.rejects(documents({ "a.md": "text" }), /a\.md does not begin with a heading/);
  await assert.rejects(documents({ "a.md": "# A\n\n{{b}}" }), /a\.md: \{\{b\}\}/);
});

Deno.test("the search finds sections with all words or their synonyms, those that tell most of them first", async () => {
  const synonyms = {
    "a.md": "# A\n\nWhich projectType it has.\n\n## Category\n\nMore.\n",
  };
  const weights = {
    "a.md":
      "# A\n\n```sh\nlimit\n```\n\n## B\n\nThe limit.\n\n## C\n\n| name | use |\n| - | - |\n" +
      "| `limit` | many |\n\n## Limit\n\nText.\n",
  };
  const table: [files: Record<string, string>, search: string, hrefs: string[]][] = [
    [FILES, "stripes", ["/docs/zebra"]],
    [FILES, "NAME sorting", ["/docs/events#sorting"]],
    [FILES, "events", ["/docs/events", "/docs/events#sorting"]],
    [FILES, "what", ["/api/versioning"]],
    [FILES, "curl stripes", []],
    [FILES, "  ", []],
    [synonyms, "tag", ["/docs/a"]],
    [synonyms, "category", ["/docs/a#category", "/docs/a"]],
    // A heading counts more than a parameter, that more than text, and a sample least.
    [weights, "limit", ["/docs/a#limit", "/docs/a#c", "/docs/a#b", "/docs/a"]],
  ];
  for (const [files, search, hrefs] of table) {
    const found = searchDocuments(await documents(files), search);
    assert.deepEqual(found.map(({ href }) => href), hrefs, search);
  }
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

Deno.test("an excerpt holds the word and is short, and one of a table has not the names of its columns", async () => {
  const filler = "lorem ipsum dolor ".repeat(100);
  const table = "| field | type | value |\n| - | - | - |\n| `id` | text | the id |\n" +
    "| `slug` | text | words |\n";
  const all = await documents({
    "a.md": `# A\n\n${filler}needle ${filler}\n`,
    "b.md": `# B\n\n${table}`,
  });
  const excerptOf = (word: string) => searchDocuments(all, word)[0]?.excerpt ?? "";
  assert.match(excerptOf("needle"), /^… .*needle.* …$/);
  assert.ok(excerptOf("needle").length < 220);
  assert.equal(excerptOf("slug"), "id, text, the id; slug, text, words;");
});

Deno.test("llms.txt has one top heading, a summary, and a link to every document's markdown in its group, one without a group last", async () => {
  const all = await documents(FILES);
  const site = { baseUrl: BASE_URL, name: "Foyer", tagline: null };
  const index = llmsIndex(all.toReversed(), site);
  assert.match(index, /^# Foyer\n\n> \S/);
  assert.equal(index.match(/^# /gm)?.length, 1);
  for (const [, href = ""] of index.matchAll(/\]\(([^)]+)\)/g)) {
    assert.ok(href.startsWith(BASE_URL));
  }
  for (const path of ["/docs/events.md", "/api/versioning.md", "/docs/zebra.md", "/index.md"]) {
    assert.ok(index.includes(`](${BASE_URL}${path})`), path);
  }
  const groups = ["## Show events", "## Look it up", "## More"];
  assert.deepEqual(index.match(/^## .*$/gm)?.slice(0, 3), groups);
  const headings = ["# Foyer: all documents", "## Events", "### Sorting", "# a comment"];
  assert.deepEqual(llmsFull(all, site).match(/^#.*$/gm), [
    ...headings,
    ...["## Versioning", "## Zebras"],
  ]);
});

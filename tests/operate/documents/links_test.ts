/** The links of the documents: each leads to a document, a heading or a file that exists. */

import assert from "node:assert/strict";
import { renderDocument } from "../../../lib/operate/documents/render.ts";

const root = new URL("../../../", import.meta.url);
const folder = new URL("static/docs/", root);
/** The files that are read in the repository, where a link is relative to the file. */
const IN_THE_REPOSITORY = [
  "README.md",
  "CONTRIBUTING.md",
  "ARCHITECTURE.md",
  "bench/README.md",
  "lib/platform/kv/STORAGE.md",
];

const documents = new Map<string, string>();
for await (const { name } of Deno.readDir(folder)) {
  documents.set(name.replace(/\.md$/, ""), await Deno.readTextFile(new URL(name, folder)));
}

Deno.test("a link from one document to another leads to a document and a heading that exist", () => {
  const headings = new Map(
    [...documents].map(([name, text]) => [
      name,
      new Set(renderDocument(text).headings.map(({ id }) => id)),
    ]),
  );
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

Deno.test("a link in the files of the repository leads to a file that exists", async () => {
  for (const file of IN_THE_REPOSITORY) {
    const text = await Deno.readTextFile(new URL(file, root));
    for (const [, href = ""] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
      const target = new URL(href, new URL(file, root));
      assert.ok(await Deno.stat(target).catch(() => null), `${file}: there is no ${href}`);
    }
  }
});

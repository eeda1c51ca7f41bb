/** From markdown to HTML: anchors, boxes that scroll, tabs without script, and no HTML from the text. */

import assert from "node:assert/strict";
import { renderDocument, sectionsOf } from "../../../lib/operate/documents/render.ts";
import { find, parseHtml } from "../../site/html.ts";

const render = (markdown: string) => {
  const { html, headings } = renderDocument(markdown);
  return { html, headings, all: parseHtml(`<main>${html}</main>`) };
};

Deno.test("every heading below the title can be linked to, and no two have one address", () => {
  const { all, headings } = render("# T\n\n## A `b_c`, d!\n\n### Ä\n\n## A `b_c`, d!\n");
  assert.deepEqual(headings, [
    { level: 2, id: "a-b_c-d", text: "A b_c, d!" },
    { level: 3, id: "ä", text: "Ä" },
    { level: 2, id: "a-b_c-d-2", text: "A b_c, d!" },
  ]);
  const anchors = find(all, "a", "anchor").map(({ attributes }) => attributes["href"]);
  assert.deepEqual(anchors, headings.map(({ id }) => `#${id}`));
});

Deno.test("every heading's anchor begins with a letter", () => {
  const { headings, all } = render(
    "# T\n\n## 404 not found\n\n## 1. First\n\n## 1.0.0\n\n## _a\n\n## ?!\n\n## ?!\n\n## Section 1 0 0\n",
  );
  const ids = headings.map(({ id }) => id);
  assert.deepEqual(ids, [
    "section-404-not-found",
    "section-1-first",
    "section-1-0-0",
    "section-_a",
    "section",
    "section-2",
    "section-1-0-0-2",
  ]);
  const anchors = find(all, "a", "anchor").map(({ attributes }) => attributes["href"]);
  assert.deepEqual(anchors, ids.map((id) => `#${id}`));
});

Deno.test("a wide table or sample has a box that the keyboard can scroll", () => {
  const table = "| a | b |\n| - | - |\n| 1 | 2 |\n\n";
  const { all } = render(`${table}Text.\n\n${table}\`\`\`sh\ncurl x\n\`\`\`\n`);
  const boxes = all.filter(({ attributes }) => attributes["class"] === "scroll");
  const facts = boxes.map((
    { tag, attributes },
  ) => [tag, attributes["tabindex"], attributes["aria-label"]]);
  assert.deepEqual(facts.slice(0, 2), [["section", "0", "Table 1"], ["section", "0", "Table 2"]]);
  assert.deepEqual(facts.slice(2).map(([tag, index]) => [tag, index]), [["pre", "0"]]);
});

Deno.test("each cell of a table says its column, for screens on which a row is a list", () => {
  const { all } = render(
    "| a `b` | c |\n| - | - |\n| 1 | 2 |\n| 3 | |\n\n| d |\n| - |\n| 4 |\n",
  );
  const columns = find(all, "td").map(({ text, attributes }) => [text, attributes["data-column"]]);
  assert.deepEqual(columns, [["1", "a b"], ["2", "c"], ["3", "a b"], ["", "c"], ["4", "d"]]);
});

Deno.test("a sample says its language above the code, where the copy button comes", () => {
  const { all } = render("```json\n{}\n```\n");
  const head = all.find(({ attributes }) => attributes["class"] === "sample-head");
  assert.equal(head?.text, "JSON");
});

Deno.test("a link opens in a tab of its own if its title says so", () => {
  const { all } = render(`[One](/one "In a new tab") and [two](/two).\n`);
  const links = find(all, "a").map(({ attributes }) => [attributes["title"], attributes["target"]]);
  assert.deepEqual(links, [["In a new tab", "_blank"], [undefined, undefined]]);
});

Deno.test("samples that follow each other are tabs, of which one is chosen; an answer is not one", () => {
  const sample = (info: string) => `\`\`\`${info}\n{}\n\`\`\`\n`;
  const { all } = render(
    `${sample("ts")}\n${sample("python Python, later")}\n${sample("json")}\n${sample("sh")}`,
  );
  assert.deepEqual(find(all, "label").map(({ text }) => text), ["TypeScript", "Python, later"]);
  const inputs = find(all, "input").map(({ attributes }) => attributes);
  assert.deepEqual(inputs.map(({ checked }) => checked !== undefined), [true, false]);
  assert.equal(new Set(inputs.map(({ name }) => name)).size, 1);
  assert.equal(find(all, "pre").length, 4);
});

Deno.test("HTML in a document is text, also in samples and their names", () => {
  const hostile = "<script>alert(1)</script>";
  const { html } = render(
    `# ${hostile}\n\n## ${hostile}\n\n\`\`\`x ${hostile}\n${hostile}\n\`\`\`\n`,
  );
  assert.ok(!html.includes("<script"));
  assert.ok(!/ style=| on\w+=/.test(html));
});

Deno.test("sections are the text below each heading, a row of a table like a sentence", () => {
  const list = "- one\n- two\n- `c`: d\n\n```sh\ncurl\n```\n\n| a | b |\n| - | - |\n| `1` | 2 |\n";
  assert.deepEqual(sectionsOf(`# T\n\nIntro \`a\`.\n\n## B\n\n${list}`), [
    { id: "", title: "T", names: "", text: "Intro a.", samples: "" },
    { id: "b", title: "B", names: "c 1", text: "one two c: d 1: 2;", samples: "sh curl" },
  ]);
});

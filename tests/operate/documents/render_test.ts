/** From markdown to HTML: anchors, boxes that scroll, tabs without script, and no HTML from the text. */

import assert from "node:assert/strict";
import { renderDocument } from "../../../lib/operate/documents/render.ts";
import { find, parseHtml } from "../../site/html.ts";

const render = (markdown: string) => {
  const { html, headings } = renderDocument(markdown);
  return { html, headings, all: parseHtml(`<main>${html}</main>`) };
};

Deno.test("every heading below the title has an anchor of its own, which begins with a letter", () => {
  const titles = ["A `b_c`, d!", "A `b_c`, d!", "Ä", "404 not found", "1.0.0", "_a", "?!", "?!"];
  const { all, headings } = render(`# T\n\n${titles.map((each) => `## ${each}\n\n`).join("")}`);
  const ids = headings.map(({ id }) => id);
  const expected = "a-b_c-d a-b_c-d-2 ä section-404-not-found section-1-0-0 section-_a " +
    "section section-2";
  assert.deepEqual(ids, expected.split(" "));
  assert.deepEqual(headings[0], { level: 2, id: "a-b_c-d", text: "A b_c, d!" });
  const anchors = find(all, "a", "anchor").map(({ attributes }) => attributes["href"]);
  assert.deepEqual(anchors, ids.map((id) => `#${id}`));
});

Deno.test("a wide table or sample has a box that the keyboard can scroll", () => {
  const table = "| a | b |\n| - | - |\n| 1 | 2 |\n\n";
  const { all } = render(`${table}Text.\n\n${table}\`\`\`sh\ncurl x\n\`\`\`\n`);
  const boxes = all.filter(({ attributes }) => attributes["class"] === "scroll");
  const facts = boxes.map(({ tag, attributes }) => `${tag} ${attributes["tabindex"]}`);
  assert.deepEqual(facts, ["section 0", "section 0", "pre 0"]);
  const labels = boxes.slice(0, 2).map(({ attributes }) => attributes["aria-label"]);
  assert.deepEqual(labels, ["Table 1", "Table 2"]);
});

Deno.test("each cell of a table says its column, for screens on which a row is a list", () => {
  const { all } = render(
    "| a `b` | c |\n| - | - |\n| 1 | 2 |\n| 3 | |\n\n| d |\n| - |\n| 4 |\n",
  );
  const columns = find(all, "td").map(({ text, attributes }) => [text, attributes["data-column"]]);
  assert.deepEqual(columns, [["1", "a b"], ["2", "c"], ["3", "a b"], ["", "c"], ["4", "d"]]);
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

/** Any typed text stays text in markdown. */

import assert from "node:assert/strict";
import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { escapeText } from "../../../lib/platform/escape.ts";
import { link } from "../../../lib/platform/markdown.ts";

const markdownIt = new MarkdownIt({ html: true, linkify: false });
const tagsOf = (markdown: string) =>
  [...markdownIt.render(markdown).matchAll(/<\/?(\w+)/g)].map(([, tag]) => tag);

const typed = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(..."#*_-+=>|`~[]()<>!\\&;: 1.\n\ta"), maxLength: 40 }),
);

Deno.test("an escaped text is one paragraph of text", () => {
  fc.assert(fc.property(typed, (text) => {
    const escaped = escapeText(text);
    assert.ok(!escaped.includes("\n"));
    assert.deepEqual(tagsOf(escaped), escaped === "" ? [] : ["p", "p"], escaped);
  }));
});

Deno.test("a link has one address, with any text", () => {
  const href = "https://a.example/b_(c)?d=e f<g>\\";
  const html = markdownIt.render(link("a [b](c) *d*", href));
  const address = "https://a.example/b_(c)?d=e%20f%3Cg%3E%5C";
  assert.equal(html, `<p><a href="${address}">a [b](c) *d*</a></p>\n`);
});

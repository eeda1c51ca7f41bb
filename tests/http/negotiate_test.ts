/** Content negotiation: the vectors that libraries get wrong, and weights. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { chooseEncoding, chooseMediaType } from "../../lib/http/negotiate.ts";

const HTML_OR_MARKDOWN = ["text/html", "text/markdown"] as const;

Deno.test("the best media type is chosen, whatever form the field has", () => {
  const table = [
    [null, "text/html"],
    ["", "text/html"],
    ["*/*", "text/html"],
    ["text/*", "text/html"],
    ["text/markdown", "text/markdown"],
    ["TEXT/Markdown", "text/markdown"],
    ["text/markdown, text/html", "text/markdown"],
    ["text/html, text/markdown", "text/html"],
    ["text/markdown; charset=utf-8", "text/markdown"],
    ["text/markdown;variant=GFM", "text/markdown"],
    ["text/markdown;q=0.5, text/html;q=0.4", "text/markdown"],
    ["text/*;q=0.5, text/html;q=0.1", "text/markdown"],
    ["text/markdown,*/*", "text/markdown"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"],
    ["text/markdown;q=abc", "text/html"],
    ["application/json", null],
    ["text/html;q=0, text/markdown;q=0", null],
    ["*/*;q=0", null],
    ["text/html;q=0, */*", "text/markdown"],
    ["x".repeat(5_000), "text/html"],
  ] as const;
  for (const [accept, chosen] of table) {
    assert.equal(chooseMediaType(accept, HTML_OR_MARKDOWN), chosen, String(accept));
  }
});

Deno.test("the best encoding is chosen, brotli first among equals", () => {
  const table = [
    [null, "identity"],
    ["", "identity"],
    ["gzip", "gzip"],
    ["gzip, br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["br;q=0.5, gzip", "gzip"],
    ["*", "br"],
    ["gzip;q=0, *", "br"],
    ["br;q=0, gzip;q=0", "identity"],
    ["*;q=0", "identity"],
    ["zstd", "identity"],
  ] as const;
  for (const [field, chosen] of table) assert.equal(chooseEncoding(field), chosen, String(field));
});

Deno.test("no field throws", () => {
  fc.assert(fc.property(fc.string({ maxLength: 3_000 }), (field) => {
    chooseMediaType(field, HTML_OR_MARKDOWN);
    chooseEncoding(field);
  }));
});

/** Content negotiation: the vectors that libraries get wrong, and weights. */

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  chooseEncoding,
  chooseMediaType,
  choosePageType,
  twinOf,
  withoutTwin,
} from "../../../lib/platform/http/negotiate.ts";

const HTML = "text/html";
const MARKDOWN = "text/markdown";
const HTML_OR_MARKDOWN = [HTML, MARKDOWN] as const;

Deno.test("the best media type is chosen for unusual forms of the field", () => {
  const table = [
    [null, "text/html"],
    ["", "text/html"],
    ["TEXT/Markdown", "text/markdown"],
    ["text/markdown; charset=utf-8", "text/markdown"],
    ["text/markdown;variant=GFM", "text/markdown"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"],
    ["text/markdown;q=abc", "text/html"],
    ["text/markdown;q=0.000", null],
    ["text/markdown;Q=0, */*", "text/html"],
    ["text/markdown;variant=GFM;q=0.2, text/html;level=1;q=0.1", "text/markdown"],
    ['text/markdown;title="a,b;q=0", text/html;q=0.1', "text/markdown"],
    ["text/html;seq=0, text/markdown;q=0.5", "text/html"],
    ["text/markdown;q=2, text/html;q=0.1", "text/html"],
    ["text/markdown;q=1.001, text/html;q=0.9", "text/html"],
    ["text/markdown;q=-1, text/html;q=0.1", "text/html"],
    ["text/markdown;q=0.1234, text/html;q=0.1", "text/html"],
    [" , text/markdown ,, ", "text/markdown"],
    ["text /markdown", "text/html"],
    ["text", "text/html"],
    ["*", "text/html"],
    ["a/b,".repeat(100) + "text/markdown", "text/markdown"],
    ["x".repeat(5_000), "text/html"],
    ["text/markdown," + "a/b,".repeat(25_000), "text/html"],
  ] as const;
  for (const [accept, chosen] of table) {
    assert.equal(chooseMediaType(accept, HTML_OR_MARKDOWN), chosen, String(accept));
  }
});

Deno.test("the best encoding is chosen for unusual forms of the field", () => {
  const table = [
    [null, "identity"],
    ["", "identity"],
    ["gzip, deflate, br, zstd", "br"],
    ["GZIP", "gzip"],
    ["gzip;q=1.0, br;q=0.999", "gzip"],
    ["gzip;q=0.001", "gzip"],
    ["gzip,,br", "br"],
    ["gzip," + "br,".repeat(40_000), "identity"],
  ] as const;
  for (const [field, chosen] of table) assert.equal(chooseEncoding(field), chosen, String(field));
});

const weight = fc.constantFrom(null, 0, 0.1, 0.5, 1);
const space = fc.constantFrom("", " ", "\t");

/** Members of a field, each named once, with the weights and the text of the field. */
function weighted(names: readonly string[]) {
  return fc.tuple(
    fc.uniqueArray(fc.tuple(fc.constantFrom(...names), weight), { selector: ([name]) => name }),
    space,
  ).map(([members, space]) => ({
    members: members.map(([name, q], at) => ({ name, q: q ?? 1, at })),
    field: members.map(([name, q]) => q === null ? name : `${name}${space};${space}q=${q}`)
      .join(`,${space}`),
  }));
}

Deno.test("the media type is the one that RFC 9110's rules give, ties by name and then by order", () => {
  const ranges = weighted(["text/html", "text/markdown", "text/*", "*/*", "application/json"]);
  fc.assert(
    fc.property(ranges, ({ members, field }) => {
      const scored = HTML_OR_MARKDOWN.flatMap((type) => {
        // The most specific range that holds the type decides.
        const ranges = [type, "text/*", "*/*"];
        const [best] = ranges.flatMap((range) => members.filter(({ name }) => name === range));
        return best && best.q > 0 ? [{ type, ...best, wide: ranges.indexOf(best.name) }] : [];
      }).toSorted((a, b) => b.q - a.q || a.wide - b.wide || a.at - b.at);
      const expected = members.length === 0 ? "text/html" : scored[0]?.type ?? null;
      assert.equal(chooseMediaType(field, HTML_OR_MARKDOWN), expected, field);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("the encoding has the greatest weight, brotli before gzip before none", () => {
  fc.assert(
    fc.property(weighted(["br", "gzip", "identity", "*", "zstd"]), ({ members, field }) => {
      const given = new Map(members.map(({ name, q }) => [name, q]));
      const weightOf = (encoding: string) =>
        given.get(encoding) ?? given.get("*") ?? (encoding === "identity" ? 0.0001 : 0);
      const [best] = ["br", "gzip", "identity"].filter((encoding) => weightOf(encoding) > 0)
        .toSorted((a, b) => weightOf(b) - weightOf(a));
      assert.equal(chooseEncoding(field), best ?? "identity", field);
    }),
    { numRuns: 1_000 },
  );
});

function choose(accept: string | null, path = "/docs/proxy") {
  const headers = new Headers(accept === null ? {} : { accept });
  return choosePageType({ url: `https://foyer.example${path}`, headers });
}

Deno.test("a field that names other types alone is passed over; one that excludes both is not", () => {
  const table = [
    ["application/json", HTML],
    ["image/png, application/json;q=0.5", HTML],
    ["application/json, text/html;q=0", MARKDOWN],
    ["text/html;q=0, text/markdown;q=0", null],
    ["text/*;q=0", null],
    ["*/*;q=0", null],
    ["application/json, */*;q=0", null],
    ["application/json, */* ; q=0.0", null],
    ["text/*;q=0, */*", null],
  ] as const;
  for (const [accept, type] of table) assert.equal(choose(accept), type, String(accept));
});

Deno.test("a twin is markdown for any field, and its address is the page's with an ending", () => {
  assert.equal(choose("text/html", "/docs/proxy.md"), MARKDOWN);
  assert.equal(choose("*/*;q=0", "/index.md?status=ongoing"), MARKDOWN);
  assert.equal(choose("text/html", "/?q=a.md"), HTML);
  const twins = [
    ["/", "/index.md"],
    ["/?status=ongoing", "/index.md?status=ongoing"],
    ["/docs?q=a?b", "/docs.md?q=a?b"],
  ] as const;
  for (const [page, twin] of twins) assert.equal(twinOf(page), twin);
  for (const path of ["/", "/docs"]) assert.equal(withoutTwin(twinOf(path)), path);
  assert.equal(withoutTwin("/docs"), "/docs");
});

/** The type of a page's response: the vectors of RFC 9110 that libraries get wrong, and the markdown twins. */

import assert from "node:assert/strict";
import { choosePageType, twinOf, withoutTwin } from "../../../lib/platform/http/negotiate.ts";

const MARKDOWN = "text/markdown";
const HTML = "text/html";

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
  for (
    const [page, twin] of [
      ["/", "/index.md"],
      ["/?status=ongoing", "/index.md?status=ongoing"],
      ["/docs", "/docs.md"],
      ["/events/jam", "/events/jam.md"],
      ["/docs?q=a?b", "/docs.md?q=a?b"],
      ["/api/versioning", "/api/versioning.md"],
    ] as const
  ) assert.equal(twinOf(page), twin);
  assert.equal(withoutTwin("jam.md"), "jam");
  assert.equal(withoutTwin("jam"), "jam");
});

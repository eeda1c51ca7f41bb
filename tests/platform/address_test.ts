/** How an address is cut. */

import assert from "node:assert/strict";
import { pathOf, searchOf } from "../../lib/platform/address.ts";

Deno.test("slash runs are one slash, dot segments are resolved, and escapes stay", () => {
  const table = [
    ["https://x.example", "/"],
    ["https://x.example/a?b=//c#d", "/a"],
    ["https://x.example?/a", "/"],
    ["https://x.example#/a", "/"],
    ["https://x.example?a=b://c/d", "/"],
    ["https://x.example//a///b//", "/a/b/"],
    ["https://x.example/a/../b/./c", "/b/c"],
    ["https://x.example/%2e%2e/b", "/b"],
    ["https://x.example/../../a", "/a"],
    ["https://x.example/a%2Fb%00%ff", "/a%2Fb%00%ff"],
    ["https://x.example/ä b", "/%C3%A4%20b"],
    ["http://a b/c", "/c"],
    ["http://[::1//c/", "/c/"],
  ] as const;
  for (const [url, path] of table) assert.equal(pathOf(url), path, url);
});

Deno.test("the query string of an address begins at its first question mark and ends before its fragment", () => {
  const table = [
    ["https://x.example/a", ""],
    ["https://x.example/a?", "?"],
    ["https://x.example/a?b=c?d", "?b=c?d"],
    ["https://x.example?/a", "?/a"],
    ["https://x.example/a?b#c?d", "?b"],
    ["https://x.example/a#b?c", ""],
    ["/a?b=://c", "?b=://c"],
  ] as const;
  for (const [url, search] of table) assert.equal(searchOf(url), search, url);
});

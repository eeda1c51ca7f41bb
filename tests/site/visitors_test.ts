/** A visitor's request changes no page of another visitor. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { openSite, row, type Site } from "./site.ts";

const RECORDS = [row({ id: "recTea", "Name": "Tea" }), row()];
const PAGES = ["/", "/?statuses=upcoming", "/events/tea", "/docs", "/docs/events"];
/** The headers and parameters that runtimes, proxies and this site read. */
const PARAMETERS = ["fresh-partial", "fresh%2Dpartial", "fresh-partial%00", "__frsh_c", "w", "x"];
const HEADERS: Readonly<Record<string, string>> = {
  "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "x-forwarded-host": "evil.example",
  "x-forwarded-proto": "gopher",
  "x-fresh-id": "1",
  "accept-language": "tlh",
  "cookie": "theme=dark",
  "origin": "https://evil.example",
  "sec-purpose": "prefetch",
};

/** The bytes of a page and the headers that were prepared with them. */
async function prepared(site: Site, path: string) {
  const response = await site.get(path, { headers: { accept: "text/html" } });
  const { status, headers } = response;
  const names = ["etag", "link", "content-security-policy", "content-type"];
  return [status, ...names.map((name) => headers.get(name)), await response.text()];
}

const query = fc.array(
  fc.tuple(
    fc.oneof(fc.constantFrom(...PARAMETERS), fc.string({ maxLength: 8 }).map(encodeURIComponent)),
    fc.oneof(fc.constant("true"), fc.webQueryParameters({ size: "-1" })),
  ).map((pair) => pair.join("=")),
  { maxLength: 3 },
).map((pairs) => pairs.join("&"));
const headers = fc.oneof(
  fc.subarray(Object.entries(HEADERS)),
  fc.array(fc.tuple(
    fc.stringMatching(/^x-[a-z]{1,8}$/),
    fc.string({ unit: "grapheme-ascii", maxLength: 20 }),
  )),
).map((pairs) => Object.fromEntries(pairs));

Deno.test("the bytes of a page depend on its address and the events, on no visitor's query or header", async () => {
  const expected = new Map<string, unknown>();
  for (const path of PAGES) {
    await using site = await openSite(RECORDS);
    expected.set(path, await prepared(site, path));
  }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...PAGES),
      query,
      headers,
      fc.constantFrom("GET", "HEAD"),
      async (path, query, headers, method) => {
        await using site = await openSite(RECORDS);
        const asked = `${path}${path.includes("?") ? "&" : "?"}${query}`;
        const init = { method, headers: { ...headers, accept: "text/html" } };
        const { status } = await site.get(asked, init);
        assert.ok(status < 400, `${status} ${asked}`);
        assert.deepEqual(await prepared(site, path), expected.get(path));
      },
    ),
    { numRuns: 40, examples: [["/", "fresh-partial=true", {}, "GET"]] },
  );
});

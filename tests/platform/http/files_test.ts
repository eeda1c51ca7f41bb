/** Static files through the public door: which are served, conditional requests, and how long they may be cached. */

import assert from "node:assert/strict";
import { asset } from "fresh/runtime";
import { type Foyer, row, startFoyer } from "../../support/foyer.ts";

const FONT = "/fonts/bricolage-grotesque.woff2";

/** The address of the home page's last script, that of its filters. */
async function scriptOf(foyer: Foyer): Promise<string> {
  const html = await (await foyer.get("/")).text();
  return html.match(/\/_fresh\/js\/[\w./-]+\.js/g)?.at(-1) ?? assert.fail("no script");
}

Deno.test("a font and a picture come as they are", async () => {
  await using foyer = await startFoyer();
  for (const path of [FONT, "/icon-512.png"]) {
    const response = await foyer.get(path, { headers: { "accept-encoding": "br, gzip" } });
    const { headers } = response;
    assert.deepEqual([headers.get("content-encoding"), headers.get("vary")], [null, null]);
    const file = new URL(`../../../static${path}`, import.meta.url);
    assert.deepEqual(await response.bytes(), await Deno.readFile(file));
  }
});

Deno.test("a file is kept for ever under an address of this build, and revalidated under its own", async () => {
  await using foyer = await startFoyer({ records: [row({})] });
  const immutable = "public, max-age=31536000, immutable";
  const table = [
    [FONT, "no-cache"],
    ["/favicon.svg?x=1", "no-cache"],
    ["/favicon.svg?__frsh_c=another", "no-cache"],
    [asset(FONT), immutable],
    [await scriptOf(foyer), immutable],
  ] as const;
  for (const [path, expected] of table) {
    const { status, headers } = await foyer.get(path);
    assert.deepEqual([status, headers.get("cache-control")], [200, expected], path);
    const etag = headers.get("etag") ?? "";
    for (const asked of [etag, etag.replace("W/", ""), `"x", ${etag}`, "*"]) {
      const again = await foyer.get(path, { headers: { "if-none-match": asked } });
      assert.deepEqual(
        [again.status, again.headers.get("etag"), again.headers.get("cache-control")],
        [304, etag, expected],
      );
    }
  }
});

Deno.test("no other path is a file: folders, escapes, hidden files, the build's report", async () => {
  await using foyer = await startFoyer({ records: [row({})] });
  const hidden = new URL("../../../static/.hidden", import.meta.url);
  const script = await scriptOf(foyer);
  await Deno.writeTextFile(hidden, "hidden");
  try {
    const paths = ["/favicon.svg/x", "/%66avicon.svg", "/static/favicon.svg"]
      .concat("/.hidden", "/fonts", "/fonts/..%2ffavicon.svg")
      .concat("/main.ts", "/docs/operate", `/${"x".repeat(300)}`)
      .concat(script.replace(/[^/]+$/, "metafile.json"));
    for (const path of paths) {
      const response = await foyer.get(path);
      const isPage = /<!DOCTYPE html>/.test(await response.text());
      const expected = path === "/docs/operate" ? 200 : 404;
      assert.deepEqual([response.status, isPage], [expected, true], path);
    }
  } finally {
    await Deno.remove(hidden);
  }
});

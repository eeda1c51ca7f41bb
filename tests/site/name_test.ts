/** A site with the name of its organisation, and nothing changed but variables. */

import assert from "node:assert/strict";
import { find } from "./html.ts";
import { BASE_URL, openSite, row } from "./site.ts";

const NAME = "Harbour & <Arts>";
const ESCAPED = "Harbour &amp; &lt;Arts>";
const VARIABLES = {
  SITE_NAME: NAME,
  SITE_TAGLINE: "Concerts by the water.",
  SITE_CONTACT: "hello@harbour.example",
  SITE_LINKS: `{"Imprint":"https://harbour.example/imprint","Help":"/docs/events"}`,
};
const RECORDS = [row({ "id": "rec00000000000001", "Name": "Jam" })];
const PAGES = ["/", "/?status=upcoming", "/follow", "/events/jam", "/status", "/usage", "/docs"];
const FEEDS = ["/api/v1/events/rss", "/feed.atom", "/feed.json", "/calendar.ics"];

Deno.test("a site's own name is in every page, and the usual one in a line of the footer alone", async () => {
  await using site = await openSite(RECORDS, VARIABLES);
  for (const path of [...PAGES, "/nothing/here", "/docs?q=jam"]) {
    const { html, all } = await site.see(path);
    assert.ok(find(all, "title").some(({ text }) => text.includes(NAME)), path);
    assert.equal(find(all, "a", "wordmark")[0]?.text.trim(), NAME, path);
    assert.deepEqual(html.match(/[^<>]*\bFoyer\b[^<>]*/g), ["This site is made with Foyer."], path);
    const isAdded = path === "/";
    assert.equal(find(all, "p", "lede")[0]?.text === VARIABLES.SITE_TAGLINE, isAdded, path);
    const links = find(all, "a").map(({ attributes }) => attributes["href"]);
    for (const href of ["https://harbour.example/imprint", "mailto:hello@harbour.example"]) {
      assert.ok(links.includes(href), `${path}: ${href}`);
    }
    for (const icon of find(all, "link")) {
      if (!/icon/.test(icon.attributes["rel"] ?? "")) continue;
      assert.equal((await site.get(icon.attributes["href"] ?? "")).status, 200);
    }
  }
  for (const path of ["/", "/events/jam", "/follow"]) {
    const { html } = await site.see(path);
    assert.match(html, new RegExp(`property="og:site_name" content="${ESCAPED}"`), path);
  }
});

Deno.test("a site's own name is in feeds, calendars, descriptions, the manifest and the icon", async () => {
  await using site = await openSite(RECORDS, VARIABLES);
  const read = async (path: string) => await (await site.get(path)).text();
  for (const path of FEEDS.flatMap((path) => [path, `${path}?status=upcoming`])) {
    const text = (await read(path)).replace(/PRODID:.*|<generator>.*?<\/generator>/, "");
    assert.match(text, /Harbour/, path);
    assert.doesNotMatch(text, /\bFoyer\b/, path);
  }
  assert.match(
    await read("/llms.txt"),
    /^# Harbour .{1,2} .{1,2}Arts.*\n\n> Concerts by the water\. /,
  );
  assert.equal((await (await site.get("/api/v1/openapi.json")).json()).info.title, `${NAME} API`);
  assert.match(
    await read("/.well-known/security.txt"),
    /^# Harbour & <Arts>\nContact: mailto:hello@harbour\.example\n/,
  );
  const oembed = `/oembed?url=${encodeURIComponent(`${BASE_URL}/`)}`;
  assert.equal((await (await site.get(oembed)).json()).provider_name, NAME);
  const manifest = await (await site.get("/site.webmanifest")).json();
  assert.equal(manifest.name, NAME);
  assert.equal(manifest.description, VARIABLES.SITE_TAGLINE);
  for (const { src } of manifest.icons) assert.equal((await site.get(src)).status, 200);
  const icon = await site.get("/favicon.svg");
  assert.equal(icon.headers.get("content-type"), "image/svg+xml");
  const etag = icon.headers.get("etag") ?? "";
  assert.match(await icon.text(), />H<\/text>/);
  const again = await site.get("/favicon.svg", { headers: { "if-none-match": etag } });
  assert.equal(again.status, 304);
});

/** The files that programs request at well-known addresses. */

import assert from "node:assert/strict";
import { elementsOf } from "../support/read_xml.ts";
import { find } from "./html.ts";
import { BASE_URL, NOON, openSite, row } from "./site.ts";

const DAY = 86_400_000;

Deno.test("the sitemap has every page once, and of events when they last changed", async () => {
  await using site = await openSite([
    row({ "id": "rec00000000000001", "Name": "Jam & <b>", "Announced At": "2026-11-01T09:00:00Z" }),
    row({ "id": "rec_x-1", "Name": "日本" }),
  ]);
  const response = await site.get("/sitemap.xml");
  assert.equal(response.headers.get("content-type"), "application/xml; charset=utf-8");
  const elements = elementsOf(await response.text());
  const addresses = elements.filter(({ path }) => path === "/urlset/url/loc")
    .map(({ text }) => text);
  assert.equal(new Set(addresses).size, addresses.length);
  for (const path of ["/", "/events/jam-b", "/docs", "/docs/events", "/api/v1/docs"]) {
    assert.ok(addresses.includes(`${BASE_URL}${path}`), `${path} of ${addresses}`);
  }
  const times = elements.filter(({ path }) => path === "/urlset/url/lastmod");
  assert.equal(times.length, 3);
  assert.ok(times.some(({ text }) => text === "2026-11-01T09:00:00.000Z"));
  for (const { text } of times) assert.ok(Date.parse(text) <= NOON, text);
  const etag = response.headers.get("etag") ?? "";
  const again = await site.get("/sitemap.xml", { headers: { "if-none-match": etag } });
  assert.equal(again.status, 304);
});

Deno.test("robots may read every page, and get the address of the sitemap", async () => {
  await using site = await openSite([]);
  const response = await site.get("/robots.txt");
  assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.deepEqual((await response.text()).trimEnd().split("\n"), [
    "User-agent: *",
    "Allow: /",
    "Disallow: /proxy/",
    "",
    `Sitemap: ${BASE_URL}/sitemap.xml`,
  ]);
});

Deno.test("security.txt names the contact for vulnerabilities, and never expires on a running service; without a contact it is not there", async () => {
  await using silent = await openSite([]);
  assert.equal((await silent.get("/.well-known/security.txt")).status, 404);
  await using site = await openSite([], { SITE_CONTACT: "security@foyer.example" });
  for (const now of [NOON, NOON + 400 * DAY]) {
    site.clock.now = now;
    const response = await site.get("/.well-known/security.txt");
    assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
    const lines = (await response.text()).trimEnd().split("\n").map((line) => line.split(": "));
    const fields = new Map(lines.map(([name, value]) => [name, value]));
    assert.equal(fields.size, lines.length);
    assert.equal(fields.get("Contact"), "mailto:security@foyer.example");
    assert.equal(fields.get("Canonical"), `${BASE_URL}/.well-known/security.txt`);
    const left = Date.parse(fields.get("Expires") ?? "") - now;
    assert.ok(left > 30 * DAY && left < 365 * DAY, `${left}`);
  }
});

Deno.test("a page gives the browser's frame the colour of its ground, by day and by night", async () => {
  await using site = await openSite([]);
  const { all } = await site.see("/docs");
  const colors = find(all, "meta").map(({ attributes }) => attributes)
    .filter(({ name }) => name === "theme-color");
  assert.deepEqual(colors.map(({ media }) => media), [
    "(prefers-color-scheme: light)",
    "(prefers-color-scheme: dark)",
  ]);
  const [light, dark] = colors.map(({ content }) => content);
  const { theme_color, background_color } = await (await site.get("/site.webmanifest")).json();
  assert.deepEqual([theme_color, background_color], [light, light]);
  const [sheet] = find(all, "style");
  assert.ok(sheet?.text.includes(`--ground:light-dark(${light},${dark})`));
});

Deno.test("each icon that a page or the manifest names exists, in the stated size", async () => {
  await using site = await openSite([]);
  const { icons } = await (await site.get("/site.webmanifest")).json();
  const home = await (await site.get("/", { headers: { accept: "text/html" } })).text();
  const [, touchIcon = ""] = /rel="apple-touch-icon" href="([^"]*)"/.exec(home) ?? [];
  const named: { src: string; sizes: string }[] = [...icons, { src: touchIcon, sizes: "180x180" }];
  for (const { src, sizes } of named) {
    const response = await site.get(src);
    assert.equal(response.status, 200, src);
    const bytes = await response.bytes();
    if (sizes === "any") continue;
    // PNG, section 11.2.2: width and height are the first fields of the first chunk.
    const header = new DataView(bytes.buffer, bytes.byteOffset);
    assert.equal(`${header.getUint32(16)}x${header.getUint32(20)}`, sizes, src);
  }
});

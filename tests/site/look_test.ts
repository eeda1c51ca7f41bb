/** A site with the logo, the icon, the colour and the font of its organisation, and nothing changed but variables. */
// Not quick: a process for each picture.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { plainPng } from "../support/png.ts";
import { accentsOf } from "../../lib/events/site/site_style.ts";
import { assertStylesAllowed, find } from "./html.ts";
import { openSite, row } from "./site.ts";

const HARBOUR = new URL("../../lib/sandbox/data/harbour/", import.meta.url);
const pathOf = (name: string) => fileURLToPath(new URL(name, HARBOUR));
const FOLDER = await Deno.makeTempDir();
globalThis.addEventListener("unload", () => Deno.removeSync(FOLDER, { recursive: true }));
const ICON = `${FOLDER}/icon.png`;
const WIDE = `${FOLDER}/wide.png`;
const DARK = `${FOLDER}/dark.svg`;
await Deno.writeFile(ICON, plainPng(600, 600));
await Deno.writeFile(WIDE, plainPng(300, 60));
/** A file that would do harm as a page of its own; it is served as it is. */
const HOSTILE =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>alert(1)</script></svg>`;
await Deno.writeTextFile(DARK, HOSTILE);
const LOOK = {
  SITE_NAME: "Harbour Arts",
  SITE_COLOR: "#0a7d5b",
  SITE_LOGO: pathOf("logo.svg"),
  SITE_LOGO_DARK: DARK,
  SITE_ICON: ICON,
  SITE_FONT: pathOf("fraunces.woff2"),
};
const RECORDS = [row({ "id": "rec00000000000001", "Name": "Jam" })];
const PAGES = ["/", "/events/jam", "/follow", "/docs", "/status", "/usage", "/nothing/here"];
const FOREVER = "public, max-age=31536000, immutable";

Deno.test("every page has the site's logo beside its name, its colour, its font and its icon, and the files are served as they are", async () => {
  await using site = await openSite(RECORDS, LOOK);
  const { light, dark } = accentsOf([0x0a, 0x7d, 0x5b]);
  for (const path of PAGES) {
    const { html, all, headers } = await site.see(path);
    const [wordmark] = find(all, "a", "wordmark");
    assert.equal(wordmark?.text.trim(), "Harbour Arts", path);
    const sourceOf = (element: "img" | "source", attribute: string) =>
      find(all, element).map(({ attributes }) => attributes[attribute] ?? "")
        .find((address) => address.startsWith("/logo")) ?? assert.fail(`${path}: ${element}`);
    const links = new Map(
      find(all, "link").map(({ attributes }) => [attributes["rel"], attributes["href"] ?? ""]),
    );
    const font = /url\("(\/fonts\/site\.woff2[^"]*)"\)/.exec(html)?.[1] ?? "";
    assert.match(html, /font-display:optional/, path);
    assert.match(html, /\.wordmark img\{display:block;width:2\.25rem;height:2\.25rem/, path);
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /img-src 'self'; font-src 'self'/);
    await assertStylesAllowed(all, policy, path);
    // Later rules override, so the site's colour follows the usual one.
    const colors = [...html.matchAll(/--accent:light-dark\(([^)]*)/g)].map(([, pair]) => pair);
    assert.equal(colors.at(-1), `${light},${dark}`, path);
    const files = [
      [sourceOf("img", "src"), LOOK.SITE_LOGO],
      [sourceOf("source", "srcset"), DARK],
      [links.get("icon") ?? "", ICON],
      [links.get("apple-touch-icon") ?? "", ICON],
      [font, LOOK.SITE_FONT],
    ] as const;
    if (path !== "/") continue;
    for (const [address, file] of files) {
      const response = await site.get(address);
      assert.equal(response.status, 200, address);
      assert.equal(response.headers.get("cache-control"), FOREVER, address);
      assert.deepEqual(await response.bytes(), await Deno.readFile(file), address);
      const stale = await site.get(address.replace(/v=.*/, "v=0"));
      assert.equal(stale.headers.get("cache-control"), "no-cache", address);
      const etag = response.headers.get("etag") ?? "";
      const again = await site.get(address, { headers: { "if-none-match": etag } });
      assert.equal(again.status, 304, address);
    }
  }
  const { all } = await site.see("/nothing/here");
  assert.ok(find(all, "style").some(({ text }) => text.includes('url("/fonts/site.woff2?v=')));
});

Deno.test("no script of an organisation's SVG runs, and nothing of it is sniffed", async () => {
  await using site = await openSite(RECORDS, { ...LOOK, SITE_LOGO: DARK });
  for (const path of ["/logo.svg", "/logo-dark.svg", "/favicon.svg", "/icon.png"]) {
    const response = await site.get(path);
    assert.equal(response.status, 200, path);
    assert.equal(
      response.headers.get("content-security-policy"),
      "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      path,
    );
    assert.equal(response.headers.get("x-content-type-options"), "nosniff", path);
  }
});

Deno.test("the manifest has the site's icon in its size, or else a letter, and no icon of another site is left", async () => {
  for (const env of [LOOK, { SITE_NAME: "Harbour Arts" }, { SITE_COLOR: "#e4572e" }]) {
    await using site = await openSite(RECORDS, env);
    const { icons } = await (await site.get("/site.webmanifest")).json();
    const [{ src, sizes, type }] = icons;
    const isOwn = "SITE_ICON" in env;
    assert.deepEqual([icons.length, sizes], [1, isOwn ? "600x600" : "any"]);
    const response = await site.get(src);
    assert.deepEqual([response.status, response.headers.get("content-type")], [200, type], src);
    const touch = await site.get("/apple-touch-icon.png");
    assert.equal(touch.status, isOwn ? 200 : 404);
    const { html } = await site.see("/");
    assert.equal(html.includes("apple-touch-icon"), isOwn);
  }
});

Deno.test("pages without a picture are shared with the site's icon, if it has one", async () => {
  await using site = await openSite(RECORDS, LOOK);
  await using usual = await openSite(RECORDS, { SITE_NAME: "Harbour Arts" });
  const imageOf = async ({ see }: typeof site, path: string) =>
    find((await see(path)).all, "meta").find(({ attributes }) =>
      attributes["property"] === "og:image"
    )?.attributes["content"];
  for (const path of ["/", "/docs", "/follow"]) {
    const { pathname, search } = new URL(await imageOf(site, path) ?? assert.fail(path));
    assert.equal(pathname, "/icon.png");
    assert.equal((await site.get(pathname + search)).headers.get("cache-control"), FOREVER);
  }
  assert.match(await imageOf(site, "/events/jam") ?? "", /\/card\?v=/);
  assert.equal(await imageOf(usual, "/"), undefined);
});

Deno.test("a wide logo takes the place of the name, in a box of a fixed size", async () => {
  await using site = await openSite(RECORDS, { ...LOOK, SITE_LOGO: WIDE });
  const { html, all } = await site.see("/");
  assert.equal(find(all, "a", "wordmark")[0]?.text.trim(), "");
  assert.equal(find(all, "img")[0]?.attributes["alt"], "Harbour Arts");
  assert.match(html, /\.wordmark img\{display:block;width:10rem;height:2\.25rem/);
});

Deno.test("pictures for sharing carry a PNG logo, the colour and the font, and embeds the colour", async () => {
  const pictureOf = async (env: Record<string, string>) => {
    await using site = await openSite(RECORDS, env);
    const { html } = await site.see("/events/jam");
    const [, path = ""] = /og:image" content="https?:\/\/[^/]*([^"]*)/.exec(html) ?? [];
    const response = await site.get(path);
    assert.match(response.headers.get("cache-control") ?? "", /immutable/);
    return [path, (await response.bytes()).toBase64()];
  };
  const { SITE_NAME, SITE_COLOR, SITE_LOGO, SITE_FONT } = LOOK;
  const looks = [
    {},
    { SITE_FONT },
    { SITE_NAME },
    { SITE_NAME, SITE_COLOR },
    { SITE_NAME, SITE_LOGO: WIDE },
  ];
  const pictures = [];
  for (const look of looks) pictures.push(await pictureOf(look));
  for (const at of [0, 1]) {
    assert.equal(new Set(pictures.map((picture) => picture[at])).size, looks.length);
  }
  // An SVG is not drawn: the name stands in its place.
  const [, drawn] = await pictureOf({ SITE_NAME, SITE_LOGO });
  assert.equal(drawn, pictures[2]?.[1]);
  await using site = await openSite(RECORDS, LOOK);
  for (const path of ["/embed", "/embed/jam"]) {
    const { html, all } = await site.see(path);
    assert.match(find(all, "title")[0]?.text ?? "", / · Harbour Arts$/);
    assert.match(html, /:root\{--accent:light-dark\(#/);
    assert.doesNotMatch(html, /font-face/);
  }
});

Deno.test("the card of an event has the same pattern on its page and in an embed", async () => {
  await using site = await openSite(RECORDS);
  const patternOf = (elements: Awaited<ReturnType<typeof site.see>>["all"], name: string) =>
    find(elements, name).map(({ attributes }) => /pattern-\d/.exec(attributes["class"] ?? "")?.[0])
      .find((pattern) => pattern !== undefined) ?? assert.fail(name);
  const pattern = patternOf((await site.see("/events/jam")).all, "header");
  const { html, all } = await site.see("/embed/jam");
  assert.equal(patternOf(all, "li"), pattern);
  assert.ok(html.includes(`.${pattern}{background:var(--card-ground) `));
});

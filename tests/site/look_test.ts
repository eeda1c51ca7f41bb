/** A site with the logo, the colour and the font of its organisation, and nothing changed but variables. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import canvasKit from "canvaskit-wasm/full";
import { imageKind } from "../../lib/events/pictures/image_kind.ts";
import type { Contents } from "../../lib/events/pictures/picture_process.ts";
import { readPng } from "../sandbox/read_png.ts";
import { find, parseHtml } from "./html.ts";
import { openSite, PICTURES, row } from "./site.ts";

const HARBOUR = new URL("../../lib/sandbox/data/harbour/", import.meta.url);
const pathOf = (name: string) => fileURLToPath(new URL(name, HARBOUR));
const LOOK = {
  SITE_NAME: "Harbour Arts",
  SITE_COLOR: "#0a7d5b",
  SITE_LOGO: pathOf("logo.svg"),
  SITE_FONT: pathOf("fraunces.woff2"),
};
const RECORDS = [row({ "id": "rec00000000000001", "Name": "Jam" })];
const PAGES = ["/", "/events/jam", "/follow", "/docs", "/status", "/usage", "/nothing/here"];
const FOREVER = "public, max-age=31536000, immutable";

/** A logo in a temporary file; the caller removes it. */
async function writeLogo(width: number, height: number): Promise<string> {
  const path = await Deno.makeTempFile({ suffix: ".svg" });
  const shape = `<path fill="#0b1f3a" d="M0 0h${width}v${height}z"/>`;
  await Deno.writeTextFile(path, `<svg viewBox="0 0 ${width} ${height}">${shape}</svg>`);
  return path;
}

Deno.test("every page has the site's logo beside its name, its font and its icons, and all of them are there", async () => {
  await using site = await openSite(RECORDS, LOOK);
  for (const path of PAGES) {
    const { html, all, headers } = await site.see(path);
    const [wordmark] = find(all, "a", "wordmark");
    assert.equal(wordmark?.text.trim(), "Harbour Arts", path);
    const logo = find(all, "img").find(({ attributes }) => attributes["src"]?.startsWith("/logo"));
    assert.deepEqual(
      [logo?.attributes["alt"], logo?.attributes["width"], logo?.attributes["height"]],
      ["", "48", "48"],
      path,
    );
    assert.match(html, /--display:Own,"Own Fallback",system-ui,sans-serif/, path);
    assert.doesNotMatch(html, /as="font"[^>]*bricolage|bricolage[^>]*as="font"/, path);
    assert.match(headers.get("content-security-policy") ?? "", /img-src 'self'; font-src 'self'/);
    const files = [
      logo?.attributes["src"],
      /url\("(\/fonts\/site\.woff2[^"]*)"\)/.exec(html)?.[1],
      ...find(all, "link").filter(({ attributes }) => /icon/.test(attributes["rel"] ?? ""))
        .map(({ attributes }) => attributes["href"]),
    ];
    assert.equal(files.length, 4, path);
    if (path !== "/") continue;
    for (const file of files) {
      const response = await site.get(file ?? "");
      assert.equal(response.status, 200, file);
      assert.equal(response.headers.get("cache-control"), FOREVER, file);
      const bytes = await response.bytes();
      const stale = await site.get((file ?? "").replace(/v=.*/, "v=0"));
      assert.equal(stale.headers.get("cache-control"), "no-cache", file);
      assert.deepEqual(await stale.bytes(), bytes);
      const etag = response.headers.get("etag") ?? "";
      const again = await site.get(file ?? "", { headers: { "if-none-match": etag } });
      assert.equal(again.status, 304, file);
    }
    const preload = find(all, "link").find(({ attributes }) => attributes["rel"] === "preload");
    // A page with a script loads it after its first paint.
    assert.equal(preload, undefined);
  }
  const { all } = await site.see("/nothing/here");
  const preload = find(all, "link").find(({ attributes }) => attributes["rel"] === "preload");
  assert.match(preload?.attributes["href"] ?? "", /^\/fonts\/site\.woff2\?v=/);
});

Deno.test("the manifest's icons are painted from the logo, in the sizes that it says", async () => {
  const addresses = new Set<string>();
  for (const env of [LOOK, { SITE_NAME: "Harbour Arts" }, { SITE_COLOR: "#e4572e" }]) {
    await using site = await openSite(RECORDS, env);
    const { icons } = await (await site.get("/site.webmanifest")).json();
    assert.equal(icons.length, 4);
    for (const { src, sizes, type } of icons) {
      const response = await site.get(src);
      assert.deepEqual([response.status, response.headers.get("content-type")], [200, type], src);
      assert.match(
        response.headers.get("content-security-policy") ?? "",
        /^default-src 'none'.*sandbox$/,
      );
      const bytes = await response.bytes();
      addresses.add(src);
      if (type !== "image/png") continue;
      const kind = imageKind(bytes);
      assert.equal(`${kind?.width}x${kind?.height}`, sizes);
      // There is a drawing on the background.
      const { rows } = readPng(bytes);
      assert.ok(new Set(rows).size > 5, src);
    }
  }
  assert.equal(addresses.size, 12);
});

Deno.test("an icon that was painted without its logo is not kept for long", async () => {
  let [lacksImage, painted] = [true, 0];
  const paint = async (contents: Contents) => {
    painted++;
    return { ...await PICTURES.paint(contents), lacksImage };
  };
  await using site = await openSite(RECORDS, LOOK, { pictures: { ...PICTURES, paint } });
  const { icons } = await (await site.get("/site.webmanifest")).json();
  const cacheControls = () =>
    Promise.all(icons.map(async ({ src, type }: { src: string; type: string }) => {
      const response = await site.get(src);
      await response.body?.cancel();
      return type === "image/png" ? response.headers.get("cache-control") : [];
    })).then((all) => [...new Set(all.flat())]);
  assert.deepEqual(await cacheControls(), ["no-cache"]);
  lacksImage = false;
  site.clock.now += 2 * 3_600_000;
  assert.deepEqual(await cacheControls(), [FOREVER]);
  const before = painted;
  assert.deepEqual(await cacheControls(), [FOREVER]);
  assert.equal(painted, before);
});

Deno.test("pages without a picture are shared with the site's icon, if it has its own", async () => {
  await using site = await openSite(RECORDS, LOOK);
  await using usual = await openSite(RECORDS);
  const imageOf = async ({ see }: typeof site, path: string) =>
    find((await see(path)).all, "meta").find(({ attributes }) =>
      attributes["property"] === "og:image"
    )?.attributes["content"];
  for (const path of ["/", "/docs", "/follow"]) {
    const { pathname, search } = new URL(await imageOf(site, path) ?? assert.fail(path));
    assert.equal(pathname, "/icon-512.png");
    assert.equal((await site.get(pathname + search)).headers.get("cache-control"), FOREVER);
  }
  assert.match(await imageOf(site, "/events/jam") ?? "", /\/card\?v=/);
  assert.equal(await imageOf(usual, "/"), undefined);
});

Deno.test("a wide logo takes the place of the name, and the icon is a letter", async () => {
  const path = await writeLogo(300, 60);
  await using site = await openSite(RECORDS, { ...LOOK, SITE_LOGO: path });
  const { html, all } = await site.see("/");
  assert.equal(find(all, "a", "wordmark")[0]?.text.trim(), "");
  assert.equal(find(all, "img")[0]?.attributes["alt"], "Harbour Arts");
  assert.match(await (await site.get("/favicon.svg")).text(), />H<\/text>/);
  const skia = await canvasKit.default();
  const icon = skia.MakeImageFromEncoded(await (await site.get("/icon-512.png")).bytes());
  const pixels = icon?.readPixels(0, 0, {
    width: 512,
    height: 512,
    alphaType: skia.AlphaType.Unpremul,
    colorType: skia.ColorType.RGBA_8888,
    colorSpace: skia.ColorSpace.SRGB,
  }) ?? assert.fail();
  const isInk = (at: number) => pixels[4 * at] !== pixels[0];
  const ink = Array.from({ length: 512 * 512 }, (_, at) => at).filter(isInk);
  const [above = 0, below = 0] = [ink[0], ink.at(-1)].map((at = 0) => Math.floor(at / 512));
  assert.ok(Math.abs(above + below - 511) < 4, `The letter stands from ${above} to ${below}.`);
  assert.ok(ink.length > 0.1 * 512 * 512, "The letter is bold.");
  // Navy on black is invisible.
  assert.match(html, /@media\(prefers-color-scheme:dark\)\{\.wordmark img\{background:#fcfaf5/);
  await Deno.remove(path);
});

Deno.test("a logo in place of the name is as high as the name, unless it would be too wide", async () => {
  for (const [width, height] of [[300, "2rem"], [780, "1rem"]] as const) {
    const path = await writeLogo(width, 60);
    await using site = await openSite(RECORDS, { ...LOOK, SITE_LOGO: path });
    const { html } = await site.see("/");
    assert.equal(/\.wordmark img\{height:([^;]+)/.exec(html)?.[1], height);
    await Deno.remove(path);
  }
});

Deno.test("an icon is square, whatever shape its logo has", async () => {
  const path = await writeLogo(60, 50);
  await using site = await openSite(RECORDS, { ...LOOK, SITE_LOGO: path });
  const { attributes } = parseHtml(await (await site.get("/favicon.svg")).text())[0] ??
    assert.fail();
  assert.equal(attributes["width"], attributes["height"]);
  await Deno.remove(path);
});

Deno.test("a logo that cannot be read breaks no page: the name stands in its place, and the log says why once", async () => {
  await using site = await openSite(RECORDS, { SITE_LOGO: "./no-such-logo.svg" });
  for (const path of PAGES) {
    const { all } = await site.see(path);
    assert.equal(find(all, "a", "wordmark")[0]?.text.trim(), "Foyer", path);
    assert.ok(!find(all, "img").some(({ attributes }) => attributes["src"]?.startsWith("/logo")));
  }
  assert.equal((await site.get("/logo.svg")).status, 404);
  const lines = site.logged.filter((line) => line.includes("SITE_LOGO"));
  assert.equal(lines.length, 1);
});

Deno.test("pictures for sharing carry the logo, the colour and the font, and embeds the colour", async () => {
  const pictureOf = async (env: Record<string, string>) => {
    await using site = await openSite(RECORDS, env);
    const { html } = await site.see("/events/jam");
    const [, path = ""] = /og:image" content="https?:\/\/[^/]*([^"]*)/.exec(html) ?? [];
    const response = await site.get(path);
    assert.match(response.headers.get("cache-control") ?? "", /immutable/);
    return [path, (await response.bytes()).toBase64()];
  };
  const { SITE_NAME, SITE_COLOR, SITE_LOGO, SITE_FONT } = LOOK;
  const wide = await writeLogo(300, 60);
  const looks = [{}, { SITE_FONT }, { SITE_NAME }, { SITE_NAME, SITE_COLOR }, {
    SITE_NAME,
    SITE_LOGO,
  }, {
    ...LOOK,
    SITE_LOGO: wide,
  }, LOOK];
  const pictures = [];
  for (const look of looks) pictures.push(await pictureOf(look));
  for (const at of [0, 1]) {
    assert.equal(new Set(pictures.map((picture) => picture[at])).size, looks.length);
  }
  await Deno.remove(wide);
  await using site = await openSite(RECORDS, LOOK);
  for (const path of ["/embed", "/embed/jam"]) {
    const { html, all } = await site.see(path);
    assert.match(find(all, "title")[0]?.text ?? "", / · Harbour Arts$/);
    assert.match(html, /:root\{--accent:light-dark\(#/);
    assert.doesNotMatch(html, /font-face/);
  }
});

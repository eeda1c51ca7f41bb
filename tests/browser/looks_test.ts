/** Random looks of sites in a browser: colours, widths, and what is painted first. */
// Not quick: pages are drawn.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { readLogo } from "../../lib/events/look/logo.ts";
import { encodePng } from "../../lib/sandbox/png.ts";
import { PICTURES } from "../site/site.ts";
import { row, startFoyer } from "../support/foyer.ts";
import { assertNotTooWide, browserTest, findings, startVisit, visit, watchPage } from "./visit.ts";

const { browser } = await startVisit();
const HARBOUR = new URL("../../lib/sandbox/data/harbour/", import.meta.url);
const FONT = fileURLToPath(new URL("fraunces.woff2", HARBOUR));
/** Each takes two seconds: LOOKS=20 tries more. */
const LOOKS = Number(Deno.env.get("LOOKS") || 5);
/** A page led by pictures, and a page of text. */
const PATHS = ["/events/winter-jam", "/docs/usage"] as const;
const RECORDS = [
  row({ "Name": "Winter jam", "Description": "A week of https://example.org/games." }),
];

const hexDigits = fc.stringMatching(/^[\da-f]{6}$/);
const anyLook = fc.record({
  color: hexDigits,
  logo: fc.constantFrom("symbol", "wide", "png", null),
  ink: fc.oneof(hexDigits.map((digits) => `#${digits}`), fc.constant("currentColor")),
  hasFont: fc.boolean(),
  name: fc.constantFrom("Ö", "Harbour Arts", "The Society for Small Machines That Sing at Night"),
});

browserTest(
  "with any look, a site's colours are legible, nothing moves, and nothing more is loaded before the first paint",
  async () => {
    const folder = await Deno.makeTempDir();
    // The same seed in each run, so that a failure can be examined.
    const looks = fc.sample(anyLook, { numRuns: LOOKS, seed: 7 });
    assert.ok(new Set(looks.map(({ logo }) => logo)).size > 2, "the seed gives too little");
    for (const [at, { color, logo, ink, hasFont, name }] of looks.entries()) {
      const [width, height] = logo === "wide" ? [500, 60] : [80, 80];
      const path = `${folder}/logo.${logo === "png" ? "png" : "svg"}`;
      const palette = Uint8Array.of(20, 60, 140);
      const shape = `<path fill="${ink}" d="M0 0h${width}v${height}z"/>`;
      await (logo === "png"
        ? Deno.writeFile(path, encodePng({ width, height, indexes: new Uint8Array(6400), palette }))
        : Deno.writeTextFile(path, `<svg viewBox="0 0 ${width} ${height}">${shape}</svg>`));
      await using foyer = await startFoyer({
        records: RECORDS,
        env: {
          SITE_NAME: name,
          SITE_COLOR: `#${color}`,
          SITE_LINKS: `{"Imprint":"https://example.org/imprint","Become a member":"/docs"}`,
          ...logo !== null && { SITE_LOGO: path },
          ...hasFont && { SITE_FONT: FONT },
        },
      });
      await using context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      for (const address of PATHS) {
        // A new page: its caches are empty, and no transition delays the first paint.
        const { page, complaints } = await watchPage(context, foyer);
        await page.clock.setFixedTime(foyer.clock.now);
        const what = JSON.stringify({ address, color, logo, ink, hasFont, name });
        await visit(page, `${foyer.origin}${address}`);
        const { shift, moved, early, largest } = await page.evaluate(async () => {
          await document.fonts.ready;
          const entries = (type: string) => {
            const observer = new PerformanceObserver(() => {});
            observer.observe({ type, buffered: true });
            return observer.takeRecords();
          };
          const paint = entries("paint").find(({ name }) => name === "first-paint")?.startTime ?? 0;
          const last = entries("largest-contentful-paint").at(-1);
          const shifts = entries("layout-shift");
          const sourcesOf = (record: PerformanceEntry): { node?: Element | null }[] =>
            Reflect.get(record, "sources");
          return {
            shift: shifts.reduce((sum, record) => sum + Number(Reflect.get(record, "value")), 0),
            moved: shifts.flatMap(sourcesOf).map(({ node }) =>
              `${node?.nodeName}.${node?.className}`
            ),
            early: entries("resource").filter(({ startTime }) => startTime < paint)
              .map(({ name }) => new URL(name).pathname),
            largest: (last && Reflect.get(last, "element") as Element | null)?.outerHTML ?? "",
          };
        });
        assert.ok(shift < 0.02, `${what}: ${moved} moved by ${shift}`);
        // Upstream Fresh loads the scripts of islands at once.
        const isExpected = (each: string) => /^\/(?:_fresh|logo\.|favicon|events)\b/.test(each);
        assert.deepEqual(early.filter((each) => !isExpected(each)), [], what);
        assert.doesNotMatch(largest, /^<img[^>]*src="\/logo/, what);
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          // Nothing but colours differs from look to look, and an event's page has its own.
          if (at > 0 && address === PATHS[0]) continue;
          const rules = at === 0 && colorScheme === "light" ? "all" : "colors";
          assert.deepEqual(await findings(page, rules), [], `${what} ${colorScheme}`);
        }
        await page.setViewportSize({ width: 320, height: 640 });
        await assertNotTooWide(page, what);
        assert.deepEqual(complaints, [], what);
        await page.close();
      }
    }
    await Deno.remove(folder, { recursive: true });
  },
);

/** Everything that a logo may be drawn with. */
const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80">
  <style>.a{fill:#0a7d5b}@media print{.a{fill:red}}</style>
  <defs>
    <linearGradient id="l" x2="1" y2="1"><stop stop-color="#ff7a18"/><stop offset="1" stop-color="#af002d"/></linearGradient>
    <radialGradient id="r" href="#l" gradientUnits="userSpaceOnUse" cx="60" cy="20" r="18" spreadMethod="reflect"/>
    <clipPath id="c"><circle cx="20" cy="20" r="14"/><path clip-rule="evenodd" d="M4 4h14v14H4zM8 8h6v6H8z"/></clipPath>
    <mask id="m" fill="white"><rect x="-4" y="2" width="30" height="24" rx="8"/></mask>
  </defs>
  <rect width="100%" height="100%" fill="#eef"/>
  <g clip-path="url(#c)"><rect width="40" height="40" fill="url(#l)"/></g>
  <rect x="40" y="36" width="40" height="10" fill="url(#l)"/>
  <ellipse cx="60" cy="20" rx="18" ry="14" fill="url(#r)" fill-opacity=".8"/>
  <g transform="translate(6 44) rotate(8) scale(.9 1.1)" opacity=".8">
    <path id="p" class="a" fill-rule="evenodd" d="M0 0h28v26H0zM7 7v12h14V7z"/>
    <path d="M7 13q4-5 7 0t7 0" fill="none" stroke="#123" stroke-width="3" stroke-linecap="round" stroke-dasharray="6 4"/>
  </g>
  <use href="#p" x="46" y="42" mask="url(#m)"/>
</svg>`;

browserTest("a logo looks in pages and in painted icons as its own file does", async () => {
  const { bytes, drawing } = readLogo(new TextEncoder().encode(DRAWING));
  const colors = { ground: "#fcfaf5", ink: "#221b16" };
  const logo = { width: 80, height: 80, isWordmark: false, drawing };
  const facts = { side: 250, letter: "", isMaskable: false, ...colors, logo };
  const icon = await PICTURES.paint({
    version: "drawing",
    drawing: { kind: "icon", facts },
    files: {},
  });
  await using context = await browser.newContext();
  const page = await context.newPage();
  const svg = (file: Uint8Array) => `data:image/svg+xml;base64,${file.toBase64()}`;
  const differences = await page.evaluate(async ([original = "", served = "", painted = ""]) => {
    const pixelsOf = async (source: string, at: number, side: number) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = new OffscreenCanvas(250, 250).getContext("2d");
      if (canvas === null) throw new Error("no canvas");
      canvas.fillStyle = "#fcfaf5";
      canvas.fillRect(0, 0, 250, 250);
      canvas.drawImage(image, at, at, side, side);
      return canvas.getImageData(0, 0, 250, 250).data;
    };
    const expected = await pixelsOf(original, 35, 180);
    const others = [await pixelsOf(served, 35, 180), await pixelsOf(painted, 0, 250)];
    return others.map((pixels) =>
      pixels.reduce((sum, value, at) => sum + Math.abs(value - (expected[at] ?? 0)), 0) /
      pixels.length
    );
  }, [
    svg(new TextEncoder().encode(DRAWING)),
    svg(bytes),
    `data:image/png;base64,${icon.bytes.toBase64()}`,
  ]);
  // Edges are smoothed differently; a missing shape makes a hundred times the difference.
  assert.ok(differences.every((each) => each < 0.2), `${differences}`);
});

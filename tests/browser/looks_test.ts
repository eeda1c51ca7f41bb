/** Random looks of sites in a browser: colours, widths, and what is painted first. */
// Not quick: pages are drawn.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { plainPng } from "../support/png.ts";
import { openFolder } from "../support/folder.ts";
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
    await using folder = await openFolder();
    // The same seed in each run, so that a failure can be examined.
    const looks = fc.sample(anyLook, { numRuns: LOOKS, seed: 7 });
    assert.ok(new Set(looks.map(({ logo }) => logo)).size > 2, "the seed gives too little");
    for (const [at, { color, logo, ink, hasFont, name }] of looks.entries()) {
      const [width, height] = logo === "wide" ? [500, 60] : [80, 80];
      const path = `${folder.path}/logo.${logo === "png" ? "png" : "svg"}`;
      const shape = `<path fill="${ink}" d="M0 0h${width}v${height}z"/>`;
      await (logo === "png"
        ? Deno.writeFile(path, plainPng(width, height))
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
        assert.ok(shift < 0.01, `${what}: ${moved} moved by ${shift}`);
        // Upstream Fresh loads the scripts of islands at once.
        const isExpected = (each: string) =>
          /^\/(?:_fresh|fonts|logo\.|favicon|events)\b/.test(each);
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
  },
);

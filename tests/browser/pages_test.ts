/** Every page in a browser: wide and narrow, light and dark, with and without script. */

import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { Page, Response } from "playwright-core";
import {
  assertNotTooWide,
  browserTest,
  durations,
  findings,
  isRuntime,
  NARROW,
  ringsMissing,
  startVisit,
  visit,
  watchPage,
  WIDE,
} from "./visit.ts";

/**
 * The four looks. What depends on the layout is judged once for each layout, and colours in each look: axe takes
 * seconds for the longest page.
 */
const LOOKS = [
  { colorScheme: "light", viewport: WIDE, rules: "all" },
  { colorScheme: "dark", viewport: WIDE, rules: "colors" },
  { colorScheme: "dark", viewport: NARROW, rules: "all" },
  { colorScheme: "light", viewport: NARROW, rules: "colors" },
] as const;
/** About A4, in the pixels of a style sheet. */
const PAPER = { width: 720, height: 1000 };
/** Elements that a visitor can press. */
const CONTROLS = "main :is(button, select, textarea, input:not([type=radio])), .site-head nav";

/** Pages by their names, one of each kind. */
const PAGES: Readonly<Record<string, string>> = {
  home: "/",
  list: "/?view=list",
  filtered: "/?status=upcoming&format=online",
  year: "/?status=ended&year=2026",
  empty: "/?q=nothing+has+these+words",
  event: "/events/a-day-of-soldering",
  unbroken: "/events/donaudampfschifffahrtselektrizitatenhauptbetriebswerkbau",
  follow: "/follow?status=upcoming&format=online",
  documents: "/docs",
  found: "/docs?q=limit",
  document: "/docs/proxy",
  embed: "/docs/embed",
  leaked: "/keys/leaked",
  reference: "/api/v1/docs",
  versioning: "/api/versioning",
  usage: "/usage",
  account: "/account",
  status: "/status",
  missing: "/events/there-is-no-such-event",
};

/** Pages on which nothing needs a script: text without samples. */
const WITHOUT_ISLANDS = new Set([
  "documents",
  "found",
  "versioning",
  "account",
  "status",
  "missing",
]);
/** The limit of the app's scripts, compressed, as either runtime builds them; `lib/platform/fresh` has a limit of its own. */
const MAX_SCRIPT_BYTES = 11.25 * 1024;

/** Chromium's own message about a missing document. */
const MISSING = /^error: Failed to load resource: the server responded with a status of 404/;

const { foyer, browser } = await startVisit();

for (const [name, path] of Object.entries(PAGES)) {
  browserTest(
    `${path}: nothing to complain of, and little script, wide and narrow, light, dark and printed`,
    async () => {
      await using context = await browser.newContext({ viewport: NARROW });
      const { page, complaints } = await watchPage(context, foyer);
      await visit(page, `${foyer.origin}${path}`);
      await assertUnmoved(page, `${name}, narrow`);
      await page.setViewportSize(WIDE);
      const scripts: Response[] = [];
      page.on("response", (response) => {
        if (response.request().resourceType() === "script") scripts.push(response);
      });
      const response = await visit(page, `${foyer.origin}${path}`);
      assert.equal(response?.status(), name === "missing" ? 404 : 200);
      await assertUnmoved(page, name);
      for (const { colorScheme, viewport, rules } of LOOKS) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.setViewportSize(viewport);
        const look = `${name}-${colorScheme}-${viewport.width}`;
        assert.deepEqual(await findings(page, rules), [], look);
        if (rules === "colors") continue;
        await assertNotTooWide(page, look);
        // On the home page the organisation's sentence stands beside the heading.
        const heading = page.locator("main :is(.hello, h1:not(.hello > h1))");
        const room = await heading.evaluate((heading) => heading.clientWidth);
        assert.ok(room > 0.4 * viewport.width, `${look}: ${room} pixels for the heading`);
        assert.deepEqual(await durations(page), [], look);
      }
      // The search's excerpts are plain text, also of samples.
      assert.ok(name === "found" || !(await textOutsideCode(page)).includes("`"), "raw backticks");
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      await page.setViewportSize(PAPER);
      await assertNotTooWide(page, `${name} on paper`);
      assert.deepEqual(await findings(page, "colors"), [], `${name} on paper`);
      assert.deepEqual(await paintedParts(page), [], `${name} on paper`);
      assert.equal(await page.locator(CONTROLS).filter({ visible: true }).count(), 0, name);
      await page.emulateMedia({ media: "screen" });
      const own = scripts.filter((script) => !isRuntime(script.url()));
      const weight = (await Promise.all(own.map((script) => script.body()))).reduce(
        (sum, code) => sum + gzipSync(code).length,
        0,
      );
      assert.equal(scripts.length === 0, WITHOUT_ISLANDS.has(name), `${scripts.length} scripts`);
      assert.ok(weight < MAX_SCRIPT_BYTES, `${weight} bytes of script`);
      for (const viewport of [WIDE, NARROW]) {
        await page.setViewportSize(viewport);
        assert.deepEqual(await ringsMissing(page), [], `${name} at ${viewport.width}`);
      }
      assert.deepEqual(complaints.filter((each) => name !== "missing" || !MISSING.test(each)), []);
    },
  );
}

/** The elements whose `::before` or `::after` is painted with an image, which hides words where axe does not see it. */
async function paintedParts(page: Page): Promise<string[]> {
  return await page.evaluate(() =>
    [...document.querySelectorAll("main *")].filter((element) =>
      ["::before", "::after"].some((part) => {
        const { content, display, backgroundImage } = getComputedStyle(element, part);
        return content !== "none" && display !== "none" && backgroundImage !== "none";
      })
    ).map(({ outerHTML }) => outerHTML.slice(0, 120))
  );
}

browserTest(
  "with text twice as large every page fits, and no card cuts its words off",
  async () => {
    await using context = await browser.newContext({ viewport: { width: 640, height: 900 } });
    const { page } = await watchPage(context, foyer);
    for (const [name, path] of Object.entries(PAGES)) {
      await page.goto(`${foyer.origin}${path}`);
      const size = () => page.evaluate(() => parseFloat(getComputedStyle(document.body).fontSize));
      const before = await size();
      await page.evaluate(() => document.documentElement.style.fontSize = "200%");
      assert.ok(await size() > 1.7 * before, name);
      await assertNotTooWide(page, `${name} with large text`);
      assert.deepEqual(await cutOff(page), [], name);
    }
  },
);

browserTest(
  "nothing moves for those who want no motion, and something does for the others",
  async () => {
    await using context = await browser.newContext();
    const { page } = await watchPage(context, foyer);
    const moving = () => page.evaluate(() => document.getAnimations().length);
    for (const path of [PAGES["home"], PAGES["event"]]) {
      await page.emulateMedia({ reducedMotion: "reduce" });
      await page.goto(`${foyer.origin}${path}`);
      await page.locator(".card").first().hover();
      assert.equal(await moving(), 0, path);
      await page.emulateMedia({ reducedMotion: "no-preference" });
      assert.ok(await moving() > 0, path);
      // The mark of an ongoing event pulses a few times; every other animation ends in a quarter of a second.
      const long = (await durations(page)).filter((each) => each < 150 || each > 250);
      assert.deepEqual(long, [1_500], path);
    }
  },
);

browserTest("without script every page says the same, and fits a narrow screen", async () => {
  await using context = await browser.newContext({ javaScriptEnabled: false, viewport: NARROW });
  const { page, complaints } = await watchPage(context, foyer);
  for (const [name, path] of Object.entries(PAGES)) {
    const response = await page.goto(`${foyer.origin}${path}`);
    await assertNotTooWide(page, `${name} without script`);
    assert.match(await response?.text() ?? "", /<h1[ >]/, path);
  }
  assert.deepEqual(complaints.filter((each) => !MISSING.test(each)), []);
});

/** Fails if a page's layout shifted after its first paint. */
async function assertUnmoved(page: Page, what: string): Promise<void> {
  const shift = await page.evaluate(async () => {
    await document.fonts.ready;
    const observer = new PerformanceObserver(() => {});
    observer.observe({ type: "layout-shift", buffered: true });
    return observer.takeRecords().reduce(
      (sum, record) => sum + Number(Reflect.get(record, "value")),
      0,
    );
  });
  assert.ok(shift < 0.01, `${what}: ${shift}`);
}

/** The visible words of a page that are not code. */
async function textOutsideCode(page: Page): Promise<string> {
  return await page.evaluate(() => {
    const texts = document.createTreeWalker(
      document.body,
      NodeFilter.SHOW_TEXT,
      (text) =>
        text.parentElement?.closest("code, script, style, textarea")
          ? NodeFilter.FILTER_REJECT
          : NodeFilter.FILTER_ACCEPT,
    );
    const found: string[] = [];
    while (texts.nextNode() !== null) found.push(texts.currentNode.textContent ?? "");
    return found.join("");
  });
}

/**
 * The cards that are lower than the words in them. Each is scrolled into view first: until then its height is an
 * estimate.
 */
async function cutOff(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    const nextFrame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    const found: string[] = [];
    for (const card of document.querySelectorAll(".card")) {
      card.scrollIntoView({ block: "center" });
      await nextFrame();
      await nextFrame();
      const { top, bottom } = card.getBoundingClientRect();
      const isCutOff = [...card.querySelectorAll(".card-top, .card-words")].some((part) => {
        const place = part.getBoundingClientRect();
        return place.top < top - 0.5 || place.bottom > bottom + 0.5;
      });
      if (isCutOff) found.push(card.textContent.slice(0, 60));
    }
    return found;
  });
}

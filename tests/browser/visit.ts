/** Shared parts of the tests of pages in a browser: a Foyer over some of the sample, and watched pages. */

import assert from "node:assert/strict";
import axe from "axe-core";
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Page,
  Response,
} from "playwright-core";
import type { StandInRecord } from "../../lib/sandbox/records.ts";
import { sampleRecords } from "../../lib/sandbox/sample.ts";
import { startChromium } from "../support/chromium.ts";
import { type Foyer, row, startFoyer } from "../support/foyer.ts";
import { pngFile } from "../support/png.ts";

/** The number of sample events. Only the first few have pictures, because each takes a process. */
const SAMPLE_FROM = "2026-11-10";
const SAMPLE_LENGTH = 24;
const WITH_PICTURES = 3;
const LOGO = pngFile(96, 96);
/** Enough for the page with the sign-in button, which makes no request to the provider. */
const SIGN_IN = {
  SIGN_IN_ISSUER: "https://id.example",
  SIGN_IN_CLIENT_ID: "foyer",
  SIGN_IN_CLIENT_SECRET: "identity-test-no-secret",
};
/** Screens that pages are judged on. */
export const WIDE = { width: 1280, height: 900 };
export const NARROW = { width: 320, height: 640 };
/** A busy machine may be slow. */
const PATIENCE_MILLISECONDS = 120_000;

/** A server that listens, and a browser without cookies or cache. */
interface Visit {
  readonly foyer: Foyer;
  readonly browser: Browser;
}

/** A page, and its faults. */
export interface Watched {
  readonly page: Page;
  /** Console messages (with violations of the policy), errors, and requests to other sites. */
  readonly complaints: string[];
}

let started: Promise<Visit> | null = null;

/** Starts both, once for all files that share this isolate; they end after the last test. */
export function startVisit(): Promise<Visit> {
  return started ??= start();
}

async function start(): Promise<Visit> {
  const [browser, foyer] = await Promise.all([
    startChromium(),
    startFoyer({ records: events(), env: SIGN_IN }),
  ]);
  Deno.test.afterAll(async () => {
    await browser.close();
    await foyer[Symbol.asyncDispose]();
  });
  return { browser, foyer };
}

/** A browser keeps a pipe and a process between tests. */
export function browserTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });
}

/** A test of one page in a browser of its own, at the server's time. It fails if the page complains. */
export function pageTest(
  name: string,
  options: BrowserContextOptions,
  run: (page: Page, context: BrowserContext) => Promise<void>,
): void {
  browserTest(name, async () => {
    const { browser, foyer } = await startVisit();
    await using context = await browser.newContext(options);
    const { page, complaints } = await watchPage(context, foyer);
    await run(page, context);
    assert.deepEqual(complaints, []);
  });
}

/** Opens an empty page with the server's time, and listens to it. */
export async function watchPage(
  context: BrowserContext,
  { origin, clock }: Foyer,
): Promise<Watched> {
  context.setDefaultTimeout(PATIENCE_MILLISECONDS);
  const page = await context.newPage();
  await page.clock.setFixedTime(clock.now);
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`thrown: ${error.message}`));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`elsewhere: ${request.url()}`);
  });
  return { page, complaints };
}

/** Goes to an address, and waits until what needs a script there has one. */
export async function visit(page: Page, address: string): Promise<Response | null> {
  const response = await page.goto(address);
  await waitForIslands(page);
  return response;
}

/** Waits until every island of a page has been taken over by its script, which removes the comments around it. */
export async function waitForIslands(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const comments = document.createTreeWalker(document.body, NodeFilter.SHOW_COMMENT);
    while (comments.nextNode()) {
      if (comments.currentNode.nodeValue?.startsWith("frsh:island:")) return false;
    }
    return document.readyState === "complete";
  });
  // A runtime may draw each island in a task of its own. Preact runs effects in a task after the next frame.
  await page.evaluate(() =>
    new Promise((resolve) => setTimeout(() => requestAnimationFrame(() => setTimeout(resolve))))
  );
}

/** Whether an address is that of the runtime's own script; both runtimes give it the same name. */
export function isRuntime(address: string): boolean {
  return address.endsWith("/fresh-runtime.js");
}

/** Fails if the page can be moved sideways. */
export async function assertNotTooWide(page: Page, what: string): Promise<void> {
  const tooWide = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    return [...document.querySelectorAll("body *")]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 0.5)
      .map((element) => element.outerHTML.slice(0, 120));
  });
  assert.deepEqual(tooWide, [], what);
}

/** The rules whose result depends on colours. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

/** The violations that axe finds on a page as it is now, or in its colours alone. */
export async function findings(page: Page, rules: "all" | "colors" = "all"): Promise<string[]> {
  // The driver's evaluation stands outside of the page's policy. To send and compile the rules takes longer than to
  // judge most pages by them.
  if (!await page.evaluate("globalThis.axe !== undefined")) await page.evaluate(axe.source);
  return await page.evaluate(async (runOnly) => {
    // deno-lint-ignore no-explicit-any -- its types are not the page's
    const { violations, incomplete } = await (globalThis as any).axe.run(document, {
      ...runOnly === null ? {} : { runOnly },
      resultTypes: ["violations", "incomplete"],
      // Elements are named by their markup: to find a selector takes longer than to check the element.
      selectors: false,
    });
    // Words in the colour of their background: axe leaves the decision about them to people.
    // deno-lint-ignore no-explicit-any
    const isUnseen = ({ any }: any) => any[0]?.data?.messageKey === "equalRatio";
    // deno-lint-ignore no-explicit-any
    const unseen = incomplete.map(({ id, nodes }: any) => ({ id, nodes: nodes.filter(isUnseen) }));
    // deno-lint-ignore no-explicit-any
    return [...violations, ...unseen].flatMap(({ id, nodes }: any) =>
      // deno-lint-ignore no-explicit-any
      nodes.map(({ html, failureSummary }: any) => `${id}: ${html.slice(0, 160)} ${failureSummary}`)
    );
  }, rules === "all" ? null : COLOR_RULES);
}

/**
 * The elements that show no ring when the keyboard reaches them. Folded elements are opened; of many similar elements,
 * the first two and the last are examined.
 */
export async function ringsMissing(page: Page): Promise<string[]> {
  // An element that a script focuses after a key press has a ring, as if the key had moved the focus.
  await page.keyboard.press("Tab");
  return await page.evaluate(() => {
    for (const folded of document.querySelectorAll("details")) folded.open = true;
    const stops = [
      ...document.querySelectorAll<HTMLElement>(
        "a[href], button, input, select, textarea, summary, [tabindex='0']",
      ),
    ].filter((stop) =>
      stop.checkVisibility({ visibilityProperty: true }) && !stop.matches(":disabled")
    );
    const kinds = Map.groupBy(
      stops,
      (stop) => `${stop.tagName}.${stop.className} in ${stop.parentElement?.className}`,
    );
    const few = [...kinds.values()].flatMap((alike) =>
      alike.filter((_, at) => at < 2 || at === alike.length - 1)
    );
    return few.flatMap((stop) => {
      // A menu closes when the focus leaves it.
      stop.closest("details")?.setAttribute("open", "");
      stop.focus();
      const { activeElement } = document;
      // A radio button's ring is around its label, a card's around the card or what is drawn over it.
      const around = [stop, stop.nextElementSibling, ...ancestors(stop)]
        .filter((each) => each instanceof Element)
        .map((each) => getComputedStyle(each));
      const rings = [...around, getComputedStyle(stop, "::after")].filter((style) =>
        style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 &&
        style.opacity !== "0"
      );
      if (activeElement !== stop) return [`cannot be focused: ${stop.outerHTML.slice(0, 120)}`];
      return rings.length > 0 ? [] : [`no ring: ${stop.outerHTML.slice(0, 120)}`];
    });

    function ancestors(element: Element): Element[] {
      const parent = element.parentElement;
      return parent === null ? [] : [parent, ...ancestors(parent)];
    }
  });
}

/** Judges a page in light and dark, wide and narrow, and on paper, where nothing is to be pressed. */
export async function assertFine(page: Page, name: string): Promise<void> {
  for (const [viewport, colorScheme] of [[WIDE, "light"], [NARROW, "dark"]] as const) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    assert.deepEqual(await findings(page), [], `${name} ${colorScheme}`);
    await assertNotTooWide(page, name);
    assert.deepEqual(await ringsMissing(page), [], name);
  }
  await page.emulateMedia({ media: "print" });
  assert.equal(
    await page.locator("main :is(button, select, input)").filter({ visible: true }).count(),
    0,
  );
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
  await page.setViewportSize(WIDE);
}

/** The durations of every transition and animation of a page, in milliseconds. */
export async function durations(page: Page): Promise<number[]> {
  return await page.evaluate(() => {
    const found = [...document.querySelectorAll("*")].flatMap((element) =>
      [undefined, "::before", "::after"].flatMap((part) => {
        const { transitionDuration, animationDuration, animationName } = getComputedStyle(
          element,
          part,
        );
        const running = animationName === "none" ? "" : animationDuration;
        return `${transitionDuration},${running}`.split(",").map((each) =>
          1_000 * parseFloat(each)
        );
      })
    );
    return [...new Set(found)].filter((each) => each > 0);
  });
}

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  await page.locator(selector).first().waitFor();
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press("Tab");
    const isThere = await page.evaluate(
      (selector) => document.activeElement?.matches(selector) ?? false,
      selector,
    );
    if (isThere) return;
  }
  assert.fail(`the Tab key does not lead to ${selector}`);
}

function events() {
  const sample = sampleRecords()
    .filter(({ fields }) => String(fields["Start Date"]) >= SAMPLE_FROM)
    .slice(0, SAMPLE_LENGTH)
    .map((record, at) => at < WITH_PICTURES ? record : withoutPictures(record));
  return [
    ...sample,
    row({ "Name": "A day of soldering", "Start Date": "2026-11-21", "End Date": "2026-11-22" }),
    // With two lines and a logo it needs more room than the wide card in front has by itself.
    row({
      "Name": "The long winter of building synthesisers and other small machines that sing",
      "Start Date": "2026-11-20",
      "End Date": "2026-12-20",
      "Format": "in-person",
      "In Person Location": "The old tram depot, Hall 3, Vienna",
      "Pinned": true,
      "Theme Logo Size": 96,
      "Logo Url": [{ id: "attWinter", filename: "logo.png", source: LOGO }],
    }),
    row({ "Name": `${"Ein sehr langer Name für einen ".repeat(9)}Abend` }),
    row({
      "Name": "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbau",
      "Description": `Read https://example.org/${"a-long-way/to-go/".repeat(8)} ${"o".repeat(200)}`,
      "Requirements": "u".repeat(200),
      "Format": "in-person",
      "In Person Location": "ü".repeat(120),
      "Slack Channel": "c".repeat(120),
    }),
    row({ "Name": "ملتقى البرمجة", "Description": "لقاء لمن يحب البرمجة." }),
  ];
}

function withoutPictures(record: StandInRecord): StandInRecord {
  const { "Logo Url": _logo, "Background Image Url": _background, ...fields } = record.fields;
  return { ...record, fields };
}

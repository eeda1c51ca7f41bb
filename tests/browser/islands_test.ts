/** The additions of islands to pages, used by keyboard alone. */

import assert from "node:assert/strict";
import type { Locator, Page, Route } from "playwright-core";
import { browserTest, pageTest, startVisit, tabTo, visit, watchPage } from "./visit.ts";

const { foyer, browser } = await startVisit();
const HOME = `${foyer.origin}/`;
const SOLDERING = "/events/a-day-of-soldering";

/** A test of the home page, which is never loaded again. */
function homeTest(name: string, run: (page: Page) => Promise<void>): void {
  pageTest(name, {}, async (page) => {
    await visit(page, HOME);
    await mark(page);
    await run(page);
    assert.ok(await isMarked(page), "the page was loaded again");
  });
}

homeTest("typing filters the events, and the address and the title follow", async (page) => {
  await tabTo(page, "#q");
  await page.keyboard.type("soldering");
  await page.waitForURL(`${foyer.origin}/?q=soldering`);
  assert.equal(await page.getByRole("status").filter({ hasText: /^1 event$/ }).count(), 1);
  assert.deepEqual(await names(page), ["A day of soldering"]);
  assert.equal(await page.locator(":focus").inputValue(), "soldering");
  await page.keyboard.type(" zz ");
  await page.waitForURL(`${foyer.origin}/?q=soldering+zz`);
  assert.deepEqual(await names(page), []);
  assert.equal(await page.locator(":focus").inputValue(), "soldering zz ");
});

pageTest("what a filter shows is what its address shows, element by element", {}, async (page) => {
  await page.clock.setFixedTime(foyer.clock.now);
  const hrefs = [
    "/?status=upcoming",
    "/?status=ended&year=2026",
    "/?status=ended&format=online&sort=name&view=list",
    "/?status=ended&year=1999",
    "/?from=2026-11-01&to=2026-12-31",
    "/?q=soldering&pinned=true",
    "/",
  ];
  const expected: string[][] = [];
  for (const href of hrefs) {
    await visit(page, `${foyer.origin}${href}`);
    expected.push(await content(page));
  }
  await mark(page);
  for (const [at, href] of hrefs.entries()) {
    if (href === hrefs.at(-1)) await page.locator(".reset").click();
    else {await page.evaluate((href) => {
        const link = document.createElement("a");
        link.href = href;
        document.querySelector(".filters")?.append(link);
        link.click();
      }, href);}
    await page.waitForURL(`${foyer.origin}${href}`);
    assert.deepEqual(await content(page), expected[at], href);
    const grounds = await page.locator(".card").evaluateAll((cards) =>
      cards.map((card) => getComputedStyle(card).getPropertyValue("--card-ground"))
    );
    assert.ok(grounds.every((ground) => ground !== ""), "each card wears its own styling");
  }
  assert.ok(await isMarked(page), "the page was loaded again");
});

pageTest(
  "a filter that is to open in another tab or window is left to the browser",
  {},
  async (page) => {
    await visit(page, HOME);
    const taken = await page.evaluate(() => {
      const taken: boolean[] = [];
      addEventListener("click", (event) => {
        taken.push(event.defaultPrevented);
        event.preventDefault();
      });
      const keys = [{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }, { button: 1 }, {}];
      for (const each of keys) {
        document.querySelector(".filter-row .chip[href]")
          ?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ...each }));
      }
      return taken;
    });
    assert.deepEqual(taken, [false, false, false, false, true]);
  },
);

pageTest("a choice keeps the focus, in sight, and Back and Forward lead to what was shown", {
  viewport: { width: 390, height: 640 },
}, async (page) => {
  await visit(page, HOME);
  await mark(page);
  const before = await names(page);
  await page.getByText("When", { exact: true }).first().click();
  await page.evaluate(() => scrollTo(0, 200));
  const chip = page.locator(".filters .menu a", { hasText: "Coming up" });
  await chip.focus();
  assert.ok(await page.evaluate(() => scrollY) > 0);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${foyer.origin}/?status=upcoming`);
  const { y = -1, height = 0 } = await chip.boundingBox() ?? {};
  assert.ok(y >= 0 && y + height <= 640, `${y}`);
  // The menu is still open, and its link leads back.
  assert.equal(await page.locator(":focus").getAttribute("href"), "/");
  assert.equal(await page.locator(":focus").getAttribute("aria-current"), "true");
  assert.ok(await chip.isVisible());
  const chosen = await names(page);
  assert.notDeepEqual(chosen, before);
  await page.goBack();
  await page.locator(".chosen .chip").first().waitFor({ state: "detached" });
  assert.deepEqual(await names(page), before);
  await page.goForward();
  await page.locator(".chosen .chip").first().waitFor();
  assert.deepEqual(await names(page), chosen);
  assert.equal(page.url(), `${foyer.origin}/?status=upcoming`);
  assert.ok(await isMarked(page), "the page was loaded again");
});

homeTest(
  "the field says what is shown, and what is typed is never lost on the way",
  async (page) => {
    const field = page.locator("#q");
    await field.focus();
    await page.keyboard.type("soldering");
    await page.waitForURL(`${foyer.origin}/?q=soldering`);
    await field.fill("");
    await page.waitForURL(HOME);
    // Typed and chosen at once, before the search of the typed text has begun.
    await page.evaluate(() => {
      const field = document.querySelector<HTMLInputElement>("#q");
      if (field === null) throw new Error("no field");
      field.value = "soldering";
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      document.querySelector<HTMLElement>(".filter-row .chip[href='/?status=ongoing']")?.click();
    });
    await page.waitForURL(`${foyer.origin}/?q=soldering&status=ongoing`);
    assert.equal(await field.inputValue(), "soldering");
    assert.deepEqual(await names(page), ["A day of soldering"]);
    await page.locator(".chosen a", { hasText: "On now" }).click();
    await page.waitForURL(`${foyer.origin}/?q=soldering`);
    // Its link is gone.
    assert.equal(await page.locator(":focus").getAttribute("id"), "q");
    assert.equal(await field.inputValue(), "soldering");
    await page.goBack();
    await page.waitForURL(`${foyer.origin}/?q=soldering&status=ongoing`);
    await page.locator(".chosen a", { hasText: "On now" }).waitFor();
    assert.equal(await field.inputValue(), "soldering");
    // Typed, and at once no longer wanted.
    await page.evaluate(() => {
      const field = document.querySelector<HTMLInputElement>("#q");
      if (field === null) throw new Error("no field");
      field.value = "solder";
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      document.querySelector<HTMLElement>(".reset")?.click();
    });
    await page.waitForURL(HOME);
    assert.equal(await field.inputValue(), "");
  },
);

pageTest("a chosen value that is pressed twice takes no other with it", {}, async (page) => {
  await visit(page, `${HOME}?status=upcoming&format=online`);
  await page.locator(".chosen a").first().dblclick();
  await page.waitForURL(`${foyer.origin}/?format=online`);
  await page.evaluate(() => document.querySelector<HTMLElement>(".filters .menu a")?.click());
  await page.waitForURL(`${foyer.origin}/?status=ongoing&format=online`);
});

homeTest("what is typed while a choice is on its way stays, and is searched too", async (page) => {
  const { promise: held, resolve: hold } = Promise.withResolvers<Route>();
  await page.route("**/?status=ongoing", hold);
  await choose(page, "On now");
  const response = await held;
  await page.locator("#q").focus();
  await page.keyboard.type("soldering");
  await response.continue();
  await page.waitForURL(`${foyer.origin}/?q=soldering&status=ongoing`);
  assert.equal(await page.locator("#q").inputValue(), "soldering");
});

homeTest(
  "the view changes in place and in the address, and stays with the next filter",
  async (page) => {
    const shown = await names(page);
    await page.locator(".tools summary", { hasText: "View" }).click();
    await tabTo(page, ".tools a[href='/?view=list']");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${foyer.origin}/?view=list`);
    // A line has room for more of a name.
    assert.deepEqual(beginnings(await names(page)), beginnings(shown));
    assert.equal(await page.locator(":focus").textContent(), "List");
    assert.equal(await page.locator(".card").count(), 0);
    await choose(page, "followed online");
    await page.waitForURL(`${foyer.origin}/?format=online&view=list`);
    // The subscriptions follow, in words and in their addresses.
    const [said, feed] = [page.locator(".what"), page.locator(".tools a[href^='/follow']")];
    assert.match(await said.textContent() ?? "", /^Events that can be followed online: \d+ event/);
    await page.locator(".filters summary", { hasText: "When" }).click();
    await page.locator("[name=to]").fill("2026-12-31");
    await page.waitForURL(`${foyer.origin}/?format=online&to=2026-12-31&view=list`);
    assert.match(
      await said.textContent() ?? "",
      /^Events that can be followed online until 31 December 2026: \d+ event/,
    );
    assert.equal(await feed.getAttribute("href"), "/follow?format=online&to=2026-12-31");
    await page.locator(".chosen .chip", { hasText: "Until" }).click();
    await page.waitForURL(`${foyer.origin}/?format=online&view=list`);
    assert.equal(await page.locator("[name=to]").inputValue(), "");
  },
);

homeTest("a choice is made on top of one whose answer has not come", async (page) => {
  const { promise: held, resolve: hold } = Promise.withResolvers<Route>();
  await page.route("**/?status=upcoming", hold);
  await choose(page, "Coming up");
  const response = await held;
  await choose(page, "followed online");
  await response.continue();
  await page.waitForURL(`${foyer.origin}/?status=upcoming&format=online`);
});

homeTest(
  "Back during a request leads back, and the answer that comes later changes nothing",
  async (page) => {
    await choose(page, "followed online");
    await page.waitForURL(`${foyer.origin}/?format=online`);
    const { promise: held, resolve: hold } = Promise.withResolvers<Route>();
    await page.route("**/?status=upcoming&format=online", hold);
    await choose(page, "Coming up");
    const response = await held;
    await page.goBack();
    await page.locator(".count:not([aria-busy])").waitFor();
    const answered = page.waitForResponse("**/?status=upcoming&format=online");
    await response.continue();
    await answered;
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    assert.equal(new URL(page.url()).search, "");
    assert.equal(
      await page.title(),
      (await (await page.request.get(HOME)).text()).match(/<title>(.*?)<\/title>/)?.[1],
    );
  },
);

browserTest("a response that is not a list of events is left to the browser", async () => {
  await using context = await browser.newContext();
  const { page } = await watchPage(context, foyer);
  await visit(page, HOME);
  await mark(page);
  const html = "<!doctype html><title>Sign in</title><p>Who are you?</p>";
  await page.route(
    "**/?status=upcoming",
    (route) => route.fulfill({ contentType: "text/html", body: html }),
    { times: 1 },
  );
  await choose(page, "Coming up");
  await page.waitForURL(`${foyer.origin}/?status=upcoming`);
  await page.locator("main h3").first().waitFor();
  assert.equal(await isMarked(page), false);
});

browserTest("a request that leaving cuts off does not lead the visitor back", async () => {
  await using context = await browser.newContext();
  const { page } = await watchPage(context, foyer);
  await visit(page, HOME);
  await mark(page);
  const { promise: held, resolve: hold } = Promise.withResolvers<Route>();
  await page.route("**/?status=ongoing", hold);
  await choose(page, "On now");
  const request = await held;
  await page.evaluate(() => dispatchEvent(new Event("pagehide")));
  await request.abort().catch(() => {});
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
  assert.ok(await isMarked(page), "the page was loaded again");
  assert.equal(page.url(), `${foyer.origin}/`);
});

homeTest("a filter is shown also when the browser refuses another address", async (page) => {
  await page.evaluate(() => {
    for (const how of ["pushState", "replaceState"] as const) {
      history[how] = () => {
        throw new DOMException("100 calls in 30 seconds", "SecurityError");
      };
    }
  });
  const before = await names(page);
  await choose(page, "followed online");
  await page.locator(".chosen a", { hasText: "followed online" }).waitFor();
  const online = await names(page);
  assert.notDeepEqual(online, before);
  await page.locator(".chosen a").click();
  await page.locator(".chosen a").waitFor({ state: "detached" });
  assert.deepEqual(await names(page), before);
  assert.equal(page.url(), HOME);
});

homeTest("a click outside and Escape close every menu of the page", async (page) => {
  const menus = page.locator("details.menu");
  assert.ok(await menus.count() >= 3);
  for (const menu of await menus.all()) {
    const summary = menu.locator("summary");
    await summary.click();
    await page.locator("h1").click();
    assert.equal(await menu.getAttribute("open"), null, "a click outside");
    await summary.click();
    await page.keyboard.press("Escape");
    assert.equal(await menu.getAttribute("open"), null, "Escape");
    assert.ok(await summary.evaluate((element) => element === document.activeElement));
  }
});

function beginnings(names: readonly string[]): string[] {
  return names.map((name) => name.slice(0, 30));
}

/** Opens the filter of a value, unless it is open, and chooses the value. */
async function choose(page: Page, value: string): Promise<void> {
  const filter = page.locator(".filters .menu", { has: page.locator(".chip", { hasText: value }) });
  if (await filter.getAttribute("open") === null) await filter.locator("summary").click();
  await filter.locator("a", { hasText: value }).first().click();
}

pageTest("the calendars of an event open and close by keyboard alone", {}, async (page) => {
  await visit(page, `${foyer.origin}${SOLDERING}`);
  const google = page.getByRole("link", { name: "Google Calendar" });
  await tabTo(page, ".menu > summary");
  assert.equal(await google.isVisible(), false);
  await page.keyboard.press("Enter");
  await google.waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.locator(":focus").textContent(), "Google Calendar");
  await page.keyboard.press("Escape");
  await google.waitFor({ state: "hidden" });
  assert.match(await page.locator(":focus").textContent() ?? "", /^Add to calendar/);
  await page.keyboard.press("Space");
  await google.waitFor();
  // Past the last calendar, to the next button.
  for (const _ of "1234.") await page.keyboard.press("Tab");
  await google.waitFor({ state: "hidden" });
  assert.equal(await page.locator(":focus").textContent(), "Share");
});

browserTest(
  "a telephone without a script has the next online event on a topic in its calendar after seven taps",
  async () => {
    await using context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 390, height: 640 },
      hasTouch: true,
      isMobile: true,
    });
    const { page } = await watchPage(context, foyer);
    await page.goto(`${foyer.origin}/`);
    let taps = 0;
    const tap = async (what: Locator) => {
      assert.ok(((await what.boundingBox())?.height ?? 0) >= 24);
      await what.tap();
      taps++;
    };
    const filters = page.getByRole("search");
    await tap(filters.getByText("Where", { exact: true }).first());
    await tap(filters.getByRole("link", { name: "Can be followed online", exact: true }));
    await page.waitForURL(`${foyer.origin}/?format=online`);
    const chosen = page.getByRole("list", { name: "Chosen" });
    await tap(filters.getByText("Topics", { exact: true }).first());
    await tap(filters.getByRole("link", { name: "Software", exact: true }));
    await page.waitForURL(`${foyer.origin}/?format=online&projectType=Software`);
    assert.match(await chosen.innerText(), /online.*Software/s);
    const next = page.locator(".cards .name a").first();
    const name = await next.innerText();
    await tap(next);
    await tap(page.locator("summary", { hasText: "Add to calendar" }));
    const file = page.getByRole("link", { name: "Apple Calendar and others" });
    const [download] = await Promise.all([page.waitForEvent("download"), tap(file)]);
    assert.equal(taps, 7);
    const calendar = await (await fetch(download.url())).text();
    assert.ok(calendar.includes(`SUMMARY:${name}`), calendar);
  },
);

browserTest("Share opens the system's sheet, and copies the link where there is none", async () => {
  await using context = await browser.newContext();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const outcome of ["shared", "AbortError", "NotAllowedError", "none"]) {
    const { page, complaints } = await watchPage(context, foyer);
    await page.addInitScript((outcome) => {
      const given: ShareData[] = [];
      Object.assign(globalThis, { given });
      if (outcome === "none") {
        Reflect.deleteProperty(Navigator.prototype, "share");
        return;
      }
      Object.defineProperty(navigator, "share", {
        value(data: ShareData) {
          given.push(data);
          return outcome === "shared"
            ? Promise.resolve()
            : Promise.reject(new DOMException("", outcome));
        },
      });
    }, outcome);
    await visit(page, `${foyer.origin}${SOLDERING}`);
    await page.evaluate(() => navigator.clipboard.writeText("nothing"));
    const address = await page.locator("link[rel=canonical]").getAttribute("href");
    await tabTo(page, "button.share");
    await page.keyboard.press("Enter");
    const isCopied = outcome === "none" || outcome === "NotAllowedError";
    const status = page.locator(".shared[role=status]");
    if (isCopied) await status.filter({ hasText: "The link is copied." }).waitFor();
    else await page.evaluate(() => new Promise((done) => setTimeout(done)));
    if (!isCopied) assert.equal(await status.textContent(), "", outcome);
    const clipboard = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(clipboard, isCopied ? address : "nothing", outcome);
    const given = await page.evaluate(() => Reflect.get(globalThis, "given"));
    const sheet = [{ title: "A day of soldering", url: address }];
    assert.deepEqual(given, outcome === "none" ? [] : sheet, outcome);
    assert.deepEqual(complaints, []);
    await page.close();
  }
});

pageTest(
  "samples and addresses are copied, and the copy is announced",
  {},
  async (page, context) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await visit(page, `${foyer.origin}/docs/proxy`);
    await tabTo(page, ".copy");
    await page.keyboard.press("Enter");
    await page.getByRole("status").filter({ hasText: "The code is copied." }).waitFor();
    const code = await page.locator(".sample code").first().textContent();
    assert.equal(await copied(), code?.trimEnd());
    await visit(page, `${foyer.origin}/follow`);
    await tabTo(page, ".copy");
    await page.keyboard.press("Space");
    await page.getByRole("status").filter({ hasText: "is copied." }).waitFor();
    assert.match(await copied(), /\/calendar\.ics$/);
  },
);

for (const path of ["/", SOLDERING, "/docs/proxy"]) {
  pageTest(`Back from a #fragment leads back without loading ${path} again`, {}, async (page) => {
    // What upstream Fresh does on each page with an island (`packages/fresh/src/runtime/client/partials.ts`).
    await page.addInitScript(() => {
      if (!history.state) history.replaceState({ fClientNav: true, index: 0 }, "");
      addEventListener("popstate", ({ state }) => {
        if (state?.fClientNav) location.reload();
      });
    });
    await visit(page, `${foyer.origin}${path}`);
    await mark(page);
    await tabTo(page, "a[href^='#']");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#/);
    await page.goBack();
    await page.waitForURL(`${foyer.origin}${path}`);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    assert.ok(await isMarked(page), "the page was loaded again");
  });
}

/** The content of the page, element by element, without what a script or a visitor changes. */
function content(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("title, main *")].map((element) => {
      const attributes = [...element.attributes].map(({ name, value }) => `${name}=${value}`)
        .toSorted();
      const text = element.childElementCount === 0 ? element.textContent : "";
      return [element.localName, ...attributes, text].join(" ");
    })
  );
}

/** The events on the page. */
function names(page: Page): Promise<string[]> {
  return page.locator("main h3").allTextContents();
}

/** Text written into a page disappears when it is reloaded. */
async function mark(page: Page): Promise<void> {
  await page.evaluate(() => document.body.dataset["marked"] = "");
}

async function isMarked(page: Page): Promise<boolean> {
  return await page.evaluate(() => "marked" in document.body.dataset);
}

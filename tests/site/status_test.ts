/** The status page through the public door, over days on the test's clock. */

import assert from "node:assert/strict";
import MarkdownIt from "markdown-it";
import { type Foyer, NOON, row, startFoyer } from "../support/foyer.ts";
import { runJobs } from "../support/run_jobs.ts";
import { find, type HtmlElement, parseHtml } from "./html.ts";

const DAY = 86_400_000;
const HALF_MINUTE = 30_000;
const HOSTILE = "<img src=x onerror=alert(1)> | [x](javascript:y) `a`";

const words = (text: string) => text.replace(/\s+/g, " ").trim();

/** Advances the clock, and runs the checks. */
async function pass(foyer: Foyer, milliseconds: number): Promise<void> {
  foyer.clock.now += milliseconds;
  await foyer.get("/up");
}

/** The page, read as a browser reads it, and its markdown. */
async function look(foyer: Foyer) {
  const response = await foyer.get("/status", { headers: { accept: "text/html" } });
  assert.equal(response.status, 200);
  const html = await response.text();
  const markdown = await (await foyer.get("/status.md")).text();
  return { html, markdown, all: parseHtml(html) };
}

/** An element of the page's article whose whole text is a fact. */
function isFact({ tag, inside, attributes }: HtmlElement): boolean {
  const isText = /^(h1|h2|th|td)$/.test(tag) || (tag === "li" && attributes["class"] === undefined);
  return inside.includes("article") &&
    (isText || /^(lede|fine|now)/.test(attributes["class"] ?? ""));
}

/** The parts whose days are drawn, in the order of the page. */
function chartsOf(all: readonly HtmlElement[]): readonly string[] {
  return find(all, "svg", "days").map(({ attributes }) =>
    attributes["aria-label"]?.split(",")[0] ?? ""
  );
}

/** The text of each day in a part's chart, the oldest first. */
function daysOf(all: readonly HtmlElement[], part: string): readonly string[] {
  const titles = find(all, "title").filter(({ inside }) => inside.includes("svg"))
    .map(({ text }) => text);
  const at = chartsOf(all).indexOf(part);
  assert.ok(at >= 0 && titles.length === 90 * chartsOf(all).length);
  return titles.slice(90 * at, 90 * (at + 1));
}

/** The colour and the words of the verdict. */
function verdictOf(all: readonly HtmlElement[]): readonly [color: string, sentence: string] {
  const [banner] = find(all, "div", "verdict");
  const [sentence] = find(all, "p", "lede");
  return [(banner?.attributes["class"] ?? "").split(" ")[1] ?? "", sentence?.text ?? ""];
}

Deno.test("each day shows the results of its checks, and a day without any is drawn as such", async () => {
  await using foyer = await startFoyer({ now: Date.parse("2026-11-19T23:59:00Z") });
  await foyer.get("/api/v1/events");
  await pass(foyer, 0);
  foyer.ocr.faults.push({ kind: "status", status: 500, sticky: true });
  // The last run of one day, the first of the next.
  await pass(foyer, HALF_MINUTE);
  await pass(foyer, HALF_MINUTE);
  foyer.ocr.faults.clear();
  await pass(foyer, HALF_MINUTE);
  // Requests are more than half a minute apart, since a result is reused for that long.
  await pass(foyer, HALF_MINUTE / 2);
  await pass(foyer, 2 * DAY);
  foyer.clock.now += HALF_MINUTE;
  await runJobs(foyer.services);

  const { all, markdown } = await look(foyer);
  const labels = chartsOf(all);
  const others = ["Web search", "Model lists", "Database", "Usage records"];
  assert.deepEqual(labels, ["Events", ...others, "Text recognition (OCR)"]);
  assert.deepEqual(daysOf(all, "Text recognition (OCR)").slice(-4), [
    "2026-11-19: 1 of 2 failed",
    "2026-11-20: 1 of 2 failed",
    "2026-11-21: no data",
    // The request for /up, and the job.
    "2026-11-22: none of 2 failed",
  ]);
  assert.equal(daysOf(all, "Events").at(-4), "2026-11-19: none of 2 failed");
  assert.equal(daysOf(all, "Events")[0], "2026-08-25: no data");
  assert.equal(find(all, "rect", "down").length, 2);
  assert.equal(find(all, "rect", "none").length, 6 * 87);
  assert.deepEqual(verdictOf(all), ["up", "Everything works."]);
  assert.match(markdown, /\| 2026-11-20 \| none of 2 failed \|.* 1 of 2 failed \|/);
  assert.doesNotMatch(markdown, /^\| 2026-11-18 /m, "no day without any");
});

Deno.test("visitors are told in plain words: no variable, no call of Airtable, no job", async () => {
  const wanted = { AIRTABLE_NOTIFICATIONS: "on", BASE_URL: "http://localhost:8000" };
  await using foyer = await startFoyer({ records: [row()], env: wanted });
  await foyer.get("/api/v1/events");
  await pass(foyer, 0);
  const run = () => Promise.reject(new Error("no"));
  const failing = ["refresh events", "check health"]
    .map((name) => ({ name, limitSeconds: 1, run }));
  await runJobs(foyer.services, failing);
  for (const isDown of [false, true]) {
    if (isDown) {
      foyer.store.faults.push({ kind: "status", status: 401, sticky: true });
      foyer.clock.now += 3 * 60_000;
      await foyer.services.events.refresh();
    }
    const { all, html, markdown } = await look(foyer);
    assert.deepEqual(verdictOf(all)[0], isDown ? "down" : "up");
    const [article = ""] = find(all, "article").map(({ text }) => text);
    for (const text of [article, markdown]) {
      assert.doesNotMatch(text, /[A-Z]{3,}_|Airtable|[Jj]ob|calls|polled/);
    }
    assert.ok(!html.includes("AIRTABLE_"));
  }
});

Deno.test("what has not happened yet is said in the same words by the verdict, the parts and the facts", async () => {
  await using foyer = await startFoyer({ records: [row()] });
  const { all, markdown } = await look(foyer);
  assert.deepEqual(verdictOf(all), ["unknown", "The events have not been read yet."]);
  assert.equal(find(all, "p", "now")[0]?.text, "not read yet");
  assert.ok(find(all, "li").some(({ text }) => text === "The events have not been read yet."));
  assert.doesNotMatch(markdown, /cannot be read|Everything/);
  await foyer.get("/api/v1/events");
  await pass(foyer, HALF_MINUTE);
  assert.deepEqual(verdictOf((await look(foyer)).all), ["up", "Everything works."]);
});

Deno.test("what fails is named with its duration, the service's own parts first", async () => {
  const [search, ocr] = ["Web search", "Text recognition (OCR)"]
    .map((part) => `${part} has been failing for 15 minutes.`);
  const cases = [
    [["websearch"], ["down", search], undefined],
    // Only watched for others, it makes nothing red.
    [["ocr"], ["warning", ocr], undefined],
    [["websearch", "ocr"], ["down", search], ocr],
  ] as const;
  for (const [failing, verdict, below] of cases) {
    // Over midnight.
    await using foyer = await startFoyer({ now: Date.parse("2026-11-20T23:50:00Z") });
    await foyer.get("/api/v1/events");
    await pass(foyer, 0);
    for (const part of failing) {
      foyer[part].faults.push({ kind: "status", status: 500, sticky: true });
    }
    await pass(foyer, 60_000);
    await pass(foyer, 15 * 60_000);
    const { all, markdown } = await look(foyer);
    assert.deepEqual(verdictOf(all), verdict);
    assert.ok(markdown.includes(`${verdict[1]}`), markdown);
    if (below !== undefined) assert.ok(find(all, "li").some(({ text }) => text === below));
    const headings = all.filter(({ tag, inside }) =>
      /^h[23]$/.test(tag) && inside.includes("article")
    ).map(({ text }) => text);
    const others = headings.indexOf("Watched for others");
    assert.ok(others > headings.indexOf("Usage records"));
    assert.equal(headings.indexOf("Text recognition (OCR)"), others + 1);
  }
});

Deno.test("the events are the first check, red while the store refuses us, and their days count it", async () => {
  await using foyer = await startFoyer({ records: [row({ "Name": "Jam" })] });
  await foyer.get("/api/v1/events");
  await pass(foyer, 0);
  foyer.store.faults.push({ kind: "status", status: 401, sticky: true });
  foyer.clock.now += 3 * 60_000;
  await foyer.services.events.refresh();
  await pass(foyer, 0);
  foyer.clock.now += 60_000;
  const { all, markdown, html } = await look(foyer);
  assert.deepEqual(verdictOf(all), ["down", "The events store has been failing for a minute."]);
  assert.equal(find(all, "h2")[0]?.text, "Events");
  assert.match(find(all, "p", "now")[0]?.attributes["class"] ?? "", /\bdown$/);
  assert.equal(daysOf(all, "Events").at(-1), "2026-11-21: 2 of 3 failed");
  for (const text of [markdown, html]) {
    assert.ok(text.includes("as last read until 12:04 UTC"));
    assert.ok(!text.includes("Everything"));
  }
  // The report of `/up` covers only its own dependencies.
  assert.equal((await foyer.get("/up")).status, 200);
});

Deno.test("with nothing configured /up is up, and the page says that nothing is configured", async () => {
  const names = ["AIRTABLE_TOKEN", "ROUTER_API_KEY", "ROUTER_MANAGEMENT_KEY", "OCR_API_KEY"]
    .concat("WEBSEARCH_API_KEY", "DECISION_API_KEY", "MEDIA_API_KEY");
  const env = Object.fromEntries(names.map((name) => [name, undefined]));
  await using foyer = await startFoyer({ env });
  await pass(foyer, 0);
  assert.equal((await foyer.get("/up")).status, 200);
  const { all, markdown } = await look(foyer);
  const now = find(all, "p", "now").map(({ text }) => text);
  const none = "not configured";
  assert.deepEqual(now, [none, none, "not watched", "not watched", "works", "works"]);
  // Only the events are required.
  const looks = find(all, "p", "now").map(({ attributes }) => attributes["class"]);
  const unused = "now unconfigured";
  assert.deepEqual(looks, ["now down", unused, "now", "now", "now up", "now up"]);
  assert.deepEqual(verdictOf(all), ["down", "The events store is not configured."]);
  assert.ok(!markdown.includes("Watched for others"));
  assert.ok(!markdown.includes("Everything"));
});

Deno.test("page and markdown say the same, of records that are left out as well", async () => {
  await using foyer = await startFoyer({
    records: [
      row({ "Name": "Jam" }),
      row({ "id": "recLeftOut0000001", "Name": "Broken", "Start Date": HOSTILE }),
      row({ "id": "recLeftOut0000002", "Name": "Broken", "End Date": HOSTILE, "Pinned": HOSTILE }),
    ],
  });
  await foyer.get("/api/v1/events");
  await pass(foyer, 0);
  foyer.clock.now += 4 * 60_000;

  const { html, markdown, all } = await look(foyer);
  const read = new MarkdownIt({ html: false }).render(markdown);
  const said = words(parseHtml(`<main>${read}</main>`)[0]?.text ?? "");
  const facts = all.filter(isFact).map(({ text }) => words(text));
  assert.ok(facts.length > 30, `${facts.length}`);
  for (const fact of facts) assert.ok(said.includes(fact), `“${fact}” is not in: ${said}`);
  assert.match(markdown, /1 record left out/);
  for (const text of [html, markdown]) assert.match(text, /It watches it for other programs\./);
  // The contents of records and errors are for the operator.
  for (const text of [html, markdown]) {
    for (const secret of ["onerror", "javascript:y", "recLeftOut"]) {
      assert.ok(!text.includes(secret), secret);
    }
  }
});

Deno.test("if the database cannot be read, the page shows the other parts", async () => {
  let isAway = false;
  await using foyer = await startFoyer({ judge: () => isAway ? "refuse" : "work" });
  isAway = true;
  foyer.clock.now = NOON + HALF_MINUTE;
  const { all, markdown } = await look(foyer);
  assert.match(find(all, "p", "lede")[0]?.text ?? "", /^The database fails\.$/);
  assert.match(markdown, /cannot be read from the database right now/);
});

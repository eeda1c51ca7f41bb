/** Pages as markdown: the same facts, at the same address or at the twin's, and no dead links. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import MarkdownIt from "markdown-it";
import type { Event } from "../../lib/events/model.ts";
import { twinOf } from "../../lib/platform/http/negotiate.ts";
import { find, type HtmlElement, parseHtml } from "./html.ts";
import { adviceFor, BASE_URL, eventOn, openSite, row, type Site } from "./site.ts";
import { pngFile } from "../support/png.ts";

const MARKDOWN = { accept: "text/markdown" };
const HOSTILE = "# *Löt* <b>[x](javascript:y)</b> | `a` & _b_ 1) \\ ~~c~~";

const PICTURE = pngFile(64, 64);
const FACTS = ["When", "Where", "How", "Topics", "Website", "Chat", "Announced"];

const RECORDS = [
  row({
    "Name": "Solder jam",
    "Start Date": "2026-11-20",
    "End Date": "2026-11-22",
    "Description": "Bring your own soldering iron.\nOr borrow one.\n\n- a list\n1. May",
    "Format": "both",
    "In Person Location": "Malmö",
    "In Person Start": "2026-11-21",
    "In Person End": "2026-11-22",
    "Project Types": ["Electronics", "CAD"],
    "Url": "https://jam.example/a_(b)?c=d",
    "Slack Channel": "solder_jam",
    "Slack Url": "https://chat.example/solder",
    "Requirements": "Under 18\nA *parent*",
    "Logo Url": [{ id: "attLogo", filename: "logo.png", source: PICTURE }],
    "Background Image Url": [{ id: "attGround", filename: "ground.png", source: PICTURE }],
    "Background Type": "image",
    "Background Color": "#123456",
  }),
  row({ "Name": HOSTILE, "Description": `${HOSTILE}\n===\n    ${HOSTILE}` }),
  eventOn("Over", "2026-06-01/2026-06-03"),
  eventOn("For ever", "2025-02-01/", { "Pinned": true }),
];

/** The elements of a markdown response, read by a parser of CommonMark. */
async function readMarkdown(site: Site, path: string, headers: HeadersInit = MARKDOWN) {
  const response = await site.get(path, { headers });
  assert.equal(response.status, 200, path);
  assert.equal(response.headers.get("content-type"), "text/markdown; charset=utf-8");
  const markdown = await response.text();
  const html = new MarkdownIt({ html: false }).render(markdown).replaceAll(/<br>\s*/g, "<br>\n");
  return { response, markdown, all: parseHtml(`<main>${html}</main>`) };
}

const words = (text: string) => text.replace(/\s+/g, " ").trim();
const textOf = (all: readonly HtmlElement[]) => words(find(all, "main")[0]?.text ?? "");

/** An element of a page's content whose whole text is a fact. */
function isFact({ tag, inside, attributes }: HtmlElement): boolean {
  if (!inside.includes("main") || inside.includes("search")) return false;
  // The menu of subscriptions, which markdown leaves to the page about following.
  if (tag === "bdi" && inside.includes("details")) return false;
  return /^(h1|h2|h3|dt|dd|time|bdi)$/.test(tag) || (tag === "li" && inside.includes("article")) ||
    /^(state|about|lede)\b/.test(attributes["class"] ?? "");
}

/** The addresses to which the content of a page leads. */
function linksOf(all: readonly HtmlElement[], isHome = false): Set<string> {
  return new Set(
    find(all, "a")
      .filter(({ inside }) => inside.includes("main") && !inside.includes("search"))
      .filter(({ inside }) => !(isHome && inside.includes("details")))
      // The `webcal:` address of a calendar is `https:` in markdown.
      .map(({ attributes }) => (attributes["href"] ?? "").replace(/^webcal:/, "https:"))
      .map((href) => new URL(href, BASE_URL).href)
      // *Share* opens a mail with the page's own address.
      .filter((href) => !/\/\?|\/llms\.txt$|^mailto:/.test(href)),
  );
}

Deno.test("HTML and markdown of the pages of events say the same", async () => {
  await using site = await openSite(RECORDS);
  const home = await site.see("/");
  const cards = find(home.all, "a").filter(({ inside }) => inside.at(-1) === "h3");
  const past = "/?status=ended&year=2026";
  const paths = [
    "/",
    past,
    "/events/over",
    ...cards.map(({ attributes }) => attributes["href"] ?? ""),
  ];
  assert.equal(paths.length, 2 + RECORDS.length);
  for (const path of paths) {
    const { all } = await site.see(path);
    const markdown = await readMarkdown(site, path);
    const text = textOf(markdown.all);
    // Markdown has the days for machines in brackets.
    const said = text.replace(/ \(\d{4}-\d\d-\d\d[^)]*\)/g, "");
    const chips = find(all, "a", "chip").filter(({ inside }) => inside.includes("dl"));
    const chipsText = chips.map(({ text }) => text).join("");
    const facts = [...chips, ...all.filter(isFact)].map(({ text }) => words(text))
      .filter((fact) => fact !== "" && fact !== chipsText);
    assert.ok(facts.length >= 5, path);
    if (path === "/events/solder-jam") {
      assert.deepEqual(find(all, "dt").map(({ text }) => text), FACTS);
    }
    for (const fact of facts) {
      assert.ok(said.includes(fact), `${path}: the markdown lacks “${fact}”:\n${text}`);
    }
    const [inHtml, inMarkdown] = [
      linksOf(all, path.startsWith("/?") || path === "/"),
      linksOf(markdown.all),
    ];
    for (const href of inHtml) assert.ok(inMarkdown.has(href), `${path} leads to ${href}`);
    for (const element of find(all, "time")) {
      const day = element.attributes["datetime"] ?? "";
      if (path !== "/" && element.inside.includes("dl")) assert.ok(text.includes(day), day);
    }
  }
});

/** The paths of the routes that are pages and have no parameter. */
function routesOfPages(): readonly string[] {
  return readdirSync(new URL("../../routes/", import.meta.url), {
    recursive: true,
    encoding: "utf8",
  })
    // Pages of members and operators are private, and embeds are for frames, so no list names them.
    .filter((file) => /^(?!account\/|desk\/|embed\/)[^([_]+\.tsx$/.test(file))
    .map((file) => `/${file.replace(/(?:^|\/)index\.tsx$|\.tsx$/, "")}`);
}

Deno.test("each route that is a page is in the sitemap, and has its markdown at an address", async () => {
  await using site = await openSite([]);
  const sitemap = await (await site.get("/sitemap.xml")).text();
  for (const path of routesOfPages()) {
    const advice = `${path} is in no list: see documents.tsx and sitemap.xml.ts`;
    assert.ok(sitemap.includes(`<loc>${BASE_URL}${path}</loc>`), advice);
    const twin = twinOf(path);
    assert.equal((await site.get(twin)).status, 200, twin + adviceFor(twin));
  }
});

Deno.test("without events, the page says how to hear of the first", async () => {
  await using site = await openSite([]);
  const text = await (await site.get("/index.md")).text();
  assert.match(text, /No events have been announced yet.*calendar\.ics.*\/events\/rss/);
});

Deno.test("typed text is text in markdown, and a description has no heading, no picture and no other link", async () => {
  await using site = await openSite(RECORDS);
  const { all } = await site.see("/");
  const href = find(all, "a").find(({ text }) => text === HOSTILE)?.attributes["href"] ?? "";
  const { all: read } = await readMarkdown(site, href);
  assert.deepEqual(find(read, "h1").map(({ text }) => text), [HOSTILE]);
  for (const tag of ["h3", "img", "pre", "b"]) assert.equal(find(read, tag).length, 0, tag);
  for (const { attributes } of find(read, "a")) {
    assert.match(attributes["href"] ?? "", /^(https|webcal):/);
  }
  const jam = await readMarkdown(site, "/events/solder-jam");
  assert.ok(find(jam.all, "li").some(({ text }) => text === "a list"));
  assert.ok(find(jam.all, "p").some(({ text }) => text === "1. May"));
});

Deno.test("no signed address is in any text that may be kept", async () => {
  await using site = await openSite(RECORDS);
  const api = await (await site.get("/api/v1/events")).json();
  const signed: string[] = api.data.flatMap((event: Event) => [
    event.logoUrl ?? [],
    event.background?.imageUrl ?? [],
  ]).flat();
  assert.equal(signed.length, 2);
  const pages = ["/", "/events/solder-jam", "/llms.txt", "/llms-full.txt", "/docs"];
  const feeds = ["/calendar.ics", "/events/solder-jam.ics", "/feed.atom", "/feed.json"];
  for (const path of [...pages, ...feeds, "/api/v1/events/rss"]) {
    const text = await (await site.get(path, { headers: MARKDOWN })).text();
    for (const url of signed) assert.ok(!text.includes(new URL(url).host), path);
    assert.ok(!/[?&](?:sig|signature|expires|token)=/i.test(text), path);
  }
});

Deno.test("each representation has its own entity tag, and all say that they depend on Accept", async () => {
  await using site = await openSite(RECORDS);
  for (const path of ["/", "/events/solder-jam", "/docs", "/docs/errors", "/api/versioning"]) {
    const twin = path === "/" ? "/index.md" : `${path}.md`;
    const [html, markdown, atTwin] = [
      await site.get(path, { headers: { accept: "text/html" } }),
      await site.get(path, { headers: MARKDOWN }),
      await site.get(twin, { headers: { accept: "text/html" } }),
    ];
    assert.equal(await atTwin.text(), await markdown.text(), path);
    assert.equal(atTwin.headers.get("etag"), markdown.headers.get("etag"));
    assert.notEqual(html.headers.get("etag"), markdown.headers.get("etag"));
    const etag = markdown.headers.get("etag") ?? "";
    const held = { "if-none-match": etag };
    const all = [
      [200, html],
      [200, markdown],
      [200, atTwin],
      [304, await site.get(path, { headers: { ...MARKDOWN, ...held } })],
      [200, await site.get(path, { headers: held })],
      [304, await site.get(path, { headers: { "if-none-match": html.headers.get("etag") ?? "" } })],
      [200, await site.get(path, { method: "HEAD", headers: MARKDOWN })],
      [406, await site.get(path, { headers: { accept: "*/*;q=0" } })],
    ] as const;
    for (const [status, response] of all) {
      assert.equal(response.status, status, path);
      assert.match(response.headers.get("vary") ?? "", /^accept\b(?!-)/i, `${path} ${status}`);
    }
    const links = html.headers.get("link")?.split(", ") ?? [];
    assert.equal(links[0], `<${twin}>; rel="alternate"; type="text/markdown"`);
    for (
      const link of [
        `</llms.txt>; rel="describedby"; type="text/markdown"`,
        `</api/v1/openapi.json>; rel="service-desc"; type="application/json"`,
        `</api/v1/docs>; rel="service-doc"; type="text/html"`,
        `</.well-known/api-catalog>; rel="api-catalog"`,
        `</feed.atom>; rel="alternate"; type="application/atom+xml"`,
      ]
    ) assert.ok(links.includes(link), link);
    assert.match(
      atTwin.headers.get("link") ?? "",
      RegExp(`^<${BASE_URL}${path}>; rel="canonical"`),
    );
    const { all: elements } = await site.see(path);
    const alternates = find(elements, "link")
      .filter(({ attributes }) => attributes["type"] === "text/markdown")
      .map(({ attributes }) => attributes["href"]);
    assert.deepEqual(alternates, [twin]);
  }
});

Deno.test("a missing page is reported in the requested type", async () => {
  await using site = await openSite([]);
  for (const path of ["/nowhere", "/events/nowhere", "/docs/nowhere"]) {
    const cases = [
      [path, "text/html", "text/html"],
      [path, "text/markdown", "text/markdown"],
      [`${path}.md`, "*/*", "text/markdown"],
      [path, "application/json", "application/json"],
    ] as const;
    for (const [address, accept, type] of cases) {
      const response = await site.get(address, { headers: { accept } });
      assert.equal(response.status, 404);
      assert.ok(response.headers.get("content-type")?.startsWith(type), `${address} ${accept}`);
      assert.match(response.headers.get("vary") ?? "", /\baccept\b/i);
      assert.match(await response.text(), /not_found/);
    }
  }
});

/** Every page, found as a crawler finds it: its links, its head, and its markup. Each is requested once. */
// Not quick: it validates every page.

import assert from "node:assert/strict";
import { HtmlValidate, StaticConfigLoader } from "html-validate";
import { find, type HtmlElement, parseHtml } from "./html.ts";
import { adviceFor, BASE_URL, eventOn, openSite, row, type Site } from "./site.ts";
import { pngFile } from "../support/png.ts";

const PICTURE = pngFile(64, 64);
const RECORDS = [
  row({
    "Name": "Solder jam",
    "Description": "Bring a board.\nOr build one.",
    "Start Date": "2026-11-20",
    "End Date": "2026-11-22",
    "Format": "both",
    "In Person Location": "Ghent",
    "Project Types": ["Electronics", "CAD"],
    "Url": "https://jam.example/?a=b&c=d",
    "Requirements": "Under 18\nA parent",
    "Logo Url": [{ id: "attLogo", filename: "logo.png", source: PICTURE }],
  }),
  row({ "Name": 'Böses #1 "Ende" & <b>?/%41' }),
  eventOn("Over", "2026-06-01/2026-06-03"),
  eventOn("For ever", "2025-02-01/", { "Pinned": true }),
];

/** The page at an address. */
interface Found {
  readonly status: number;
  readonly html: string | null;
  readonly all: readonly HtmlElement[];
}

async function look(site: Site, path: string): Promise<Found> {
  const response = await site.get(path, { headers: { accept: "text/html, */*" } });
  const text = await response.text();
  const isPage = response.headers.get("content-type")?.startsWith("text/html") ?? false;
  return { status: response.status, ...isPage ? read(text) : { html: null, all: [] } };
}

function read(html: string) {
  return { html, all: parseHtml(html) };
}

/** The addresses that an element names. */
function addressesOf({ attributes }: HtmlElement): readonly string[] {
  const { href, src, action, srcset = "" } = attributes;
  const sizes = srcset.split(",").map((each) => each.trim().split(" ")[0] ?? "");
  return [href, src, action, ...sizes].flatMap((each) => each ? [each] : []);
}

function isIndexed({ html }: Found): boolean {
  return html !== null && !html.includes(`<meta name="robots"`);
}

/** An address of this site that a page names. */
interface Asked {
  readonly from: string;
  readonly to: string;
  readonly hash: string;
}

/** Follows every address, beginning with the home page. */
async function crawl(site: Site) {
  const found = new Map<string, Found>();
  const asked: Asked[] = [];
  const queue = ["/"];
  for (const from of queue) {
    const here = await look(site, from);
    found.set(from, here);
    // A filter leads to all other filters; a year of past events is a page of its own.
    if (from.includes("?") && !isIndexed(here)) continue;
    for (const address of here.all.flatMap(addressesOf)) {
      const { origin, pathname, search, hash } = new URL(address, `${BASE_URL}${from}`);
      if (origin !== BASE_URL) continue;
      const to = pathname + search;
      asked.push({ from, to, hash });
      if (!queue.includes(to)) queue.push(to);
    }
  }
  return { found, asked };
}

const validator = new HtmlValidate(
  new StaticConfigLoader({
    extends: ["html-validate:recommended"],
    rules: {
      // How a void element ends is a matter of taste, and Preact's.
      "void-style": "off",
    },
  }),
);

async function faultsOf(html: string): Promise<readonly string[]> {
  const { results } = await validator.validateString(html);
  const faults = results.flatMap(({ messages }) => messages)
    .map(({ ruleId, message, selector }) => `${ruleId}: ${message} (${selector})`);
  return [...new Set(faults)];
}

Deno.test("every page of the site", async (t) => {
  await using site = await openSite(RECORDS);
  const { found, asked } = await crawl(site);
  const sitemap = await (await site.get("/sitemap.xml")).text();
  const pages = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)]
    .map(([, address = ""]) => address.replaceAll("&#x26;", "&").slice(BASE_URL.length));

  await t.step("names only addresses and anchors that are there", () => {
    assert.ok(found.size > 30, `${found.size}`);
    for (const { from, to, hash } of asked) {
      const there = found.get(to);
      assert.equal(there?.status, 200, `${from} leads to ${to}${adviceFor(to)}`);
      const id = decodeURIComponent(hash.slice(1));
      const isThere = id === "" || there?.all.some(({ attributes }) => attributes["id"] === id);
      assert.ok(isThere, `${from} leads to ${to}${hash}`);
    }
  });

  await t.step("can be reached from the home page, and is in the sitemap", () => {
    const reached = [...found].filter(([path, page]) =>
      path.includes("?") || path.startsWith("/embed") ? isIndexed(page) : page.html !== null
    ).map(([path]) => path);
    const advice = "only in the sitemap: link it (FOOT_LINKS); only reached: sitemap.xml.ts";
    assert.deepEqual(reached.toSorted(), pages.toSorted(), advice);
  });

  await t.step("says what it is called, what it is about, and where it lives", () => {
    const titles = new Set<string>();
    for (const path of pages) {
      const all = found.get(path)?.all ?? [];
      const meta = (name: string) =>
        find(all, "meta").filter(({ attributes }) =>
          attributes["name"] === name || attributes["property"] === name
        ).map(({ attributes }) => attributes["content"]);
      const canonical = find(all, "link").filter(({ attributes }) =>
        attributes["rel"] === "canonical"
      ).map(({ attributes }) => attributes["href"]);
      const [title, ...others] = find(all, "title").filter(({ inside }) =>
        inside.at(-1) === "head"
      );
      assert.equal(others.length, 0, path);
      titles.add(title?.text ?? "");
      assert.deepEqual(meta("og:title"), [title?.text], path);
      assert.ok((meta("description")[0]?.length ?? 0) > 10, path);
      assert.deepEqual(meta("og:description"), meta("description"), path);
      assert.deepEqual(canonical, [`${BASE_URL}${path}`]);
      assert.deepEqual(meta("og:url"), canonical);
      assert.deepEqual(meta("robots"), [], path);
    }
    assert.equal(titles.size, pages.length);
  });

  await t.step("shows each island as one element, whose place no runtime can mistake", () => {
    const islands = /<!--frsh:island:(\w+)[^>]*-->([^]*?)<!--\/frsh:island-->/g;
    const seen = new Set<string>();
    for (const [path, { html }] of found) {
      for (const [, name = "", shown = ""] of (html ?? "").matchAll(islands)) {
        seen.add(name);
        const roots = parseHtml(`<body>${shown}</body>`).filter(({ inside }) =>
          inside.length === 1
        );
        assert.ok(roots.length <= 1, `${path} ${name}: ${roots.map(({ tag }) => tag)}`);
      }
    }
    assert.ok(seen.has("CopyButtons") && seen.size > 2, [...seen].join());
  });

  await t.step("is valid, as are errors and what a search finds", async () => {
    const faults: string[] = [];
    for (const path of [...pages, "/?q=jam", "/docs?q=key", "/docs?q=%3Cb%3Exyzzy", "/nowhere"]) {
      const { html } = found.get(path) ?? await look(site, path);
      for (const fault of await faultsOf(html ?? "")) faults.push(`${path} ${fault}`);
    }
    assert.deepEqual(faults, []);
  });
});

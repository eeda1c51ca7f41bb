/** The page *Follow*: its subscriptions, their contents, and that every address responds. */

import assert from "node:assert/strict";
import { find } from "./html.ts";
import { BASE_URL, eventOn, openSite, type Site } from "./site.ts";

const RECORDS = [
  eventOn("Over", "2026-06-01/2026-06-03"),
  eventOn("On", "2026-11-20/2026-11-22"),
  eventOn("Next", "2026-12-01/2026-12-02"),
];

/** The addresses on the page, in text and in links, as paths of this site. */
async function offered(site: Site, path: string): Promise<string[]> {
  const { status, all } = await site.see(path);
  assert.equal(status, 200, path);
  const codes = find(all, "code").map(({ text }) =>
    /https?:[^"]+/.exec(text)?.[0].replaceAll("&amp;", "&") ?? ""
  );
  const links = find(all, "a").filter(({ inside }) => inside.includes("section"))
    .map(({ attributes }) => attributes["href"] ?? "");
  const forms = links.map((href) => new URL(href, BASE_URL))
    .map(({ href, searchParams }) => searchParams.get("cid") ?? searchParams.get("url") ?? href);
  const paths = [...codes, ...forms]
    .map((address) => address.replace(/^webcal:/, "https:").replace(BASE_URL, ""));
  return [...new Set(paths)];
}

Deno.test("every address of Follow and of its markdown answers, with the states that are chosen", async () => {
  await using site = await openSite(RECORDS);
  const filters = "?q=on&status=ended&format=online&from=2026-01-01&pinned=false";
  for (const search of ["", "?status=ended", filters]) {
    const path = `/follow${search}`;
    const addresses = await offered(site, path);
    assert.deepEqual(
      addresses.toSorted(),
      [
        `/api/v1/events${search}`,
        `/api/v1/events/rss${search}`,
        `/calendar.ics${search}`,
        "/docs/embed",
        "/docs/events",
        `/embed${search}`,
        `/feed.atom${search}`,
        `/feed.json${search}`,
      ].toSorted(),
    );
    const twin = await (await site.get(`/follow.md${search}`)).text();
    const markdown = twin.replaceAll("&amp;", "&");
    for (const address of addresses) {
      assert.equal((await site.get(address)).status, 200, address);
      assert.ok(markdown.includes(`${BASE_URL}${address}`), address);
    }
  }
});

Deno.test("Follow describes its events in words, with their number", async () => {
  await using site = await openSite(RECORDS);
  const words = async (path: string) => find((await site.see(path)).all, "main")[0]?.text ?? "";
  const all = await words("/follow");
  assert.match(all, /All events: 2 events, and 1 past one/);
  assert.match(all, /contains all events/);
  const chosen = await words("/follow?status=upcoming,ongoing&q=nex&view=cards");
  const what = "vents with “nex” that are on now or coming up";
  assert.ok(chosen.includes(`E${what}: 1 event`), chosen);
  assert.ok(chosen.includes(`The calendar contains e${what};`));
  assert.ok(chosen.includes(`Each feed contains e${what}: the 20 announced last.`));
  for (const path of ["/calendar.ics", "/api/v1/events/rss"]) {
    const found = await (await site.get(`${path}?status=upcoming,ongoing&q=nex`)).text();
    assert.match(found, /Next/);
    assert.doesNotMatch(found, /(?:SUMMARY:|<title>)O/);
  }
});

Deno.test("Follow offers its addresses while the events cannot be read", async () => {
  await using site = await openSite(RECORDS);
  site.store.faults.push({ kind: "status", status: 401 });
  const { status, html } = await site.see("/follow?format=online");
  assert.equal(status, 200);
  assert.match(html, /calendar\.ics\?format=online/);
  assert.doesNotMatch(html, /followed online: \d/);
});

Deno.test("the filters of Follow can be removed there, and are chosen on the home page", async () => {
  await using site = await openSite(RECORDS);
  const { all } = await site.see("/follow?status=upcoming&format=online");
  const chips = find(all, "a", "chip").map(({ text, attributes }) => [text, attributes["href"]]);
  assert.deepEqual(chips, [
    ["WithoutComing up ×", "/follow?format=online"],
    ["WithoutCan be followed online ×", "/follow?status=upcoming"],
  ]);
  const [choose] = find(all, "a").filter(({ text }) => text === "Choose which events");
  assert.equal(choose?.attributes["href"], "/?status=upcoming&format=online");
});

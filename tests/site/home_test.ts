/** The home page through the public door: what leads, what filters, what is told. */

import assert from "node:assert/strict";
import { FONT, FONT_SCRIPT } from "../../routes/(_components)/font_loading.tsx";
import { nameSize } from "../../routes/(_shared)/card.ts";
import { assertStylesAllowed, find, hashOf, type HtmlElement } from "./html.ts";
import { BASE_URL, openSite, row, type Seen, THEME_CELLS } from "./site.ts";

const names = ({ all }: Seen) => [...find(all, "h3")].map(({ text }) => text);

const PROGRAMME = [
  row({ "Name": "Ended long ago", "Start Date": "2026-06-01", "End Date": "2026-06-03" }),
  row({
    "Name": "Next week",
    "Start Date": "2026-11-30",
    "End Date": "2026-12-01",
    "Format": "online",
    "Project Types": ["CAD"],
  }),
  row({
    "Name": "On now",
    "Start Date": "2026-11-20",
    "End Date": "2026-11-22",
    "Description": "Bring your own Löt­kolben or a soldering iron.",
    "Format": "both",
    "Project Types": ["Electronics"],
  }),
  row({ "Name": "For ever", "Start Date": "2025-02-01", "End Date": undefined }),
  row({
    "Name": "Pinned and coming",
    "Start Date": "2027-02-01",
    "End Date": "2027-02-03",
    "Pinned": true,
    "Format": "in-person",
    ...THEME_CELLS,
    "Background Type": "color",
    "Background Color": "#2b0a5e",
  }),
];

Deno.test("the page says how many events are on, and how many come", async () => {
  const upcoming = row({ "Name": "Soon", "Start Date": "2026-12-01", "End Date": "2026-12-02" });
  const ongoing = row({ "Name": "Now", "Start Date": "2026-11-20", "End Date": "2026-11-22" });
  const ended = row({ "Name": "Past", "Start Date": "2026-06-01", "End Date": "2026-06-03" });
  const table = [
    [0, 0, "Look around, and join what you like."],
    [0, 1, "Nothing is on today, but 1 event is on the way."],
    [0, 2, "Nothing is on today, but 2 are on the way."],
    [1, 0, "One event is on right now. Come in."],
    [1, 1, "One event is on right now, and 1 more is on the way. Come in."],
    [3, 2, "3 events are on right now, and 2 more are on the way. Come in."],
  ] as const;
  for (const [now, soon, greeting] of table) {
    const events = [ended, ...Array(now).fill(ongoing), ...Array(soon).fill(upcoming)];
    await using site = await openSite(events.map((event, at) => ({ ...event, id: `rec${at}` })));
    const { all } = await site.see("/");
    const told = [...find(all, "p")].filter(({ attributes }) => attributes["class"] === "lede");
    assert.deepEqual(told.map(({ text }) => text), [greeting]);
  }
});

Deno.test("featured events lead, then ongoing, upcoming and past ones", async () => {
  await using site = await openSite(PROGRAMME);
  const seen = await site.see("/");
  assert.equal(seen.status, 200);
  assert.deepEqual(names(seen), [
    "Pinned and coming",
    "On now",
    "For ever",
    "Next week",
    "Ended long ago",
  ]);
  const states = find(seen.all, "p", "state").map(({ text }) => text);
  assert.deepEqual(states, ["in 2 months", "now", "now", "in 9 days"]);
  const times = find(seen.all, "time").map((
    { text, attributes },
  ) => [attributes["datetime"], text]);
  assert.deepEqual(times, [
    ["2027-02-01", "1–3 February 2027"],
    ["2026-11-22", "until tomorrow"],
    ["2025-02-01", "since February 2025"],
    ["2026-11-30", "30 November – 1 December"],
    ["2026-06-03", "was in June"],
  ]);
  assert.match(seen.html, /<strong>5<\/strong> events/);
});

Deno.test("of past events the one that ended last comes first, whenever it began", async () => {
  await using site = await openSite([
    row({ "Name": "Short", "Start Date": "2026-06-10", "End Date": "2026-06-12" }),
    row({ "Name": "Long", "Start Date": "2026-06-01", "End Date": "2026-06-20" }),
    row({ "Name": "First", "Start Date": "2026-05-01", "End Date": "2026-06-02" }),
  ]);
  assert.deepEqual(names(await site.see("/")), ["Long", "Short", "First"]);
});

Deno.test("filters are links and a form, and narrow the page as they say", async () => {
  await using site = await openSite(PROGRAMME);
  const cases: [string, string[]][] = [
    ["?status=ongoing", ["On now", "For ever"]],
    ["?status=ongoing,ended", ["On now", "For ever", "Ended long ago"]],
    ["?format=online", ["On now", "Next week"]],
    ["?projectType=CAD&projectType=Electronics", ["On now", "Next week"]],
    ["?q=SOLDERING%20bring", ["On now"]],
    ["?q=solder%00%1Bing%EF%BF%BE", ["On now"]],
    ["?q=zzz", []],
    ["?sort=name&order=asc", [
      "Ended long ago",
      "For ever",
      "Next week",
      "On now",
      "Pinned and coming",
    ]],
    ["?status=ongoing&sort=startDate", ["On now", "For ever"]],
  ];
  for (const [search, expected] of cases) {
    const seen = await site.see(`/${search}`);
    assert.deepEqual(names(seen), expected, search);
    assert.ok(seen.html.includes(`<strong>${expected.length}</strong>`), search);
  }
  const { all } = await site.see("/?status=ongoing&q=a");
  const chip = (text: string) => find(all, "a", "chip").find((each) => each.text.startsWith(text));
  assert.equal(chip("On now")?.attributes["href"], "/?q=a");
  assert.equal(chip("Past")?.attributes["href"], "/?q=a&status=ongoing,ended");
  const current = all.filter(({ attributes }) => attributes["aria-current"] === "true");
  assert.deepEqual(current.map(({ text }) => text), ["On now", "On now first"]);
  const kept = all.filter(({ tag, attributes }) =>
    tag === "input" && attributes["type"] === "hidden"
  );
  assert.deepEqual(kept.map(({ attributes }) => attributes["value"]), ["ongoing"]);
});

Deno.test("the calendar to subscribe to has the states that are chosen, and says so", async () => {
  await using site = await openSite(PROGRAMME);
  const cases = [
    ["/", "webcal://foyer.example/calendar.ics", "Subscribe to all events"],
    [
      "/?status=upcoming,ongoing&q=a",
      "webcal://foyer.example/calendar.ics?status=upcoming,ongoing",
      "Subscribe to upcoming and ongoing events",
    ],
  ] as const;
  for (const [path, href, words] of cases) {
    const [link] = find((await site.see(path)).all, "a", "subscribe");
    assert.deepEqual([link?.attributes["href"], link?.text], [href, words]);
    const answer = await site.get(href.slice("webcal://foyer.example".length));
    assert.equal(answer.status, 200);
    await answer.body?.cancel();
  }
});

Deno.test("a query string that nobody understands shows the whole page", async () => {
  await using site = await openSite(PROGRAMME);
  for (
    const search of [
      "?nonsense=1",
      "?status=later",
      "?sort=%00",
      "?limit=0",
      "?q=",
      `?q=${"x".repeat(3_000)}`,
      "?%",
    ]
  ) {
    const seen = await site.see(`/${search}`);
    assert.equal(seen.status, 200, search);
    assert.equal(names(seen).length, 5, search);
  }
});

Deno.test("only a service behind TLS tells browsers to stay there", async () => {
  const told = async (address: string) => {
    await using site = await openSite(PROGRAMME, { BASE_URL: address });
    const answers = await Promise.all(["/", "/docs", "/nowhere"].map((path) => site.see(path)));
    return answers.map(({ headers }) => headers.get("strict-transport-security"));
  };
  assert.deepEqual(await told("http://foyer.example"), [null, null, null]);
  for (const line of await told("https://foyer.example")) {
    assert.match(line ?? "", /^max-age=\d{8}/);
  }
});

Deno.test("an empty list, one event and three hundred are pages that mean it", async () => {
  await using empty = await openSite([]);
  assert.match((await empty.see("/")).html, /No events yet/);
  await using single = await openSite([row({ "Name": "Alone" })]);
  assert.match((await single.see("/")).html, /<strong>1<\/strong> event</);
  await using many = await openSite(
    Array.from({ length: 300 }, (_, at) =>
      row({
        "Name": `Workshop ${at} in the ${["north", "east", "south", "west"][at % 4]}`,
        "In Person Location": `Hall ${at % 17}`,
        ...THEME_CELLS,
        "Theme Logo Size": 40 + at % 30,
      })),
  );
  const response = await many.get("/", { headers: { "accept-encoding": "br" } });
  assert.equal(response.headers.get("content-encoding"), "br");
  const size = (await response.bytes()).length;
  assert.ok(size < 60_000, `${size} bytes`);
  assert.equal(names(await many.see("/")).length, 300);
});

Deno.test("a page has room for three hundred events, and leads to the next ones", async () => {
  await using site = await openSite(
    Array.from({ length: 610 }, (_, at) => row({ "Name": `Workshop ${at}`, "Pinned": at === 5 })),
  );
  const seen = new Set<string>();
  const cases = [
    ["/?format=&sort=name", "/?sort=name&from=300", 300],
    ["/?sort=name&from=300", "/?sort=name&from=600", 300],
    ["/?sort=name&from=600", undefined, 10],
  ] as const;
  for (const [path, next, count] of cases) {
    const page = await site.see(path);
    const [link] = find(page.all, "a").filter(({ attributes }) => attributes["rel"] === "next");
    assert.equal(link?.attributes["href"], next, path);
    assert.equal(names(page).length, count, path);
    assert.match(page.html, /<strong>610<\/strong> events/);
    for (const name of names(page)) seen.add(name);
    const filters = find(page.all, "a", "chip").map(({ attributes }) => attributes["href"] ?? "");
    assert.ok(filters.length > 0 && filters.every((href) => !href.includes("from=")), path);
  }
  assert.equal(seen.size, 610);
  const first = await site.see("/");
  assert.equal(names(first).length, 300);
  assert.equal(names(first)[0], "Workshop 5");
  assert.match(first.html, /Show the next 300 of 310 more</);
  for (const beyond of ["/?from=610", "/?from=99999"]) {
    assert.equal(names(await site.see(beyond)).length, 300, beyond);
  }
  const markdown = await (await site.get("/index.md?sort=name&from=600")).text();
  assert.equal(markdown.match(/^- \[Workshop/gm)?.length, 10);
});

Deno.test("the link to all past events leads to the first page of them, from every page", async () => {
  const past = { "Start Date": "2026-10-01", "End Date": "2026-10-02" };
  await using site = await openSite(
    Array.from(
      { length: 420 },
      (_, at) => row({ "Name": `Workshop ${at}`, ...at < 310 ? {} : past }),
    ),
  );
  const page = await site.see("/?from=300");
  const linksOf = ({ all }: Pick<typeof page, "all">) =>
    find(all, "a").filter(({ text }) => text === "All 110 past events")
      .map(({ attributes }) => attributes["href"]);
  assert.deepEqual(linksOf(page), ["/?status=ended"]);
  assert.deepEqual(linksOf(await site.see("/")), [], "none where there are no past events");
  const markdown = await (await site.get("/index.md?from=300")).text();
  assert.match(markdown, /\[All 110 past events\]\(\S+\/index\.md\?status=ended\)/);
  assert.doesNotMatch(await (await site.get("/index.md")).text(), /past events\]/);
});

Deno.test("a page is kept to itself by its headers, and has no style or script outside them", async () => {
  await using site = await openSite(PROGRAMME);
  const hostile = encodeURIComponent('</main><script type="module">boot(<!--');
  for (const path of ["/", "/events/on-now", `/?q=${hostile}`]) {
    const { headers, html, all } = await site.see(path);
    const policy = headers.get("content-security-policy") ?? "";
    for (
      const part of [
        "default-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
        "script-src 'self' 'sha256-",
        "require-trusted-types-for 'script'",
      ]
    ) assert.ok(policy.includes(part), part);
    assert.ok(!policy.includes("unsafe"));
    await assertStylesAllowed(all, policy, path);
    const scripts = find(all, "script").filter(({ attributes }) =>
      attributes["type"] !== "application/ld+json"
    );
    assert.equal(scripts.length, 2);
    for (const { text } of scripts) assert.ok(policy.includes(await hashOf(text)), text);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("strict-transport-security") ?? "", /max-age=\d{8}/);
    assert.ok(!/ style="| on[a-z]+="|nonce=/.test(html));
    for (const { tag, attributes } of all) {
      const address = attributes["src"] ?? (tag === "link" ? attributes["href"] : undefined);
      assert.ok(address === undefined || address.startsWith("/") || address.startsWith(BASE_URL));
    }
  }
});

Deno.test("the display font is loaded at once or, on pages with islands, by a script that the policy names", async () => {
  await using site = await openSite(PROGRAMME);
  const hash = await hashOf(FONT_SCRIPT);
  const table = [
    ["/", "later"],
    ["/events/on-now", "later"],
    ["/api/v1/docs", "later"],
    ["/docs/proxy", "later"],
    ["/docs", "at once"],
    ["/status", "at once"],
    ["/nowhere", "at once"],
  ] as const;
  for (const [path, when] of table) {
    const { headers, all } = await site.see(path);
    const scripts = find(all, "script").filter(({ text }) => text === FONT_SCRIPT);
    const preloads = find(all, "link").filter(({ attributes }) => attributes["rel"] === "preload");
    assert.deepEqual([scripts.length, preloads.length], when === "later" ? [1, 0] : [0, 1], path);
    const policy = headers.get("content-security-policy") ?? "";
    assert.equal(policy.includes(hash), when === "later", path);
    const [sheet] = find(all, "style");
    const address = /url\("(\/fonts\/[^"]+)"\)/.exec(sheet?.text ?? "")?.[1] ?? "";
    assert.ok(address.startsWith(`${FONT}?`), path);
    for (const { attributes } of preloads) assert.equal(attributes["href"], address, path);
    const face = await site.get(address, { method: "HEAD" });
    assert.match(face.headers.get("cache-control") ?? "", /immutable/, path);
  }
});

Deno.test("a part of the page has its cards, their colours and their number, and nothing around them", async () => {
  await using site = await openSite(PROGRAMME);
  const page = await site.see("/?status=ongoing");
  const part = await site.see("/?status=ongoing&part=1");
  assert.deepEqual(names(part), names(page));
  const meta = (name: string) =>
    part.all.find(({ tag, attributes }) => tag === "meta" && attributes["name"] === name)
      ?.attributes["content"];
  assert.equal(meta("count"), "2");
  assert.equal(meta("looks"), find(page.all, "style").at(-1)?.text);
  const [lede] = find(part.all, "p", "lede");
  assert.equal(lede?.text, find(page.all, "p", "lede")[0]?.text);
  assert.deepEqual(find(part.all, "style"), []);
  assert.deepEqual(find(part.all, "script"), []);
  assert.deepEqual(find(part.all, "search"), []);
});

Deno.test("the same page is the same bytes: a second look costs a 304", async () => {
  await using site = await openSite(PROGRAMME);
  const first = await site.get("/");
  const etag = first.headers.get("etag") ?? "";
  assert.match(first.headers.get("vary") ?? "", /accept\b.*accept-encoding/);
  assert.match(first.headers.get("cache-control") ?? "", /^max-age=\d+$/);
  await first.body?.cancel();
  const again = await site.get("/", { headers: { "if-none-match": etag } });
  assert.equal(again.status, 304);
  // Tomorrow "in 9 days" is "in 8 days".
  site.clock.now += 86_400_000;
  const later = await site.get("/", { headers: { "if-none-match": etag } });
  assert.equal(later.status, 200);
  assert.match(await later.text(), /in 8 days/);
});

Deno.test("every card is one link with the event's name, and a button", async () => {
  await using site = await openSite(PROGRAMME);
  const { all } = await site.see("/");
  const inName = (element: HtmlElement) => element.tag === "a" && element.inside.at(-1) === "h3";
  assert.equal(all.filter(inName).length, 5);
  const buttons = find(all, "a", "event-button");
  assert.equal(buttons.length, 4);
  for (const { text } of buttons) assert.match(text, /^Add to calendar: \w[\w ]{4}/);
});

Deno.test("the longer a name or its longest word, the smaller it is set", () => {
  const table = [
    [14, "name-xl"],
    [15, "name-l"],
    [28, "name-l"],
    [29, "name-m"],
    [60, "name-m"],
    [61, "name-s"],
    [130, "name-s"],
    [131, "name-xs"],
  ] as const;
  for (const [length, size] of table) {
    assert.equal(nameSize("a-/ ".repeat(40).slice(0, length)), size, String(length));
  }
  assert.equal(nameSize("abcdef"), "name-xl");
  assert.equal(nameSize("abcdefg"), "name-l");
});

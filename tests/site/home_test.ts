/** The home page through the public door: its first event, its filters, its texts. */

import assert from "node:assert/strict";
import { createRandom } from "../../lib/sandbox/random.ts";
import { assertStylesAllowed, find, hashOf } from "./html.ts";
import { BASE_URL, eventOn, openSite, row, type Seen, THEME_CELLS } from "./site.ts";

const names = ({ all }: Seen) => find(all, "h3").map(({ text }) => text);
/** The number of events that a page says it has. */
const countOf = ({ all }: Seen) =>
  (find(all, "p", "count")[0]?.text.match(/\d+/g) ?? []).reduce((sum, one) => sum + Number(one), 0);
const headings = ({ all }: Seen) => find(all, "h2").map(({ text }) => text);

const RECORDS = [
  eventOn("Ended long ago", "2026-06-01/2026-06-03"),
  eventOn("Next week", "2026-11-30/2026-12-01", { "Format": "online", "Project Types": ["CAD"] }),
  eventOn("On now", "2026-11-20/2026-11-22", {
    "Description": "Bring your own Löt­kolben or a soldering iron.",
    "Format": "both",
    "Project Types": ["Electronics"],
  }),
  eventOn("For ever", "2025-02-01/"),
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
  const upcoming = eventOn("Soon", "2026-12-01/2026-12-02");
  const ongoing = eventOn("Now", "2026-11-20/2026-11-22");
  const ended = eventOn("Past", "2026-06-01/2026-06-03");
  const lasting = eventOn("All year", "2026-01-01/");
  const table = [
    [0, 0, "Nothing is on or announced right now."],
    [0, 1, "One event is coming up, on Tuesday 1 December 2026."],
    [0, 2, "2 events are coming up, from Tuesday 1 December 2026 on."],
    [1, 0, "One event is on now."],
    [1, 1, "One event is on now. One follows, on Tuesday 1 December 2026."],
    [-1, 0, "One event runs all year."],
    [-2, 0, "2 events run all year."],
    [3, 2, "3 events are on now. 2 follow, from Tuesday 1 December 2026 on."],
  ] as const;
  for (const [now, soon, greeting] of table) {
    const on = now < 0 ? lasting : ongoing;
    const events = [ended, ...Array(Math.abs(now)).fill(on), ...Array(soon).fill(upcoming)];
    await using site = await openSite(events.map((event, at) => ({ ...event, id: `rec${at}` })));
    const { all } = await site.see("/");
    const told = [...find(all, "p")].filter(({ attributes }) => attributes["class"] === "lede");
    assert.deepEqual(told.map(({ text }) => text), [greeting]);
  }
});

Deno.test("the longer a name or its longest word, the smaller its letters", async () => {
  const table = [
    ["Tea", "xl"],
    ["Tea in the large garden", "l"],
    ["Donaudampfschifffahrt in X", "m"],
    ["Tea ".repeat(20).trim(), "s"],
  ] as const;
  await using site = await openSite(table.map(([name]) => eventOn(name, "2026-12-01/2026-12-02")));
  const sizeOf = new Map(
    find((await site.see("/")).all, "h3").map(({ text, attributes }) => [
      text,
      /name-(\w+)/.exec(attributes["class"] ?? "")?.[1],
    ]),
  );
  for (const [name, size] of table) assert.equal(sizeOf.get(name), size, name);
});

/** The days of events by their names, in the order of the page, under its headings; featured ones end with a star. */
const ARRANGEMENTS: Readonly<Record<string, Record<string, Record<string, string>>>> = {
  "this week leads, then comes what runs all year, then the months": {
    "This and next month": {
      "Starts": "2026-11-22/2027-11-22",
      "On": "2026-11-20/2026-11-22",
      "Next": "2026-12-01/2026-12-01",
    },
    "All year": { "For ever": "2025-02-01/" },
    "February 2027": { "Coming*": "2027-02-01/2027-02-03" },
  },
  "featured events lead their group, unless they would hide what is near": {
    "This and next week": {
      "Near*": "2026-11-24/2026-11-30",
      "Ends": "2026-11-19/2026-11-21",
      "Monday": "2026-11-23/2026-11-23",
      "Later": "2026-11-29/2026-12-03",
      "Next": "2026-11-29/2026-12-03",
      "Lasts*": "2026-11-20/2027-01-05",
    },
    "December 2026": { "Far*": "2026-12-05/2026-12-05" },
  },
  "this week is alone with six events": {
    "This week": Object.fromEntries([..."abcdef"].map((name) => [name, "2026-11-22/2026-11-27"])),
    "Later in November": { "Later": "2026-11-23/2026-11-23" },
  },
  "with fewer it has the next one beside it": {
    "This and next week": {
      ...Object.fromEntries([..."abcde"].map((name) => [name, "2026-11-22/2026-11-27"])),
      "Later": "2026-11-29/2026-11-30",
    },
    "Later in November": { "Last": "2026-11-30/2026-11-30" },
  },
  "with fewer in both it has the rest of the month": {
    "This month": { "Now": "2026-11-21/2026-11-21", "Last": "2026-11-30/2026-11-30" },
    "February 2027": { "Then": "2027-02-01/2027-02-01" },
  },
  "with fewer there it has the next month too": {
    "This and next month": {
      "Now": "2026-11-21/2026-11-21",
      "Then": "2026-12-31/2027-01-31",
    },
    "January 2027": { "Later": "2027-01-01/2027-01-01" },
  },
  "without an event this week, next week leads": {
    "Next week": Object.fromEntries([..."abcdef"].map((name) => [name, "2026-11-24/2026-11-27"])),
    "Later in November": { "Later": "2026-11-30/2026-11-30" },
  },
  "what is on for months runs all year until its last days": {
    "This week": { "Last days": "2026-03-01/2026-11-22", "Short": "2026-11-15/2026-12-31" },
    "All year": { "Long": "2026-03-01/2027-02-01", "For ever": "2026-03-01/" },
  },
  "what runs all year is alone": { "All year": { "For ever": "2026-03-01/" } },
};

for (const [what, groups] of Object.entries(ARRANGEMENTS)) {
  Deno.test(`the home page: ${what}`, async () => {
    const events = Object.values(groups).flatMap((group) => Object.entries(group));
    await using site = await openSite(
      events.map(([name, days]) => eventOn(name, days, { "Pinned": name.endsWith("*") })),
    );
    const seen = await site.see("/");
    assert.deepEqual(headings(seen), Object.keys(groups));
    assert.deepEqual(names(seen), events.map(([name]) => name));
    const { "All year": lasting = {}, ...rest } = groups;
    const [count, year] = [Object.values(rest).flatMap(Object.keys).length, Object.keys(lasting)];
    assert.match(
      find(seen.all, "p", "count")[0]?.text ?? "",
      year.length === 0 ? new RegExp(`^${count} events?$`) : new RegExp(
        count === 0 ? `^1 event all year$` : `^${count} events, ${year.length} all year$`,
      ),
    );
    const featured = events.filter(([name]) => name.endsWith("*"));
    assert.equal(find(seen.all, "p", "badge").length, featured.length);
    // Posters, unless something else leads.
    const tiles = find(seen.all, "li", "event-tile");
    const isAlone = Object.keys(groups).length === 1;
    assert.equal(tiles.length, isAlone ? 0 : Object.keys(groups["All year"] ?? {}).length);
  });
}

Deno.test("cards and the list have the same groups, and each line has its day and month", async () => {
  const days = ["2026-11-24", "2026-11-25", "2026-12-01", "2026-12-05", "2026-12-31", "2027-12-01"];
  const image = { "Background Type": "image", "Background Image Url": "https://media.example/a" };
  await using site = await openSite(
    days.map((day, at) =>
      row({
        ...{ "Name": day, "Start Date": day, "End Date": day, ...image },
        "Format": ["online", "in-person", "both"][at % 3],
        "In Person Location": at === 4 ? "Porto" : undefined,
      })
    ),
  );
  const withImages = ({ all }: Seen) =>
    all.filter(({ attributes }) => /\bscrimmed\b/.test(attributes["class"] ?? "")).length;
  const cards = await site.see("/");
  assert.deepEqual(names(cards), days);
  assert.deepEqual(headings(cards), ["This and next month", "December 2027"]);
  // An id that begins with a digit needs an escape in every selector.
  const ids = find(cards.all, "h2").map(({ attributes }) => attributes["id"]);
  assert.deepEqual(ids, ["week", "month-2027-12"]);
  assert.equal(find(cards.all, "li", "card").length, days.length);
  assert.equal(withImages(cards), days.length);
  const list = await site.see("/?view=list");
  assert.deepEqual(names(list), days);
  assert.deepEqual(headings(list), headings(cards));
  assert.equal(find(list.all, "li", "card").length, 0);
  assert.equal(withImages(list), 0);
  assert.deepEqual(find(list.all, "span", "implied").map(({ text }) => text), ["In person"]);
  for (const path of ["/?view=list", "/?sort=announcedAt&view=list"]) {
    const leaves = find((await site.see(path)).all, "p", "leaf").map(({ text }) => text);
    assert.deepEqual(
      leaves.toSorted(),
      ["1Dec", "1Dec", "24Nov", "25Nov", "31Dec", "5Dec"],
      path,
    );
  }
});

Deno.test("events are in the order of their names or of their announcement, and equal ones of their ids", async () => {
  await using site = await openSite([
    row({ "id": "rec1", "Name": "Beta", "Announced At": "2026-11-02T00:00:00Z" }),
    row({ "id": "rec3", "Name": "Alpha", "Announced At": "2026-11-02T00:00:00Z" }),
    row({ "id": "rec2", "Name": "Alpha", "Announced At": "2026-11-03T00:00:00Z" }),
  ]);
  const order = async (sort: string) => {
    const { all } = await site.see(`/?view=cards&sort=${sort}`);
    return find(all, "a").filter(({ inside }) => inside.at(-1) === "h3")
      .map(({ attributes }) => attributes["href"]);
  };
  const expected = ["/events/alpha-2", "/events/alpha", "/events/beta"];
  assert.deepEqual([await order("name"), await order("announcedAt")], [expected, expected]);
});

Deno.test("past events have a page for each year, and the one that ended last comes first", async () => {
  await using site = await openSite([
    row({
      ...{ "Name": "Short", "Start Date": "2026-06-10", "End Date": "2026-06-12" },
      "In Person Location": "Porto",
    }),
    eventOn("Long", "2026-06-01/2026-06-20"),
    eventOn("Winter", "2025-12-30/2026-01-02"),
    eventOn("First", "2025-05-01"),
    eventOn("For ever", "2025-02-01/"),
  ]);
  const home = await site.see("/");
  assert.deepEqual(names(home), ["For ever"]);
  const years = find(home.all, "a", "chip").filter(({ inside }) => inside.includes("section"));
  assert.deepEqual(years.map(({ text }) => text), ["2026 (3)", "2025 (1)"]);
  const page = await site.see("/?year=2026&status=ended");
  assert.deepEqual(names(page), ["Long", "Short", "Winter"]);
  assert.deepEqual(headings(page), ["June 2026", "January 2026"]);
  const index = (seen: Seen) =>
    find(seen.all, "a", "chip")
      .filter(({ text, attributes: { href = "" } }) =>
        / \(\d+\)$/.test(text) && /^\/\?status=ended&year=[\d-]+$/.test(href)
      )
      .map(({ text, attributes }) => [text, attributes["href"], attributes["aria-current"]]);
  assert.deepEqual(index(page), [
    ["2026 (3)", "/?status=ended&year=2026", "true"],
    ["2025 (1)", "/?status=ended&year=2025", undefined],
    ["June (2)", "/?status=ended&year=2026-06", undefined],
    ["January (1)", "/?status=ended&year=2026-01", undefined],
  ]);
  const month = await site.see("/?status=ended&year=2026-06");
  assert.deepEqual(names(month), ["Long", "Short"]);
  assert.equal(find(month.all, "h1")[0]?.text, "Past events of June 2026");
  assert.deepEqual(index(month).filter(([, , isOn]) => isOn).map(([text]) => text), [
    "2026 (3)",
    "June (2)",
  ]);
  assert.equal(find(page.all, "h1")[0]?.text, "Past events of 2026");
  const orderOf = ({ all }: Seen) =>
    find(all, "a").map(({ text }) => text)
      .filter((text) => /^(?:Soonest|Latest|Newest|Name)$/.test(text));
  assert.deepEqual(orderOf(home), ["Soonest", "Newest", "Name"]);
  assert.deepEqual(orderOf(page), ["Latest", "Newest", "Name"]);
  assert.ok(find(page.all, "a", "on").some(({ text }) => text === "Latest"));
  const cards = await site.see("/?status=ended&year=2026&view=cards");
  assert.deepEqual(names(cards), names(page));
  assert.deepEqual(find(cards.all, "span", "place").map(({ text }) => text), ["Porto"]);
  const twin = await (await site.get("/index.md?status=ended&year=2026")).text();
  assert.match(twin, /^# Past events of 2026\n/);
  assert.match(twin, /\[2025\]\(\S+\/index\.md\?status=ended&year=2025\): 1 event\n/);
  const sitemap = await (await site.get("/sitemap.xml")).text();
  assert.deepEqual(sitemap.match(/\?[^<]*/g)?.slice(1), [
    "?status=ended&#x26;year=2026",
    "?status=ended&#x26;year=2025",
  ]);
  const robots = async (path: string) => /name="robots"/.test((await site.see(path)).html);
  assert.equal(await robots("/?status=ended&year=2026"), false);
  for (const path of ["/?status=ended", "/?year=2026", "/?view=list", "/?sort=name"]) {
    assert.equal(await robots(path), true, path);
  }
});

Deno.test("if nothing matches, the page leads to all events", async () => {
  await using site = await openSite(RECORDS);
  const { all } = await site.see("/?format=online&projectType=CAD&q=soldering");
  const ways = find(all, "a").filter(({ text }) => text === "Show all events");
  assert.deepEqual(ways.map(({ attributes }) => attributes["href"]), ["/"]);
  await using past = await openSite([RECORDS[0]!]);
  const unfiltered = await past.see("/");
  assert.match(unfiltered.html, /No upcoming events/);
  assert.deepEqual(headings(unfiltered).slice(1), ["Past events"]);
});

Deno.test("a search with a typo names the search that is meant, and how many events it finds", async () => {
  await using site = await openSite(RECORDS);
  const table = [
    ["solderng", "soldering"],
    ["Nxet week", "next week"],
    ["söldering iorn&format=online", "soldering iron"],
    ["xyzzy", undefined],
    ["pinned solderng", undefined],
  ] as const;
  for (const [typed, meant] of table) {
    const { all } = await site.see(`/?q=${typed}`);
    const [suggested] = find(all, "a", "plain-button");
    const [text = ""] = typed.split("&");
    assert.ok(find(all, "h1")[0]?.text.startsWith("No events"), typed);
    assert.ok(find(all, "h1")[0]?.text.includes(`with “${text}”`), typed);
    assert.ok(find(all, "title")[0]?.text.includes(`with “${text}”`), typed);
    // There is nothing to arrange.
    assert.ok(find(all, "summary").every(({ text }) => text !== "View"), typed);
    if (meant === undefined) assert.equal(suggested?.text, "Show all events", typed);
    else {
      assert.equal(suggested?.text, `${meant}: 1 event`, typed);
      const found = await site.see(suggested?.attributes["href"] ?? "");
      assert.equal(names(found).length, 1, typed);
    }
  }
  const markdown = await (await site.get("/index.md?q=solderng")).text();
  assert.match(markdown, /Did you mean \[soldering\]\(\S+q=soldering\)\? 1 event/);
});

Deno.test("filters are links and a form, and narrow the page as they say", async () => {
  await using site = await openSite(RECORDS);
  const cases: [string, string[]][] = [
    ["?status=ongoing", ["On now", "For ever"]],
    ["?status=ongoing,ended", ["On now", "For ever", "Ended long ago"]],
    ["?q=solder%00%1Bing%EF%BF%BE", ["On now"]],
    ["?q=long", ["Ended long ago"]],
    ["?sort=name", ["For ever", "Next week", "On now", "Pinned and coming"]],
    ["?status=ongoing&sort=startDate", ["On now", "For ever"]],
  ];
  for (const [search, expected] of cases) {
    const seen = await site.see(`/${search}`);
    assert.deepEqual(names(seen), expected, search);
    assert.equal(countOf(seen), expected.length, search);
  }
  const week = await site.see("/?when=this-week");
  const past = find(week.all, "a", "chip").find(({ text }) => text === "Past");
  assert.equal(past?.attributes["href"], "/?status=ended");
  const { all } = await site.see("/?status=ongoing&q=a");
  const chip = (text: string) => find(all, "a", "chip").find((each) => each.text.startsWith(text));
  assert.equal(chip("On now")?.attributes["href"], "/?q=a");
  assert.equal(chip("Past")?.attributes["href"], "/?q=a&status=ongoing,ended");
  const current = all.filter(({ attributes }) => attributes["aria-current"] === "true");
  assert.deepEqual(current.map(({ text }) => text), ["On now", "Cards", "Soonest"]);
  const chosen = find(all, "a", "on").filter(({ text }) => text.startsWith("Without"));
  assert.deepEqual(chosen.map(({ text, attributes }) => [text, attributes["href"]]), [
    ["WithoutOn now ×", "/?q=a"],
  ]);
  const kept = all.filter(({ tag, attributes }) =>
    tag === "input" && attributes["type"] === "hidden"
  );
  assert.deepEqual(kept.map(({ attributes }) => attributes["value"]), ["ongoing"]);
});

Deno.test("an event that is shown because it can be followed online says so, also where it runs all year", async () => {
  const format = (format: string, place?: string) => ({
    "Format": format,
    "In Person Location": place,
  });
  await using site = await openSite([
    eventOn("Call", "2026-11-22", format("online")),
    eventOn("Hall", "2026-11-22", format("both", `Hall ${"x".repeat(400)}`)),
    eventOn("Both", "2026-11-22", format("both")),
    eventOn("Year", "2026-01-01/", format("both", "Porto")),
    eventOn("Series", "2026-01-01/", format("online")),
    eventOn("Pub", "2026-11-22", format("in-person", "Porto")),
  ]);
  const shown = async (search: string) => {
    const { all } = await site.see(`/${search}`);
    return find(all, "li").filter(({ attributes }) =>
      /^(?:card|line|event-tile)\b/.test(attributes["class"] ?? "")
    ).map(({ text }) => text);
  };
  for (const view of ["cards", "list"]) {
    for (const search of [`?format=online&view=${view}`, `?format=online&sort=name&view=${view}`]) {
      const events = await shown(search);
      assert.equal(events.length, 5, search);
      for (const text of events) assert.match(text, /online/i, search);
    }
    assert.equal((await shown(`?format=online-only&view=${view}`)).length, 2);
  }
  const { html } = await site.see("/?format=online-only");
  assert.match(html, /Online-only events: 1 event, 1 all year/);
});

Deno.test("the subscriptions have the events of the page, in words and in every address", async () => {
  await using site = await openSite(RECORDS);
  const cases = [
    ["/", "", /^All events: \d+ events/],
    ["/?sort=name&view=cards&skip=1", "", /^All events: /],
    [
      "/?to=2027-12-31&view=list&pinned=false&q=a&status=upcoming,ongoing",
      "?q=a&status=upcoming,ongoing&to=2027-12-31&pinned=false",
      /^Events with “a” that are not featured and on now or coming up until 31 December 2027: \d+ ev/,
    ],
    [
      "/?projectType=CAD&projectType=Electronics&projectType=Other",
      "?projectType=Electronics,CAD,Other",
      /^Events about electronics or CAD or other topics: 2 events/,
    ],
  ] as const;
  for (const [path, search, words] of cases) {
    const { all } = await site.see(path);
    const [said] = find(all, "li", "what");
    assert.match(said?.text ?? "", words);
    const menu = find(all, "a").filter(({ attributes }) => attributes["rel"] === "noreferrer");
    const [google, apple, outlook, work, feeds] = menu.slice(0, 5)
      .map(({ attributes }) => attributes["href"] ?? "");
    const calendar = `${BASE_URL}/calendar.ics${search}`;
    const webcal = calendar.replace("https:", "webcal:");
    assert.equal(new URL(google ?? "").searchParams.get("cid"), webcal);
    assert.equal(apple, webcal);
    assert.equal(new URL(outlook ?? "").searchParams.get("url"), calendar);
    assert.equal(work, outlook?.replace("outlook.live.com", "outlook.office.com"));
    assert.equal(feeds, `/follow${search}`);
    const alternates = find(all, "link").map(({ attributes }) => attributes["href"]);
    for (const path of ["/calendar.ics", "/api/v1/events/rss", "/feed.atom", "/feed.json"]) {
      assert.ok(alternates.includes(`${path}${search}`), path);
    }
  }
});

Deno.test("a last day before the first is said, chooses nothing, and stays in the form and in the address", async () => {
  await using site = await openSite([
    ...RECORDS,
    // On at both days, which are in the wrong order.
    eventOn("Long", "2026-11-01/2027-11-01"),
  ]);
  const search = "?q=o&from=2027-02-01&to=2026-12-01";
  const seen = await site.see(`/${search}`);
  assert.deepEqual(names(seen), []);
  assert.match(find(seen.all, "p", "lede")[0]?.text ?? "", /last day is before the first/);
  const fields = find(seen.all, "input").filter(({ attributes }) => attributes["type"] === "date");
  assert.deepEqual(fields.map(({ attributes }) => attributes["value"]), [
    "2027-02-01",
    "2026-12-01",
  ]);
  const hrefs = find(seen.all, "a").map(({ attributes }) => attributes["href"]);
  const online = hrefs.filter((href) => href?.includes("format=online"));
  assert.ok(online.some((href) => href?.endsWith("from=2027-02-01&to=2026-12-01")), "a choice");
  for (const without of ["?q=o&from=2027-02-01", "?q=o&to=2026-12-01"]) {
    assert.ok(hrefs.includes(`/${without}`), without);
  }
  for (const path of hrefs.filter((href) => /^\/(?:api|feed|calendar|follow)/.test(href ?? ""))) {
    assert.equal((await site.get(path ?? "")).status, 200, path);
  }
  const markdown = await site.get(`/${search}`, { headers: { accept: "text/markdown" } });
  assert.match(await markdown.text(), /last day is before the first/);
});

Deno.test("an unknown query string shows the whole page, and /events leads to it, with its filters", async () => {
  await using site = await openSite(RECORDS);
  for (const [search, path] of [["", "/"], ["?q=solder", "/?q=solder"]]) {
    const { status, headers } = await site.see(`/events${search}`);
    assert.deepEqual([status, headers.get("location")], [302, path]);
  }
  const unknown = ["?nonsense=1", "?status=later", "?sort=%00", "?limit=0", "?q=", "?%"];
  for (const search of [...unknown, `?q=${"x".repeat(3_000)}`]) {
    const seen = await site.see(`/${search}`);
    assert.equal(seen.status, 200, search);
    assert.equal(names(seen).length, 4, search);
  }
});

Deno.test("an open tab of the version before asks for a part, lacks its `.found`, and loads the page", async () => {
  await using site = await openSite(RECORDS);
  const { all } = await site.see("/?status=upcoming&part");
  const classes = all.flatMap(({ attributes }) => attributes["class"]?.split(" ") ?? []);
  const parts = ["hello", "filters", "found"].filter((name) => classes.includes(name));
  assert.deepEqual(parts, ["hello", "filters"]);
});

Deno.test("only a service behind TLS tells browsers to stay there", async () => {
  const told = async (address: string) => {
    await using site = await openSite(RECORDS, { BASE_URL: address });
    const answers = await Promise.all(["/", "/docs", "/nowhere"].map((path) => site.see(path)));
    return answers.map(({ headers }) => headers.get("strict-transport-security"));
  };
  assert.deepEqual(await told("http://foyer.example"), [null, null, null]);
  for (const line of await told("https://foyer.example")) {
    assert.match(line ?? "", /^max-age=\d{8}/);
  }
});

Deno.test("a page has room for three hundred events, and leads to the next ones", async () => {
  await using site = await openSite(
    Array.from({ length: 610 }, (_, at) => row({ "Name": `Workshop ${at}`, "Pinned": at === 5 })),
  );
  const seen = new Set<string>();
  const cases = [
    ["/?format=&sort=name", "/?sort=name&skip=300", 300],
    ["/?sort=name&skip=300", "/?sort=name&skip=600", 300],
    ["/?sort=name&skip=600", undefined, 10],
  ] as const;
  for (const [path, next, count] of cases) {
    const page = await site.see(path);
    const [link] = find(page.all, "a").filter(({ attributes }) => attributes["rel"] === "next");
    assert.equal(link?.attributes["href"], next, path);
    assert.equal(names(page).length, count, path);
    assert.match(page.html, /<strong>610<\/strong> events/);
    for (const name of names(page)) seen.add(name);
    const filters = find(page.all, "a", "chip").map(({ attributes }) => attributes["href"] ?? "");
    assert.ok(filters.length > 0 && filters.every((href) => !href.includes("skip=")), path);
  }
  assert.equal(seen.size, 610);
  const first = await site.see("/");
  assert.equal(names(first).length, 300);
  assert.ok(names(first).includes("Workshop 5"));
  assert.match(first.html, /Show the next 300 of 310 more</);
  for (const [skip, words] of [[309, "the last one"], [308, "the last 2"], [10, "the last 300"]]) {
    assert.match((await site.see(`/?skip=${skip}`)).html, new RegExp(`>Show ${words}</a>`));
  }
  for (const beyond of ["/?skip=610", "/?skip=99999"]) {
    assert.equal(names(await site.see(beyond)).length, 300, beyond);
  }
  const markdown = await (await site.get("/index.md?sort=name&skip=600")).text();
  assert.equal(markdown.match(/^- \[Workshop/gm)?.length, 10);
});

Deno.test("past events are sixty a page, and every list leads to them", async () => {
  await using site = await openSite([
    ...Array.from({ length: 130 }, (_, at) => eventOn(`Past ${at}`, "2026-05-01/2026-05-02")),
    ...Array.from({ length: 5 }, (_, at) => eventOn(`Next ${at}`, "2026-11-24/2026-11-25")),
  ].map((record, at) => ({ ...record, id: `rec${at}` })));
  const table = [
    ["/?status=ended", 60, "Show the next 60 of 70 more"],
    ["/?status=ended&year=2026&skip=60", 60, "Show the last 10"],
    ["/?status=ended&sort=name&skip=120", 10, undefined],
    // A search has those that come, and then those that are over.
    ["/?from=2026-01-01", 65, "Show the next 60 of 70 more"],
    ["/?from=2026-01-01&skip=125", 10, undefined],
    ["/?to=2026-11-24", 65, "Show the next 60 of 70 more"],
    ["/?from=2026-05-02&to=2026-06-30", 60, "Show the next 60 of 70 more"],
  ] as const;
  for (const [path, count, words] of table) {
    const page = await site.see(path);
    assert.equal(names(page).length, count, path);
    const next = find(page.all, "a").find(({ attributes }) => attributes["rel"] === "next");
    assert.equal(next?.text, words, path);
  }
  const lists = [
    "/",
    "/?status=upcoming",
    "/?when=this-weekend",
    "/?q=next",
    "/?q=past&status=ended",
  ]
    .concat("/?view=list", "/?sort=name", "/?from=2026-11-01", "/?year=2026", "/?format=online");
  for (const path of lists) {
    const { all } = await site.see(path);
    const past = find(all, "a", "chip").filter(({ text }) => /^2026 \(\d+\)$/.test(text));
    const isWithout = path === "/?q=next" || path === "/?from=2026-11-01" ||
      path === "/?format=online";
    assert.equal(past.length, isWithout ? 0 : 1, path);
    for (const { attributes } of past) {
      const shown = names(await site.see(attributes["href"] ?? ""));
      assert.ok(shown.length === 60 && shown.every((name) => name.startsWith("Past")), path);
    }
  }
});

Deno.test("a page is kept to itself by its headers, and has no style or script outside them", async () => {
  await using site = await openSite(RECORDS);
  const hostile = encodeURIComponent('</main><script type="module">boot(<!--');
  for (const path of ["/", "/events/on-now", `/?q=${hostile}`]) {
    const { headers, html, all } = await site.see(path);
    const policy = headers.get("content-security-policy") ?? "";
    const parts = ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]
      .concat("form-action 'self'", "script-src 'self' 'sha256-")
      .concat("require-trusted-types-for 'script'");
    for (const part of parts) assert.ok(policy.includes(part), part);
    assert.ok(!policy.includes("unsafe"));
    await assertStylesAllowed(all, policy, path);
    const scripts = find(all, "script").filter(({ attributes }) =>
      attributes["type"] !== "application/ld+json"
    );
    assert.equal(scripts.length, 1);
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

Deno.test("over random events and choices, the sentence, the count and the groups agree", async () => {
  const random = createRandom(20261121);
  const { pick, int, chance } = random;
  const day = () => dateAfter("2026-11-21", int(-250, 150));
  for (let run = 0; run < 12; run++) {
    await using site = await openSite(
      Array.from({ length: int(1, 40) }, (_, at) => {
        const start = day();
        const length = pick([0, 0, 1, 3, 20, 100, 500]);
        return row({
          "Name": `Event ${at}`,
          "Start Date": start,
          "End Date": chance(0.1) ? undefined : dateAfter(start, length),
          "Pinned": chance(0.15),
          "Format": pick(["online", "in-person", "both", undefined]),
          "Project Types": [pick(["CAD", "Software"])],
        });
      }),
    );
    for (
      const search of [
        "",
        "?view=list",
        "?sort=announcedAt",
        `?format=${pick(["online", "in-person"])}`,
        `?status=${pick(["ongoing", "upcoming", "ended", "ongoing,ended"])}`,
        `?q=${int(0, 9)}&projectType=CAD`,
        `?from=${day()}&to=${day()}`,
        `?when=${pick(["today", "this-weekend", "this-week", "next-week", "this-month"])}`,
      ]
    ) {
      const seen = await site.see(`/${search}`);
      const what = `run ${run} ${search}`;
      const count = countOf(seen);
      const shown = names(seen);
      assert.equal(shown.length, count, what);
      assert.equal(new Set(shown).size, count, what);
      const [lede] = find(seen.all, "p", "lede");
      // Days have their month beside them, and years four digits.
      const numbers = (lede?.text ?? "").replace(/\d+ [A-Z]\w+ \d{4}/g, "")
        .match(/\b\d+\b|\bone\b/gi) ?? [];
      const said = numbers.map((word) => Number(word) || 1);
      if (/last day is before/.test(lede?.text ?? "")) assert.equal(count, 0, what);
      else assert.equal(said.reduce((a, b) => a + b, 0), count, `${what}: ${lede?.text}`);
    }
  }
});

function dateAfter(date: string, days: number): string {
  return `${Temporal.PlainDate.from(date).add({ days })}`;
}

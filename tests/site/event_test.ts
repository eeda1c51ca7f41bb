/** The page of an event through the public door: its facts, its head, and hostile records. */

import assert from "node:assert/strict";
import { assertStylesAllowed, find } from "./html.ts";
import { BASE_URL, eventOn, openSite, row, THEME_CELLS } from "./site.ts";

Deno.test("an event is announced on the day of its organisation's zone", async () => {
  const records = [row({ "Name": "Jam", "Announced At": "2026-10-31T23:30:00Z" })];
  await using site = await openSite(records, { EVENTS_TIME_ZONE: "Europe/Berlin" });
  const { all } = await site.see("/events/jam");
  assert.equal(find(all, "dd").at(-1)?.text, "1 November 2026");
});

Deno.test("the page has all facts, and leads to its topics and to other events", async () => {
  await using site = await openSite([
    row({
      "Name": "Before",
      "Start Date": "2026-11-30",
      "End Date": "2026-12-02",
      "Background Type": "image",
      "Background Image Url": "https://media.example/a",
    }),
    row({
      id: "recMain",
      "Name": "Main",
      "Description": "First line.\nSecond line.",
      "Url": "https://www.example.org/main",
      "Start Date": "2026-12-01",
      "End Date": "2026-12-20",
      "Format": "both",
      "In Person Start": "2026-12-19",
      "In Person End": "2026-12-20",
      "In Person Location": "Porto, Portugal",
      "Project Types": ["CAD", "Gamedev"],
      "Slack Channel": "main",
      "Slack Url": "https://slack.example.org/main",
      "Requirements": "One.\nTwo.",
    }),
    eventOn("After", "2027-01-01/2027-01-02", { "In Person Location": "Porto, Portugal" }),
  ]);
  const { status, html, all } = await site.see("/events/main");
  assert.equal(status, 200);
  const facts = find(all, "dd").map(({ text }) => text);
  assert.deepEqual(facts, [
    "1–20 December 2026",
    "Porto, Portugal",
    "In person 19–20 December, and online",
    "CADGames",
    "example.org",
    "#main",
    "1 October 2026",
  ]);
  assert.deepEqual(find(all, "li").filter(({ text }) => /^(One|Two)\.$/.test(text)).length, 2);
  const hrefs = find(all, "a").map(({ attributes }) => attributes["href"]);
  const leads = ["https://www.example.org/main", "https://slack.example.org/main", "/follow"]
    .concat("/events/main.ics", "/events/before", "/events/after", "/?projectType=CAD");
  for (const href of leads) assert.ok(hrefs.includes(href), href);
  const [image, ...more] = find(all, "img").map(({ attributes }) => attributes["src"]);
  assert.match(image ?? "", /background/, "another event's");
  assert.deepEqual(more, []);
  const told = find(all, "time").filter(({ text }) => text.includes("1–20 December"));
  assert.equal(told.length, 1, "the dates are told once");
  assert.equal(find(all, "title")[0]?.text, "Main · Foyer");
  const data = JSON.parse(
    all.find(({ attributes }) => attributes["type"] === "application/ld+json")?.text ?? "",
  );
  assert.equal(data["@type"], "Event");
  assert.equal(data.startDate, "2026-12-01");
  assert.equal(data.endDate, "2026-12-20");
  assert.equal(data.eventAttendanceMode, "https://schema.org/MixedEventAttendanceMode");
  assert.equal(data.location[0].name, "Porto, Portugal");
  assert.equal(data.location[1].url, "https://www.example.org/main");
  assert.ok(!html.includes("undefined"));
});

Deno.test("an id leads to the slug, and an unknown address is a clear 404", async () => {
  await using site = await openSite([row({ id: "recOne", "Name": "One" })]);
  for (const twin of ["", ".md"]) {
    const { status, headers } = await site.get(`/events/recOne${twin}`);
    assert.deepEqual([status, headers.get("location")], [302, `/events/one${twin}`]);
  }
  assert.equal((await site.see("/events/none")).status, 404);
});

/** This site, a mail, and the forms of the calendars. */
const HARMLESS = new RegExp(
  "^(?:/|#|mailto:\\?subject=|(?:https|webcal)://foyer\\.example|" +
    "https://calendar\\.google\\.com/calendar/r(?:ender)?\\?|https://outlook\\.(?:live|office)\\.com/calendar/0/)",
);
const HOSTILE = {
  markup: `<script>alert(1)</script><img src=x onerror=alert(1)>"'><b>&amp;`,
  closing: "</style></title></script><!-- ]]>",
  bidi: "\u202egnitset\u202c and \u2067more",
  control: "null\u0000 bell\u0007 escape\u001b[31m",
  long: "A".repeat(2_000),
  template: "{{7*7}} ${7*7} <%= 7*7 %>",
} as const;

Deno.test("at an unknown address, people get links and programs the addresses of the APIs", async () => {
  await using site = await openSite([]);
  const { status, all } = await site.see("/nowhere");
  assert.equal(status, 404);
  const lost = all.filter(({ inside }) => inside.includes("main"));
  const text = lost.map(({ text }) => text).join(" ");
  assert.ok(!text.includes("/api/v1") && !text.includes("/proxy"), text);
  assert.match(text, /404.*not_found/s);
  const hrefs = find(lost, "a").map(({ attributes }) => attributes["href"]);
  assert.ok(hrefs.includes("/") && hrefs.includes("/docs"), `${hrefs}`);
  const json = await site.get("/nowhere", { headers: { accept: "application/json" } });
  assert.match((await json.json()).hint, /\/api\/v1\/events/);
});

Deno.test("an error that passes says to try again, and leads to the same address", async () => {
  await using site = await openSite([]);
  site.store.faults.push({ kind: "status", status: 500, sticky: true });
  const { status, all } = await site.see("/?format=online");
  assert.equal(status, 502);
  const lost = all.filter(({ inside }) => inside.includes("main"));
  const text = lost.map(({ text }) => text).join(" ");
  assert.ok(!text.includes("Retry-After"), text);
  const [again] = find(lost, "a", "plain-button");
  assert.equal(again?.text, "Try again");
  assert.match(again?.attributes["href"] ?? "/", /^(?:href)?$/);
});

Deno.test("a mistyped address of an event leads to the one that is meant", async () => {
  await using site = await openSite([
    row({ "Name": "Python jam" }),
    row({ "id": "rec2", "Name": "Other" }),
  ]);
  for (const typed of ["pyton-jam", "Python-Jan", "pyhton-jam", "pyton-jamxx"]) {
    const { status, all } = await site.see(`/events/${typed}`);
    assert.equal(status, 404);
    const links = find(all, "a").filter(({ inside }) => inside.includes("main"));
    assert.ok(links.some(({ attributes }) => attributes["href"] === "/events/python-jam"), typed);
  }
  for (const typed of ["ruby-jam", "pyton-jamxxx", "o", "oth", "x".repeat(300)]) {
    const { all } = await site.see(`/events/${typed}`);
    assert.ok(!find(all, "a").some(({ text }) => text === "Try again"), typed);
    const hrefs = find(all, "a").map(({ attributes }) => attributes["href"] ?? "");
    assert.ok(hrefs.every((href) => !href.startsWith("/events/")), typed);
  }
});

Deno.test("the header marks the page, or the link that it is below", async () => {
  await using site = await openSite([row({ "Name": "Jam" })]);
  const table: [string, string[]][] = [
    ["/", ["Events page"]],
    ["/?format=online", ["Events page"]],
    ["/events/jam", ["Events true"]],
    ["/follow", ["Follow page"]],
    ["/docs", []],
    ["/status", []],
    ["/nowhere", []],
  ];
  for (const [path, expected] of table) {
    const { all } = await site.see(path);
    const marked = find(all, "a").filter(({ inside, attributes }) =>
      inside.includes("header") && attributes["aria-current"] !== undefined
    );
    assert.deepEqual(
      marked.map(({ text, attributes }) => `${text} ${attributes["aria-current"]}`),
      expected,
      path,
    );
  }
});

Deno.test("hostile records are shown as text", async () => {
  await using site = await openSite(
    Object.entries(HOSTILE).map(([id, text]) =>
      row({
        id: `rec${id}`,
        "Name": text,
        "Description": text,
        "In Person Location": text,
        "Requirements": `One.\n${text}`,
        "Slack Channel": text,
        "Url": "javascript:alert(1)",
        "Slack Url": "data:text/html,<script>alert(1)</script>",
        "Format": "in-person",
        ...THEME_CELLS,
        "Background Type": "color",
        "Background Color": `red;}</style><script>alert(1)</script>`,
        "Theme Text": "url(javascript:alert(1))",
        "Theme Accent": "expression(alert(1))",
        "Theme Button Color": "var(--x);background:url(//evil.example)",
      })
    ),
  );
  const home = await site.see("/");
  const links = find(home.all, "h3").length;
  assert.equal(links, Object.keys(HOSTILE).length);
  const paths = find(home.all, "a").map(({ attributes }) => attributes["href"] ?? "")
    .filter((href) => /^\/events\/[^.]+$/.test(href));
  assert.equal(new Set(paths).size, links);
  for (const path of ["/", ...new Set(paths)]) {
    const { status, headers, html, all } = await site.see(path);
    assert.equal(status, 200, path);
    await assertStylesAllowed(all, headers.get("content-security-policy") ?? "", path);
    // The site's, the cards', the page's, and the one with what was typed.
    assert.equal(find(all, "style").length, 4, path);
    for (const { tag, attributes } of all) {
      assert.ok(!["b", "iframe", "object"].includes(tag), `${path}: ${tag}`);
      if (tag === "script") {
        assert.match(attributes["type"] ?? "", /^(application\/ld\+json|module)$/);
      }
      for (const [name, value] of Object.entries(attributes)) {
        assert.ok(!/^(?:on|style$)/.test(name), `${path}: ${name}`);
        if (name === "href" || name === "src") {
          assert.match(value, HARMLESS, path);
        }
      }
    }
    // deno-lint-ignore no-control-regex -- none of them may be there
    assert.ok(!/[\u0000-\u0008\u000b-\u001f]/.test(html), path);
    assert.ok(!find(all, "title")[0]?.text.match(/[\u202a-\u202e\u2066-\u2069]/), path);
    assert.ok(!find(all, "style").at(-1)?.text.match(/url|expression|var|</), path);
    for (const { attributes, text } of find(all, "script")) {
      if (attributes["type"] !== "module") assert.equal(JSON.parse(text)["@type"], "Event");
      else {
        // It starts the islands; none of them gets data of a record.
        assert.match(text, /\bboot\(/, path);
        assert.doesNotMatch(text, /alert/, path);
      }
    }
  }
  const page = await site.see(paths.find((path) => path.includes("alert")) ?? "");
  assert.equal(find(page.all, "h1")[0]?.text, HOSTILE.markup);
});

Deno.test("an event goes into each calendar with its days, its place and its page", async () => {
  await using site = await openSite([
    row({
      "Name": "Jam & bread",
      "Description": "Bring: a pan. ".repeat(100),
      "Start Date": "2026-12-30",
      "End Date": "2026-12-31",
      "Format": "in-person",
      "In Person Location": "Porto, Portugal",
    }),
    eventOn("Open", "2027-02-28/"),
    eventOn("Going", "2026-10-01/"),
    eventOn("On Zoom", "2027-02-28/", { "Format": "online", "In Person Location": "Zoom" }),
    eventOn("Over", "2026-10-01/2026-10-02"),
  ]);
  const calendarsOf = async (path: string) =>
    find((await site.see(path)).all, "a").filter(({ inside }) =>
      inside.includes("main") && inside.includes("details")
    ).map(({ attributes }) => new URL(attributes["href"] ?? "", BASE_URL));
  const [google, outlook, work, file, ...others] = await calendarsOf("/events/jam-bread");
  const form = google?.searchParams;
  assert.equal(form?.get("text"), "Jam & bread");
  assert.equal(form?.get("dates"), "20261230/20270101");
  assert.equal(form?.get("location"), "Porto, Portugal");
  assert.match(
    form?.get("details") ?? "",
    /^Bring: .*…\n\nhttps:\/\/foyer\.example\/events\/jam-bread$/,
  );
  assert.ok((google?.href.length ?? 0) < 2_000);
  const compose = outlook?.searchParams;
  assert.deepEqual(
    ["subject", "startdt", "enddt", "allday"].map((name) => compose?.get(name)),
    ["Jam & bread", "2026-12-30", "2027-01-01", "true"],
  );
  assert.equal(work?.host, "outlook.office.com");
  assert.equal(work?.search, outlook?.search);
  // Outlook and mail programs show a `+` as a plus sign, not as a space.
  assert.doesNotMatch(outlook?.search ?? "+", /\+/);
  // Not `webcal:`, by which a program subscribes to a calendar.
  assert.equal(file?.href, `${BASE_URL}/events/jam-bread.ics`);
  assert.deepEqual(others, []);
  assert.match((await site.see("/events/jam-bread")).html, /Apple Calendar and others/);
  const [open] = await calendarsOf("/events/open");
  assert.equal(open?.searchParams.get("dates"), "20270228/20270301");
  // NOON's day has begun.
  const [going] = await calendarsOf("/events/going");
  assert.equal(going?.searchParams.get("dates"), "20261122/20261123");
  const ics = await (await site.get("/events/going.ics")).text();
  assert.match(ics, /DTSTART;VALUE=DATE:20261122\r\n/);
  for (const link of (await calendarsOf("/events/on-zoom")).slice(0, 3)) {
    assert.equal(link.searchParams.get("location"), null);
  }
  assert.deepEqual(await calendarsOf("/events/over"), []);
});

Deno.test("an event's page leads to the three nearest events, to ended ones only from an ended one", async () => {
  const days = {
    "Long over": "2026-06-01/2026-06-02",
    "Over": "2026-11-01/2026-11-02",
    "On": "2026-09-01/2026-12-31",
    "For ever": "2025-01-01/",
    "Next": "2026-11-25",
    "Later": "2026-12-10/2026-12-11",
    "Last": "2027-03-01/2027-03-02",
  };
  await using site = await openSite(
    Object.entries(days).map(([name, days]) => eventOn(name, days)),
  );
  const table = {
    next: ["On", "Later", "Last"],
    on: ["Next", "Later", "Last"],
    over: ["On", "Next", "Later"],
    last: ["On", "Next", "Later"],
  };
  for (const [path, expected] of Object.entries(table)) {
    const { all } = await site.see(`/events/${path}`);
    assert.deepEqual(find(all, "h3").map(({ text }) => text), expected, path);
    const markdown = await (await site.get(`/events/${path}.md`)).text();
    const [, listed = ""] = markdown.split("## Around the same time\n");
    assert.deepEqual([...listed.matchAll(/^- \[([^\]]+)/gm)].map(([, name]) => name), expected);
  }
  await using alone = await openSite([row({ "Name": "Alone" })]);
  assert.doesNotMatch((await alone.see("/events/alone")).html, /Around the same time/);
});

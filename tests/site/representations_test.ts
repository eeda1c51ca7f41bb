/** Every representation of an event, read back by its own parser, has the facts of the API. */
// Not quick: it renders every representation, and reads it back.

import assert from "node:assert/strict";
import MarkdownIt from "markdown-it";
import type { Event } from "../../lib/events/model.ts";
import type { StandInRecord } from "../../lib/sandbox/records.ts";
import { sampleRecords } from "../../lib/sandbox/sample.ts";
import { byUid, readCalendar } from "../support/read_calendar.ts";
import { elementsOf } from "../support/read_xml.ts";
import { find, parseHtml } from "./html.ts";
import { BASE_URL, openSite, row, type Site } from "./site.ts";

/** The facts about an event in one representation; some omit a few. */
interface Facts {
  readonly name?: string;
  readonly startDate?: string;
  readonly endDate?: string | null;
  /** "Berlin, and online"; "" if it is unknown. */
  readonly place?: string;
  readonly location?: string | null;
  /**
   * "2026-12-19/2026-12-20" for days in person that differ from the event's own; nothing follows the slash if there
   * is no end.
   */
  readonly meeting?: string | null;
  readonly description?: string | null;
  readonly website?: string | null;
  readonly projectTypes?: readonly string[];
  readonly address?: string;
}

type Representations = ReadonlyMap<string, Facts>;

/** A feed contains at most so many events. */
const MAX_ITEMS = 100;
const NO_DESCRIPTION = "The organisers have not written a description yet.";
/** "3 May 2026", "12–15 March 2026", "30 March – 2 April 2026", "from 3 May 2026". */
const DATES = /^(from )?(\d+)(?: (\p{L}+))?(?: (\d{4}))?(?: ?– ?(\d+) (\p{L}+) (\d{4}))?/u;

/** By the kind of defect. */
const HOSTILE: Readonly<Record<string, string>> = {
  markup: `<script>alert(1)</script><img src=x onerror=alert(1)>"'><b>&amp;`,
  closing: "</style></title></script><!-- ]]> <![CDATA[ x",
  entities: "&#0; &#xD800; &lt;b&gt; &nbsp; &notanentity; AT&T",
  script: "javascript:alert(1)",
  markdown: "# h\n\n[x](javascript:alert(1)) ![i](http://evil.example/i) `a`\n* b\n1. c | d\n> e",
  calendar: "x\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:evil\\n;,\r\nATTENDEE:mailto:a@b.example",
  bidi: "\u202egnitset\u202c and \u2067more",
  controls: "null\u0000 bell\u0007 escape\u001b[31m \ufffe\uffff\u{1fffe}\ud800 end",
  lines: "a\u2028b\u2029c\u0085d\u000be\rf\tg",
  template: "{{7*7}} ${7*7} <%= 7*7 %> $& $1",
  long: "A".repeat(2_000),
  arabic: "ملتقى البرمجة",
};

/** The API's name of a topic that has another name on pages. */
const topic = (text: string) => text === "Games" ? "Gamedev" : text;

/** One line, since representations differ in their line ends. */
const plain = (text: string) => text.replace(/\s+/g, " ").trim();

function iso(day: string, month = "", year = ""): string {
  return new Date(`${day} ${month} ${year} UTC`).toISOString().slice(0, 10);
}

/** Reads "12–15 March 2026, Berlin": the days, and what comes after them. */
function readDates(text: string) {
  const found = DATES.exec(text.replace(/\u2009/g, " "));
  assert.ok(found !== null, text.slice(0, 80));
  const [all, from, day = "", month, year, lastDay, lastMonth, lastYear] = found;
  const startDate = iso(day, month ?? lastMonth, year ?? lastYear);
  const lastDate = lastDay === undefined ? startDate : iso(lastDay, lastMonth, lastYear);
  return { startDate, endDate: from === undefined ? lastDate : null, rest: text.slice(all.length) };
}

/** The facts of the API, in the words of the other representations. */
function expectedOf(event: Event): Required<Facts> {
  const { name, startDate, endDate, description, format, inPerson, projectTypes, slug } = event;
  const location = inPerson?.location ?? null;
  const places = {
    "online": "Online",
    "both": location === null ? "In person and online" : `${location}, and online`,
    "in-person": location ?? "In person",
  };
  return {
    name,
    startDate,
    endDate,
    place: format === null ? location ?? "" : places[format],
    location: location === null ? null : location,
    meeting: meetingOf(event),
    description,
    website: event.url !== null && /^https?:/.test(event.url) ? new URL(event.url).href : null,
    projectTypes,
    address: `${BASE_URL}/events/${encodeURIComponent(slug)}`,
  };
}

function meetingOf({ inPerson, startDate, endDate }: Event): string | null {
  const { start = null, end = null } = inPerson ?? {};
  if (start === null || start === startDate && (end ?? endDate) === endDate) return null;
  return `${start}/${end ?? ""}`;
}

/** The facts in a feed's text for people: "12–15 March 2026, Berlin", an empty line, the description. */
function readFeedText(text: string, { place, description }: Required<Facts>): Facts {
  const { rest, ...dates } = readDates(text);
  const facts = [place === "" ? "" : `, ${place}`, ...description === null ? [] : [description]];
  const [all = "", days] = / \(in person ([^)]*)\)/.exec(rest) ?? [];
  assert.equal(plain(rest.replace(all, "")), plain(facts.join("\n\n")));
  if (days === undefined) return { ...dates, meeting: null };
  // The event's year is not repeated.
  const year = dates.startDate.slice(0, 4);
  const { startDate, endDate } = readDates(/\d{4}$/.test(days) ? days : `${days} ${year}`);
  return { ...dates, meeting: `${startDate}/${endDate ?? ""}` };
}

async function readHtml(site: Site, { slug }: Event): Promise<[string, Facts][]> {
  const { all } = await site.see(`/events/${encodeURIComponent(slug)}`);
  const facts = new Map<string, typeof all>();
  for (const [at, { tag, text }] of all.entries()) {
    if (tag !== "dt") continue;
    const end = all.findIndex((each, later) => later > at && each.tag === "dt");
    facts.set(text, all.slice(at + 1, end === -1 ? undefined : end));
  }
  const days = find(facts.get("When") ?? [], "time").map((each) => each.attributes["datetime"]);
  const words = find(facts.get("When") ?? [], "dd")[0]?.text ?? "";
  const format = facts.get("Format") ?? [];
  const meets = find(format, "time").map((each) => each.attributes["datetime"]);
  const isOpen = /^In person from /.test(find(format, "dd")[0]?.text ?? "");
  const meta = (name: string) =>
    all.find(({ attributes }) => attributes["property"] === name)?.attributes["content"] ?? "";
  const about = find(all, "p", "about")[0]?.text ?? "";
  const data = JSON.parse(
    all.find(({ attributes }) => attributes["type"] === "application/ld+json")?.text ?? "",
  );
  const place = data.location?.find((each: Record<string, string>) => each["@type"] === "Place");
  const { startDate, endDate } = readDates(words);
  assert.equal(startDate, days[0]);
  const [lastDay = null] = endDate === null ? [] : [days[1] ?? days[0]];
  assert.equal(endDate, lastDay);
  const page: Facts = {
    name: find(all, "h1")[0]?.text ?? "",
    startDate,
    endDate,
    location: find(facts.get("Where") ?? [], "bdi")[0]?.text ?? null,
    meeting: meets.length === 0 ? null : `${meets[0]}/${isOpen ? "" : meets.at(-1)}`,
    description: about === NO_DESCRIPTION ? null : about,
    website: find(facts.get("Website") ?? [], "a")[0]?.attributes["href"] ?? null,
    projectTypes: find(facts.get("Topics") ?? [], "a", "chip").map(({ text }) => topic(text)),
    address: all.find(({ attributes }) => attributes["rel"] === "canonical")?.attributes["href"] ??
      "",
  };
  const linked: Facts = {
    name: data.name,
    startDate: data.startDate,
    endDate: data.endDate ?? null,
    location: place?.name ?? null,
    meeting: data.subEvent === undefined
      ? null
      : `${data.subEvent.startDate}/${data.subEvent.endDate ?? ""}`,
    description: data.description ?? null,
    address: data.url,
  };
  const shared = { name: meta("og:title").replace(/ · Foyer$/, ""), address: meta("og:url") };
  return [["HTML", page], ["JSON-LD", linked], ["Open Graph", shared]];
}

async function readMarkdown(site: Site, { slug }: Event): Promise<Facts> {
  const markdown = await (await site.get(`/events/${encodeURIComponent(slug)}.md`)).text();
  const html = new MarkdownIt({ html: false }).render(markdown).replaceAll(/<br>\s*/g, "<br>\n");
  const all = parseHtml(`<main>${html}</main>`);
  const heading = all.findIndex(({ tag }) => tag === "h2");
  const [, ...paragraphs] = find(all.slice(0, heading), "p")
    .filter(({ inside }) => !inside.includes("blockquote")).map(({ text }) => text);
  const facts = new Map(
    find(all.slice(heading), "li").map(({ text }) => {
      const [, name = "", fact = ""] = /^([A-Z][a-z ]+): ([^]*)$/.exec(text) ?? [];
      return [name, fact];
    }),
  );
  const [, words = "", first = "", last] =
    /^(.*) \((\S+?)(?: to (\S+))?\)$/.exec(facts.get("When") ?? "") ?? [];
  const { startDate, endDate } = readDates(words);
  assert.deepEqual([first, last ?? first], [startDate, endDate ?? startDate]);
  const description = paragraphs.join("\n");
  const website = find(all, "a").find(({ text, inside }) =>
    inside.includes("li") && facts.get("Website") === text
  );
  return {
    name: find(all, "h1")[0]?.text ?? "",
    startDate,
    endDate,
    location: facts.get("Where") ?? null,
    description: description === NO_DESCRIPTION ? null : description,
    website: website?.attributes["href"] ?? null,
    projectTypes: facts.get("Topics")?.split(", ").map(topic) ?? [],
  };
}

/** The documents that contain all events; each event by its id or its address. */
async function readDocuments(site: Site, events: readonly Event[]) {
  const text = async (path: string) => await (await site.get(path)).text();
  const calendar = byUid(readCalendar(await text("/calendar.ics")));
  const rss = elementsOf(await text(`/api/v1/events/rss?limit=${MAX_ITEMS}`));
  const atom = elementsOf(await text(`/feed.atom?limit=${MAX_ITEMS}`));
  const json = JSON.parse(await text(`/feed.json?limit=${MAX_ITEMS}`)).items;
  assert.equal(
    [...calendar.keys()].filter((uid) => !uid.includes(".in-person@")).length,
    events.length,
  );
  assert.equal(json.length, events.length);
  return (event: Event, expected: Required<Facts>): [string, Facts][] => {
    const entry = calendar.get(`${event.id}@foyer.example`) ?? {};
    const lastDayOf = (end: unknown) =>
      end === undefined
        ? null
        : Temporal.PlainDate.from(String(end)).subtract({ days: 1 }).toString();
    const meeting = calendar.get(`${event.id}.in-person@foyer.example`);
    const website = /^Website: (\S+)$/m.exec(String(entry["description"] ?? ""))?.[1] ?? null;
    const item = json.find(({ id }: { id: string }) => id === event.id);
    const facts = itemOf(rss, "/rss/channel/item", "link", expected.address);
    const heard = itemOf(atom, "/feed/entry", "link", expected.address);
    return [
      ["iCalendar", {
        name: String(entry["summary"]),
        startDate: String(entry["dtstart"]),
        endDate: lastDayOf(entry["dtend"]),
        meeting: meeting === undefined
          ? null
          : `${meeting["dtstart"]}/${lastDayOf(meeting["dtend"]) ?? ""}`,
        place: String(entry["location"] ?? ""),
        website,
        projectTypes: [entry["categories"] ?? []].flat(),
        address: String(entry["url"]),
      }],
      ["RSS", {
        name: facts.text("title"),
        ...readFeedText(shown(facts.text("description")), expected),
        startDate: facts.text("ev:startdate"),
        projectTypes: facts.texts("category"),
      }],
      ["Atom", {
        name: heard.text("title"),
        ...readFeedText(shown(heard.text("content")), expected),
        projectTypes: heard.values("category", "term"),
      }],
      ["JSON Feed", {
        name: item.title,
        ...readFeedText(item.content_text, expected),
        startDate: item._foyer.startDate,
        endDate: item._foyer.endDate,
        location: item._foyer.inPerson?.location ?? null,
        website: item.external_url ?? null,
        projectTypes: item.tags ?? [],
        address: item.url,
      }],
    ];
  };
}

/** The item of a feed that leads to an address: elements stand in the order in which they end. */
function itemOf(elements: ReturnType<typeof elementsOf>, path: string, link: string, to: string) {
  const at = elements.findIndex((each) =>
    each.path === `${path}/${link}` && (each.attributes["href"] ?? each.text) === to
  );
  assert.ok(at !== -1, to);
  const before = elements.findLastIndex((each, index) => index < at && each.path === path);
  const after = elements.findIndex((each, index) => index > at && each.path === path);
  const inside = elements.slice(before + 1, after);
  const of = (name: string) => inside.filter((each) => each.path === `${path}/${name}`);
  return {
    text: (name: string) => of(name)[0]?.text ?? "",
    texts: (name: string) => of(name).map(({ text }) => text),
    values: (name: string, attribute: string) =>
      of(name).map(({ attributes }) => attributes[attribute] ?? ""),
  };
}

/** The text that a browser shows for a feed's HTML. */
function shown(html: string): string {
  return html.replaceAll("<br>", "\n").replaceAll("&lt;", "<").replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

function assertAgree(representation: string, facts: Facts, expected: Required<Facts>): void {
  for (const [name, value] of Object.entries(facts)) {
    let wanted: unknown = Reflect.get(expected, name);
    let read: unknown = typeof value === "string" ? plain(value) : value;
    if (typeof wanted === "string") wanted = plain(wanted);
    if (representation === "Open Graph" && name === "name") {
      // Cut to the shown length, and without controls that would reverse the text around it.
      wanted = String(wanted).replace(/[\u202a-\u202e\u2066-\u2069]/g, "").slice(0, 100);
      read = String(read).slice(0, 100);
    }
    if (wanted !== read) {
      assert.deepEqual(
        read,
        wanted,
        `${representation}, ${name} of ${expected.address.slice(0, 100)}`,
      );
    }
  }
}

/** Reads all representations of all events; returns the number of events. */
async function readAll(records: readonly StandInRecord[]): Promise<number> {
  await using site = await openSite(records);
  const { data: events }: { data: Event[] } = await (await site.get("/api/v1/events")).json();
  const fromDocuments = await readDocuments(site, events);
  for (const event of events) {
    const expected = expectedOf(event);
    const representations: Representations = new Map([
      ...await readHtml(site, event),
      ["markdown", await readMarkdown(site, event)],
      ...fromDocuments(event, expected),
    ]);
    assert.equal(representations.size, 8);
    for (const [representation, facts] of representations) {
      assertAgree(representation, facts, expected);
    }
  }
  return events.length;
}

Deno.test("all representations of every sample event agree", async () => {
  const records = sampleRecords();
  let read = 0;
  for (let at = 0; at < records.length; at += MAX_ITEMS) {
    read += await readAll(records.slice(at, at + MAX_ITEMS));
  }
  assert.ok(read > 500, `${read}`);
});

Deno.test("all representations of a hostile event show the same text", async () => {
  const records = Object.entries(HOSTILE).map(([id, text]) =>
    row({
      id: `rec${id}`,
      "Name": text,
      "Description": text,
      "In Person Location": text,
      "Format": id.length % 2 === 0 ? "both" : "in-person",
      "Project Types": ["CAD", "Other"],
      "Requirements": text,
      "Slack Channel": text,
      "Url": text,
    })
  );
  assert.equal(await readAll(records), records.length);
});

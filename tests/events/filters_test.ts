/** Filters: for every query, the page, the list, the four feeds and the calendar choose the same events. */
// Not quick: every filter on every surface.

import assert from "node:assert/strict";
import fc from "fast-check";
import { searchable, spellings } from "../../lib/platform/fold.ts";
import { BASE_URL, type Foyer, row, startFoyer } from "../support/foyer.ts";
import { identifierOf } from "../../lib/events/feeds/internal/identifiers.ts";
import { readCalendar } from "../support/read_calendar.ts";
import { until } from "../support/until.ts";

const TODAY = "2026-11-21";
const STATUSES = ["upcoming", "ongoing", "ended"];
const FORMAT_CHOICES: Readonly<Record<string, readonly string[]>> = {
  "in-person": ["in-person", "both"],
  "online": ["online", "both"],
  "both": ["both"],
  "online-only": ["online"],
};
const FORMATS = ["in-person", "online", "both"];
const TYPES = ["Electronics", "Websites", "Software", "Gamedev", "CAD", "Other"];
const WORDS = ["jam", "Malmö", "ﬁnal", "naïve", "2026", "“x”", "Café-Bar", "A&B", "%"];
/** Each spelling of a place, and the texts of events at it. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  "PORTO": ["Porto, Portugal", "porto"],
  "portugal": ["Porto, Portugal"],
  "Koeln": ["Köln , Germany"],
  "Deutschland": ["Köln , Germany", "Room 5, 12 High Street, Berlin (DE)"],
  "Room 5, 12 High Street, Berlin (DE)": ["Room 5, 12 High Street, Berlin (DE)"],
  "Porto, Germany": [],
  "TBA": [],
};
/** The days of each period on that Saturday. */
const PERIODS: Readonly<Record<string, readonly [string, string]>> = {
  "today": [TODAY, TODAY],
  "this-weekend": [TODAY, "2026-11-22"],
  "this-week": [TODAY, "2026-11-22"],
  "next-week": ["2026-11-23", "2026-11-29"],
  "this-month": [TODAY, "2026-11-30"],
  "next-month": ["2026-12-01", "2026-12-31"],
};
/** The members of an event's JSON that filters examine. */
interface Seen {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly announcedAt: string;
  readonly startDate: string;
  readonly endDate: string | null;
  readonly format: string | null;
  readonly inPerson: { readonly location: string | null } | null;
  readonly projectTypes: readonly string[];
  readonly pinned: boolean;
}

const day = fc.integer({ min: -400, max: 400 }).map((days) =>
  new Date(Date.parse(TODAY) + days * 86_400_000).toISOString().slice(0, 10)
);
const some = (values: readonly string[]) => fc.subarray([...values]);
const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 2 }).map((each) => each.join(" "));

const record = fc.record({
  "Name": words.map((text) => `Event ${text}`),
  "Description": words,
  "Format": fc.constantFrom("", ...FORMATS),
  "In Person Location": fc.constantFrom("", "TBA", ...Object.values(PLACES).flat()),
  "Project Types": some(TYPES),
  "Pinned": fc.boolean(),
  "Start Date": day,
  // Feeds have no event that is to be announced later.
  announced: day.map((date) => date < "2026-11-20" ? date : "2026-11-20"),
  length: fc.option(fc.nat({ max: 90 })),
}).map(({ length, ...cells }) => ({
  ...cells,
  "End Date": length === null ? "" : new Date(
    Date.parse(cells["Start Date"]) + length * 86_400_000,
  ).toISOString().slice(0, 10),
}));

/** The queries: lists of values, or one value. */
const asked = fc.record({
  status: some(STATUSES),
  format: some(Object.keys(FORMAT_CHOICES)),
  projectType: fc.oneof(fc.constant<string[]>([]), some(TYPES)),
  place: fc.oneof(fc.constant<string[]>([]), some(Object.keys(PLACES))),
  q: fc.oneof(fc.constant(""), words.map((text) => text.toUpperCase())),
  when: fc.oneof(fc.constant<string[]>([]), some(Object.keys(PERIODS))),
  days: fc.option(fc.tuple(fc.option(day), fc.option(day))),
  year: fc.option(fc.constantFrom("2025", "2026", "2027", "2026-11"), { freq: 2 }),
  pinned: fc.option(fc.boolean(), { freq: 2 }),
});
/** What a list may be asked besides: its order, and how many of its events. */
const cut = fc.record({
  sort: fc.constantFrom("startDate" as const, "announcedAt" as const, "name" as const),
  order: fc.constantFrom("asc", "desc"),
  limit: fc.integer({ min: 1, max: 100 }),
}, { requiredKeys: [] });
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;
type Cut = typeof cut extends fc.Arbitrary<infer T> ? T : never;

function rangeOf({ days }: Asked): readonly (string | null)[] {
  const [from = null, to = null] = days ?? [];
  return from !== null && to !== null && to < from ? [to, from] : [from, to];
}

/** The rules of the filters, as plainly as they can be written. */
function isAsked(event: Seen, question: Asked): boolean {
  const { status, format, projectType, place, q, when, year, pinned } = question;
  const [from = null, to = null] = rangeOf(question);
  const { startDate, endDate } = event;
  const state = startDate > TODAY ? "upcoming" : (endDate ?? "9") < TODAY ? "ended" : "ongoing";
  const words = event.projectTypes.map((type) => type === "Gamedev" ? "Gamedev Games" : type);
  const text = searchable([event.name, event.description, ...words].join("\n"));
  return (status.length === 0 || status.includes(state)) &&
    (format.length === 0 ||
      format.some((each) => FORMAT_CHOICES[each]?.includes(event.format ?? ""))) &&
    (projectType.length === 0 || event.projectTypes.some((type) => projectType.includes(type))) &&
    q.split(" ").every((word) => spellings(word).some((each) => text.includes(each))) &&
    (place.length === 0 ||
      place.some((each) => PLACES[each]?.includes(event.inPerson?.location ?? ""))) &&
    (when.length === 0 || when.some((period) => {
      const [first, last] = PERIODS[period] ?? assert.fail();
      return startDate <= last && (endDate ?? "9") >= first;
    })) &&
    (from === null || (endDate ?? "9") >= from) && (to === null || startDate <= to) &&
    (year === null || (endDate ?? startDate).startsWith(year)) &&
    (pinned === null || event.pinned === pinned);
}

/** The query as a string; `turn` rotates the order of its parameters and values. */
function searchOf(question: Asked, turn: number): string {
  const { status, format, projectType, place, q, when, year, pinned } = question;
  const [from = null, to = null] = rangeOf(question);
  const turned = <T>(
    list: readonly T[],
  ) => [...list.slice(turn % (list.length || 1)), ...list.slice(0, turn % (list.length || 1))];
  const lists = Object.entries({ status, format, projectType, when }).flatMap(([name, values]) =>
    turn % 2 === 0
      ? turned(values).map((value) => [name, value])
      : values.length === 0
      ? []
      : [[name, turned(values).join(",")]]
  );
  const places = turned(place).map((each) => ["place", each]);
  const rest = Object.entries({ q: q || null, from, to, year, pinned })
    .flatMap(([name, value]) => value === null ? [] : [[name, String(value)]]);
  const query = new URLSearchParams(turned([...lists, ...places, ...rest])).toString();
  return query === "" ? "" : `?${query}`;
}

/** The ids of events in the order of a list, as many as it holds. */
function cutOf(events: readonly Seen[], { sort = "startDate", order = "desc", limit }: Cut) {
  const direction = order === "asc" ? 1 : -1;
  // The order of names; days and times have it too.
  const compare = (a: Seen, b: Seen) =>
    new Intl.Collator("en", { numeric: true }).compare(a[sort], b[sort]) || (a.id < b.id ? -1 : 1);
  return events.toSorted((a, b) => direction * compare(a, b)).map(({ id }) => id)
    .slice(0, limit);
}

/** The slugs on the pages of a query, past years included, each once. */
async function onPages(foyer: Foyer, search: string): Promise<ReadonlySet<string>> {
  const text = await (await foyer.answer(`/index.md${search}`)).text();
  const slugs = [...text.matchAll(/^- \[.*?\]\(https:\/\/foyer\.example\/events\/([^)]*)\):/gm)]
    .map(([, slug = ""]) => decodeURIComponent(slug));
  const years = [...text.matchAll(/^- \[\d{4}\]\(https:\/\/foyer\.example\/index\.md(.*?)\): /gm)]
    .map(([, rest = ""]) => rest);
  const [, next] =
    /\[The next of \d+ more\]\(https:\/\/foyer\.example\/index\.md(.*?)\)/.exec(text) ?? [];
  if (next !== undefined) slugs.push(...await onPages(foyer, next));
  // A page of a year leads to the other years, too, and one without past events to them.
  const hasPast = !/[?&](?:year|when)=|status=(?!.*ended)/.test(search);
  if (hasPast) {
    for (const year of years) slugs.push(...await onPages(foyer, year));
  }
  return new Set(slugs);
}

Deno.test("every filter chooses the same events on the page, in the list, the feeds and the calendar", async () => {
  const [records = []] = fc.sample(fc.array(record, { minLength: 90, maxLength: 90 }), {
    numRuns: 1,
  });
  await using foyer = await startFoyer({
    records: records.map(({ announced, ...cells }, at) =>
      row({ id: `rec${at}`, ...cells }, `${announced}T00:00:00.000Z`)
    ),
    env: { EVENTS_TIME_ZONE: "UTC" },
  });
  const get = async (path: string) => {
    const response = await foyer.answer(path);
    assert.equal(response.status, 200, path);
    return { headers: response.headers, text: await response.text() };
  };
  const all: readonly Seen[] = JSON.parse((await get("/api/v1/events")).text).data;
  assert.equal(all.length, 90);
  await fc.assert(
    fc.asyncProperty(asked, cut, fc.nat({ max: 11 }), async (question, cut, turn) => {
      const search = searchOf(question, 0);
      const chosen = all.filter((event) => isAsked(event, question));
      const ids = chosen.map(({ id }) => id).toSorted();
      const slugs = chosen.map(({ slug }) => slug).toSorted();
      const many = `${search === "" ? "?" : `${search}&`}limit=100`;
      const list = await get(`/api/v1/events${search}`);
      const entries = Object.entries(cut).map(([name, value]) => [name, String(value)]);
      const rest = new URLSearchParams(entries).toString();
      const ordered = JSON.parse(
        (await get(`/api/v1/events${search}${search === "" ? "?" : "&"}${rest}`)).text,
      );
      assert.deepEqual(ordered.data.map(({ id }: Seen) => id), cutOf(chosen, cut), search + rest);
      assert.equal(ordered.meta.count, ordered.data.length);
      const idOf = new Map(ids.map((id) => [identifierOf("appTest", id), id]));
      const found = {
        rss: (await get(`/api/v1/events/rss${many}`)).text.matchAll(/<guid[^>]*>(.*?)</g),
        atom: (await get(`/feed.atom${many}`)).text
          .matchAll(/<entry>\s*<id>urn:uuid:(.*?)<\/id>/g),
      };
      for (const [name, matches] of Object.entries(found)) {
        assert.deepEqual(
          [...matches].map(([, id = ""]) => idOf.get(id) ?? id).toSorted(),
          ids,
          `${name} ${search}`,
        );
      }
      const items: Seen[] = JSON.parse((await get(`/feed.json${many}`)).text).items;
      assert.deepEqual(items.map(({ id }) => id).toSorted(), ids, `JSON Feed ${search}`);
      const calendar = readCalendar((await get(`/calendar.ics${search}`)).text);
      const uids = calendar.events.filter((entry) => !("related-to" in entry))
        .map(({ uid }) => idOf.get(String(uid)));
      assert.deepEqual(
        uids.toSorted(),
        ids,
        `calendar ${search}`,
      );
      assert.deepEqual([...await onPages(foyer, search)].toSorted(), slugs, `page ${search}`);
      // The same query in another order has the same representation.
      const other = await get(`/api/v1/events${searchOf(question, turn)}`);
      for (const header of ["etag", "link"]) {
        assert.equal(other.headers.get(header), list.headers.get(header), search);
      }
      const [, canonical = ""] = /^<(.*)>; rel="canonical"$/.exec(list.headers.get("link") ?? "") ??
        [];
      assert.ok(canonical.startsWith(`${BASE_URL}/api/v1/events`), canonical);
      const again = await get(canonical.replace(BASE_URL, ""));
      assert.equal(again.text, list.text);
      assert.equal(again.headers.get("link"), list.headers.get("link"));
    }),
    { numRuns: 120 },
  );
});

Deno.test("long texts are made searchable behind a read, one at a time, and not by the first search", async () => {
  const [count, length] = [50, 100_000];
  const { normalize } = String.prototype;
  let [characters, inTurn, most] = [0, 0, 0];
  String.prototype.normalize = function (form) {
    // The whole texts, each once, and not their pieces.
    if (this.length < length) return normalize.call(this, form);
    if (inTurn === 0) setTimeout(() => inTurn = 0);
    characters += this.length;
    inTurn += this.length;
    most = Math.max(most, inTurn);
    return normalize.call(this, form);
  };
  try {
    const text = "für Äpfel ".repeat(length / 10);
    const records = Array.from({ length: count }, () => row({ "Description": text }));
    await using foyer = await startFoyer({ records });
    await foyer.services.events.begin();
    await until(() => characters >= count * length);
    const before = characters;
    const { meta } = await (await foyer.answer("/api/v1/events?q=apfel")).json();
    assert.equal(meta.count, count);
    for (const typed of ["apfel", "aepflen"]) {
      assert.match(await (await foyer.answer(`/index.md?q=${typed}`)).text(), /50 events/);
    }
    assert.ok(characters - before < length, `${characters - before} characters`);
    assert.ok(most < count * length / 2, `${most} characters in one turn`);
  } finally {
    String.prototype.normalize = normalize;
  }
});

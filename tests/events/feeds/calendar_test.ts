/** The calendar, read back by ical.js and by a strict reading of the standard. */

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  buildCalendar,
  cancelledComponents,
  contentLine,
  eventComponents,
} from "../../../lib/events/feeds/internal/calendar.ts";
import { identifierOf } from "../../../lib/events/feeds/internal/identifiers.ts";
import type { RevisedEvent } from "../../../lib/events/catalog.ts";
import type { FormerEvent } from "../../../lib/events/keeping/history.ts";
import { byUid, type Properties, readCalendar } from "../../support/read_calendar.ts";
import { hostileLines, hostileText, revisedEvent } from "../revised_event.ts";

const head = {
  baseUrl: "https://foyer.example",
  origin: "appTest",
  selfUrl: "https://foyer.example/calendar.ics?status=upcoming,ongoing",
  title: "Foyer events: upcoming and ongoing",
};

const UID = identifierOf("appTest", "recA");
const MEETING_UID = identifierOf("appTest", "recA", "in-person");
const GONE_UID = identifierOf("appTest", "recGone");
const PAGE = "https://foyer.example/events/hack-night";

const former: FormerEvent = {
  id: "recGone",
  slug: "gone",
  name: "Gone; alas",
  startDate: "2026-12-31",
  endDate: "2026-12-31",
  meeting: null,
  format: null,
  projectTypes: [],
  pinned: false,
  changedAt: 0,
  sequence: 2,
  facts: "",
  goneAt: Date.parse("2026-11-21T11:00:00Z"),
  withdrawn: true,
};

const textOf = (events: readonly RevisedEvent[], withdrawn: readonly FormerEvent[] = []) =>
  buildCalendar([
    ...events.map((event) => eventComponents(event, head)),
    ...withdrawn.map((event) => cancelledComponents(event, head)),
  ], head);

function eventOf(fields: Partial<RevisedEvent> = {}): Properties {
  const [event] = readCalendar(textOf([revisedEvent(fields)])).events;
  assert.ok(event !== undefined);
  return event;
}

Deno.test("a calendar states its name, its source and its refresh interval", () => {
  assert.deepEqual(readCalendar(textOf([])).head, {
    "version": "2.0",
    "prodid": "-//Foyer//Events//EN",
    "calscale": "GREGORIAN",
    "name": head.title,
    "x-wr-calname": head.title,
    "refresh-interval": "PT1H",
    "x-published-ttl": "PT1H",
    "source": head.selfUrl,
    "url": head.baseUrl,
  });
});

/** What an event and its days in person have alike. */
const ALIKE = {
  "dtstamp": "2026-11-20T10:00:00Z",
  "last-modified": "2026-11-20T10:00:00Z",
  "sequence": "3",
  "url": "https://foyer.example/events/hack-night",
  "categories": ["CAD", "Other"],
  "status": "CONFIRMED",
  "transp": "TRANSPARENT",
  "x-microsoft-cdo-busystatus": "FREE",
};

Deno.test("an event is read back to its facts", () => {
  assert.deepEqual(eventOf(), {
    ...ALIKE,
    "uid": UID,
    "dtstart": "2026-12-01",
    "dtend": "2026-12-04",
    "summary": "Hack Night",
    "description": "Come and build.\n\nRequirements: A laptop.\n\n" +
      "Website: https://hack.example/night?a=1&b=2\n\nChat: #hack-night https://chat.example/c/1\n\n" +
      PAGE,
    "location": "Berlin",
  });
});

Deno.test("the location is a place or absent, and the links are those of the event's page", () => {
  const cases: [Partial<RevisedEvent>, string | undefined][] = [
    [{ format: "both" }, "Berlin"],
    [{ format: null }, "Berlin"],
    [{ format: "online" }, undefined],
    [{ inPerson: null }, undefined],
    ...["Online", "Virtual (Zoom)", "TBA", "https://meet.example/x", "In person"].map((
      location,
    ): [Partial<RevisedEvent>, undefined] => [
      { format: null, inPerson: { start: null, end: null, location } },
      undefined,
    ]),
  ];
  for (const [fields, place] of cases) {
    assert.equal(eventOf(fields)["location"], place, JSON.stringify(fields));
  }
  const said = String(eventOf({ url: " https://jam.example/a b " })["description"]);
  assert.match(said, /^Website: https:\/\/jam\.example\/a%20b$/m);
});

Deno.test("an identifier is a name-based UUID of the base and the record, which no host and no other base changes", () => {
  const uidAt = (baseUrl: string, origin: string) =>
    readCalendar(buildCalendar([eventComponents(revisedEvent(), { baseUrl, origin })], head))
      .events[0]?.["uid"];
  assert.match(UID, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(uidAt("https://other.example", "appTest"), UID);
  assert.notEqual(uidAt(head.baseUrl, "appOther"), UID);
  // Another value would double every entry of every subscription.
  assert.equal(UID, "7d62362a-eb2b-550e-b1b1-f407469e9e0e");
});

Deno.test("the end is the day after the last one; without a last day there is none", () => {
  const cases: [string, string | null, string | undefined][] = [
    ["2026-12-01", "2026-12-01", "2026-12-02"],
    ["2026-12-30", "2026-12-31", "2027-01-01"],
    ["2028-02-27", "2028-02-28", "2028-02-29"],
    ["2027-02-27", "2027-02-28", "2027-03-01"],
    ["2026-12-01", "2026-12-06", "2026-12-07"],
    ["2026-12-01", "2026-12-07", "2026-12-08"],
    ["2026-12-01", null, undefined],
  ];
  for (const [startDate, endDate, end] of cases) {
    const event = eventOf({ startDate, endDate });
    assert.deepEqual([event["dtstart"], event["dtend"]], [startDate, end]);
    assert.match(textOf([revisedEvent({ startDate })]), /\r\nDTSTART;VALUE=DATE:\d{8}\r\n/);
  }
});

Deno.test("days on which people meet are an event of their own, where they are not the event's", () => {
  const meetingOf = (start: string | null, end: string | null) => {
    const inPerson = { start, end, location: "Hall, 1" };
    return readCalendar(textOf([revisedEvent({ inPerson, endDate: "2026-12-20" })])).events[1];
  };
  assert.deepEqual(meetingOf("2026-12-05", "2026-12-06"), {
    ...ALIKE,
    "uid": MEETING_UID,
    "dtstart": "2026-12-05",
    "dtend": "2026-12-07",
    "summary": "Hack Night (in person)",
    "location": "Hall, 1",
    "description": PAGE,
    "related-to": UID,
  });
  assert.equal(meetingOf("2026-12-05", null)?.["dtend"], undefined);
  for (const [start, end] of [[null, null], [null, "2026-12-06"], ["2026-12-01", null]] as const) {
    assert.equal(meetingOf(start, end), undefined);
  }
  assert.equal(meetingOf("2026-12-01", "2026-12-20"), undefined);
  const inPerson = { start: "2026-12-02", end: "2026-12-03", location: null };
  assert.match(String(eventOf({ inPerson })["description"]), /^In person: 2–3 December 2026\n\n/);
});

Deno.test("a withdrawn event is cancelled now, and so is its meeting", () => {
  const meeting = { startDate: "2026-12-30", endDate: null };
  const { events } = readCalendar(textOf([], [{ ...former, meeting }]));
  const alike = {
    "dtstamp": "2026-11-21T11:00:00Z",
    "last-modified": "2026-11-21T11:00:00Z",
    "sequence": "2",
    "status": "CANCELLED",
    "transp": "TRANSPARENT",
    "x-microsoft-cdo-busystatus": "FREE",
  };
  assert.deepEqual(events, [
    {
      ...alike,
      "uid": GONE_UID,
      "dtstart": "2026-12-31",
      "dtend": "2027-01-01",
      "summary": "Gone; alas",
    },
    {
      ...alike,
      "uid": identifierOf("appTest", "recGone", "in-person"),
      "dtstart": "2026-12-30",
      "summary": "Gone; alas (in person)",
    },
  ]);
});

Deno.test("a calendar has 20,000 characters of a text and 64 KB of an event, up to a word, with the address of the whole", () => {
  const rest = { url: null, slackChannel: null, slackUrl: null, inPerson: null };
  const of = (description: string, requirements: string | null = null) => {
    const said = String(eventOf({ description, requirements, ...rest })["description"]);
    assert.ok(said.endsWith(`\n\n${PAGE}`), "its page is the last line");
    return said.slice(0, -`\n\n${PAGE}`.length);
  };
  const whole = "a word ".repeat(2_857).trim();
  assert.equal(of(whole), whole);
  const long = of("a word ".repeat(10_000));
  assert.ok(long.length <= 20_000 && long.length > 19_900, `${long.length}`);
  assert.match(long, /(?:a|word)… https:\/\/foyer\.example\/events\/hack-night$/);
  const wide = of("東京 ".repeat(19_000), "東京 ".repeat(19_000));
  const [length = 0, own = 0] = [wide, wide.split("東京… https")[0]]
    .map((text) => new TextEncoder().encode(text).length);
  assert.ok(length <= 64 * 1024 && length > 60 * 1024, `${length}`);
  assert.ok(own > 45 * 1024, `requirements leave the description ${own} bytes`);
  assert.equal(wide.match(/東京… https/g)?.length, 2);
  assert.ok(of("😀".repeat(15_000)).isWellFormed());
});

/** A text in a calendar: its line ends are line feeds; controls, surrogates and noncharacters are left out. */
function kept(text: string): string {
  const lines = text.replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n");
  return [...lines].filter((character) => {
    const code = character.codePointAt(0) ?? 0;
    return character === "\t" || character === "\n" ||
      !(code < 0x20 || (code >= 0x7f && code <= 0x9f) || (code >= 0xd800 && code <= 0xdfff) ||
        (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) === 0xfffe);
  }).join("");
}

Deno.test("the calendar has only its events and their texts, for any record", () => {
  fc.assert(
    fc.property(
      fc.tuple(hostileText, hostileLines, hostileText, hostileText, hostileText, hostileText),
      (texts) => {
        const [name = "", description = "", location = "", channel = "", type = "", url = ""] =
          texts;
        const event = revisedEvent({
          name,
          description,
          inPerson: { start: "2026-12-02", end: "2026-12-02", location },
          slug: name,
          slackChannel: channel,
          slackUrl: url,
          url,
          // No record can have this character, but the calendar does not rely on that.
          projectTypes: [type as "CAD"],
          theme: { ...revisedEvent().theme!, accent: type },
        });
        const read = byUid(readCalendar(textOf([event], [{ ...former, name }])));
        assert.deepEqual([...read.keys()], [
          UID,
          MEETING_UID,
          GONE_UID,
        ]);
        const whole = read.get(UID);
        assert.equal(whole?.["summary"], kept(name));
        assert.ok([kept(location), undefined].includes(whole?.["location"] as string));
        assert.deepEqual(whole?.["categories"] ?? [""], [kept(type)]);
        assert.ok(String(whole?.["description"]).includes(kept(description)));
        assert.ok(URL.canParse(String(whole?.["url"])));
        assert.equal(read.get(GONE_UID)?.["summary"], kept(name));
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("a line has 75 octets at most, and no fewer than fit, of characters of every length (RFC 5545, section 3.1)", () => {
  const octets = (text: string) => new TextEncoder().encode(text).length;
  for (
    const character of ["\u007e", "\u00a0", "\u07ff", "\u0800", "\ufffd", "\u{10000}", "\u{10fffd}"]
  ) {
    const folded = contentLine("SUMMARY", character.repeat(100));
    const lines = folded.split("\r\n");
    const size = octets(character);
    for (const line of lines) assert.ok(octets(line) <= 75, line);
    for (const line of lines.slice(0, -2)) assert.ok(octets(line) + size > 75, line);
    assert.equal(folded.replaceAll("\r\n ", ""), `SUMMARY:${character.repeat(100)}\r\n`);
  }
  const ascii = contentLine("SUMMARY", "a".repeat(75 - "SUMMARY:".length + 2 * 74));
  assert.deepEqual(ascii.split("\r\n").map(({ length }) => length), [75, 75, 75, 0]);
});

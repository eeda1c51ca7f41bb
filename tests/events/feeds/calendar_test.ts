/** The calendar, read back by ical.js and by a strict reading of the standard. */

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  buildCalendar,
  cancelledComponents,
  contentLine,
  eventComponents,
} from "../../../lib/events/feeds/calendar.ts";
import { nearestColorName } from "../../../lib/events/feeds/calendar_color.ts";
import type { RevisedEvent } from "../../../lib/events/catalog.ts";
import type { FormerEvent } from "../../../lib/events/history.ts";
import { byUid, type Properties, readCalendar } from "../../support/read_calendar.ts";
import { hostileLines, hostileText, revisedEvent } from "../revised_event.ts";

const head = {
  baseUrl: "https://foyer.example",
  selfUrl: "https://foyer.example/calendar.ics?status=upcoming,ongoing",
  title: "Foyer events: upcoming and ongoing",
};

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
    ...events.map((event) => eventComponents(event, head.baseUrl)),
    ...withdrawn.map((event) => cancelledComponents(event, head.baseUrl)),
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

Deno.test("an event is read back to its facts", () => {
  assert.deepEqual(eventOf(), {
    "uid": "recA@foyer.example",
    "dtstamp": "2026-11-20T10:00:00Z",
    "last-modified": "2026-11-20T10:00:00Z",
    "sequence": "3",
    "dtstart": "2026-12-01",
    "dtend": "2026-12-04",
    "summary": "Hack Night",
    "description": "Come and build.\n\nRequirements: A laptop.\n\n" +
      "Website: https://hack.example/night?a=1&b=2\n\nChat: #hack-night https://chat.example/c/1",
    "location": "Berlin",
    "url": "https://foyer.example/events/hack-night",
    "categories": ["CAD", "Other"],
    "color": "crimson",
    "status": "CONFIRMED",
    "transp": "OPAQUE",
  });
});

Deno.test("the place and the links are those of the event's page", () => {
  assert.equal(eventOf({ format: "both" })["location"], "Berlin, and online");
  assert.equal(eventOf({ format: "online" })["location"], "Online");
  const said = String(eventOf({ url: " https://jam.example/a b " })["description"]);
  assert.match(said, /^Website: https:\/\/jam\.example\/a%20b$/m);
});

Deno.test("the end is the day after the last one; without a last day there is none", () => {
  const cases: [string, string | null, string | undefined, string][] = [
    ["2026-12-01", "2026-12-01", "2026-12-02", "OPAQUE"],
    ["2026-12-30", "2026-12-31", "2027-01-01", "OPAQUE"],
    ["2028-02-27", "2028-02-28", "2028-02-29", "OPAQUE"],
    ["2027-02-27", "2027-02-28", "2027-03-01", "OPAQUE"],
    ["2026-12-01", "2026-12-06", "2026-12-07", "OPAQUE"],
    ["2026-12-01", "2026-12-07", "2026-12-08", "TRANSPARENT"],
    ["2026-12-01", null, undefined, "TRANSPARENT"],
  ];
  for (const [startDate, endDate, end, transparency] of cases) {
    const event = eventOf({ startDate, endDate });
    assert.deepEqual([event["dtstart"], event["dtend"]], [startDate, end]);
    assert.equal(event["transp"], transparency);
    assert.match(textOf([revisedEvent({ startDate })]), /\r\nDTSTART;VALUE=DATE:\d{8}\r\n/);
  }
});

Deno.test("days on which people meet are an event of their own, where they are not the event's", () => {
  const meetingOf = (start: string | null, end: string | null) => {
    const inPerson = { start, end, location: "Hall, 1" };
    return readCalendar(textOf([revisedEvent({ inPerson, endDate: "2026-12-20" })])).events[1];
  };
  assert.deepEqual(meetingOf("2026-12-05", "2026-12-06"), {
    "uid": "recA.in-person@foyer.example",
    "dtstamp": "2026-11-20T10:00:00Z",
    "last-modified": "2026-11-20T10:00:00Z",
    "sequence": "3",
    "dtstart": "2026-12-05",
    "dtend": "2026-12-07",
    "summary": "Hack Night (in person)",
    "location": "Hall, 1",
    "related-to": "recA@foyer.example",
    "url": "https://foyer.example/events/hack-night",
    "categories": ["CAD", "Other"],
    "color": "crimson",
    "status": "CONFIRMED",
    "transp": "OPAQUE",
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
  assert.deepEqual(events, [
    {
      "uid": "recGone@foyer.example",
      "dtstamp": "2026-11-21T11:00:00Z",
      "last-modified": "2026-11-21T11:00:00Z",
      "sequence": "2",
      "dtstart": "2026-12-31",
      "dtend": "2027-01-01",
      "summary": "Gone; alas",
      "status": "CANCELLED",
      "transp": "OPAQUE",
    },
    {
      "uid": "recGone.in-person@foyer.example",
      "dtstamp": "2026-11-21T11:00:00Z",
      "last-modified": "2026-11-21T11:00:00Z",
      "sequence": "2",
      "dtstart": "2026-12-30",
      "summary": "Gone; alas (in person)",
      "status": "CANCELLED",
      "transp": "TRANSPARENT",
    },
  ]);
});

Deno.test("a colour is the nearest name that CSS has, or no colour", () => {
  const cases: [string, string | null][] = [
    ["#ff0000", "red"],
    ["#F00", "red"],
    ["#fe0101", "red"],
    ["rebeccapurple", "rebeccapurple"],
    ["#663398", "rebeccapurple"],
    ["rgb(0, 128, 128)", "teal"],
    ["#00ffff", "aqua"],
    ["#ec3750", "crimson"],
    ["transparent", null],
    ["url(https://evil.example)", null],
    ["red\r\nATTENDEE:x", null],
  ];
  for (const [text, name] of cases) assert.equal(nearestColorName(text), name, text);
});

Deno.test("a calendar has 20,000 characters of a text and 64 KB of an event, up to a word, with the address of the whole", () => {
  const rest = { url: null, slackChannel: null, slackUrl: null, inPerson: null };
  const of = (description: string, requirements: string | null = null) =>
    String(eventOf({ description, requirements, ...rest })["description"]);
  const whole = "a word ".repeat(2_857).trim();
  assert.equal(of(whole), whole);
  const long = of("a word ".repeat(10_000));
  assert.ok(long.length <= 20_000 && long.length > 19_900, `${long.length}`);
  assert.match(long, /(?:a|word)… https:\/\/foyer\.example\/events\/hack-night$/);
  const wide = of("東京 ".repeat(19_000), "東京 ".repeat(19_000));
  const { length } = new TextEncoder().encode(wide);
  assert.ok(length <= 64 * 1024 && length > 60 * 1024, `${length}`);
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
          "recA@foyer.example",
          "recA.in-person@foyer.example",
          "recGone@foyer.example",
        ]);
        const whole = read.get("recA@foyer.example");
        assert.equal(whole?.["summary"], kept(name));
        assert.equal(whole?.["location"] ?? "", kept(location));
        assert.deepEqual(whole?.["categories"] ?? [""], [kept(type)]);
        assert.ok(String(whole?.["description"]).includes(kept(description)));
        assert.ok(URL.canParse(String(whole?.["url"])));
        assert.equal(read.get("recGone@foyer.example")?.["summary"], kept(name));
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

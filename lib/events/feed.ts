/**
 * The RSS 2.0 feed of announcements (events contract, section 4, getEventsFeed).
 *
 * The `feed` library builds the document; text is put in afterwards, because the library leaves in
 * what XML cannot carry, turns a literal `&amp;` into `&`, and wraps titles in CDATA, where readers
 * take `&` and `<` for markup (RSS Best Practices Profile, "Character Data"). So it gets a
 * placeholder for each text.
 */

import { Feed } from "feed";
import type { StoredEvent } from "./model.ts";
import { datesInWords } from "./words.ts";

/** What the feed says of itself. */
export interface FeedChannel {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** The feed's own address as it was asked for, query included. */
  readonly selfUrl: string;
  /** Epoch milliseconds of the newest change. */
  readonly updatedAt: number;
  /** Epoch milliseconds; a later announcement has no date yet. */
  readonly now: number;
}

const SPECIFICATION = "https://www.rssboard.org/rss-specification";
/** RSS 1.0 Event Module: `ev:startdate`, the only date in the feed that is the event's own. */
const EVENT_MODULE = "http://purl.org/rss/1.0/modules/event/";
/** The years that feed validators believe begin here. */
const EARLIEST_DATE = Date.parse("1990-01-01");
const TTL_MINUTES = 5;

/** All but the characters of XML 1.0, section 2.2 (`Char`): lone surrogates are among them. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
/** Hexadecimal as the profile advises; a bare CR would be read as LF (XML 1.0, section 2.11). */
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&#x26;",
  "<": "&#x3C;",
  ">": "&#x3E;",
  "\n": "&#xA;",
  "\r": "&#xD;",
};
/** U+FFFF and a number: no text or address of the document has that character. */
const PLACEHOLDERS = /(?:<!\[CDATA\[)?\uffff(\d+)\uffff(?:\]\]>)?/g;

/**
 * The feed of events as text. The same input gives the same text.
 *
 * @param events newest first, as many as are to be shown.
 */
export function buildFeed(events: readonly StoredEvent[], channel: FeedChannel): string {
  const { baseUrl, selfUrl, updatedAt, now } = channel;
  const texts: string[] = [];
  /** Stands for a text; "", for which the library writes no element, if there is nothing to read. */
  const placeholder = (text: string) => {
    const carried = text.replace(NOT_XML, "");
    return carried.trim() === "" ? "" : `\uffff${texts.push(escapeXml(carried)) - 1}\uffff`;
  };
  const feed = new Feed({
    link: baseUrl,
    title: "Foyer: new events",
    description: "The events that were announced last, newest first.",
    language: "en",
    generator: "Foyer",
    docs: SPECIFICATION,
    ttl: TTL_MINUTES,
    updated: new Date(updatedAt),
    feedLinks: { rss: selfUrl },
  });
  for (const event of events) {
    feed.addItem({
      guid: placeholder(event.id),
      link: `${baseUrl}/events/${encodeURIComponent(event.slug.replace(NOT_XML, ""))}`,
      title: placeholder(event.name),
      description: placeholder(htmlOf(summary(event))),
      category: event.projectTypes.map((name) => ({ name: placeholder(name) })),
      // The library's type wants a date; without one the library writes no pubDate, as RSS allows.
      date: announcementDate(event, now) as Date,
      extensions: [{ name: "ev:startdate", objects: { _text: event.startDate } }],
    });
  }
  return feed.rss2()
    .replace("<rss ", `<rss xmlns:ev="${EVENT_MODULE}" `)
    .replaceAll(PLACEHOLDERS, (_, index) => texts[index] ?? "");
}

/** When the event was announced, if validators believe it: never the event's own date. */
function announcementDate({ announcedAt }: StoredEvent, now: number): Date | undefined {
  const date = new Date(announcedAt);
  return date.getTime() >= EARLIEST_DATE && date.getTime() <= now ? date : undefined;
}

/** When and where, then what the event says of itself. */
function summary(event: StoredEvent): string {
  const place = event.format === "online" ? "online" : event.inPerson?.location;
  const facts = [datesInWords(event), place].filter(Boolean).join(", ");
  return event.description === null ? facts : `${facts}\n\n${event.description}`;
}

/** Readers take a description for HTML: the text as such. */
function htmlOf(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll("\n", "<br>");
}

function escapeXml(text: string): string {
  return text.replace(/[&<>\n\r]/g, (character) => ESCAPES[character] ?? character);
}

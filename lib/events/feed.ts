/**
 * The RSS 2.0 feed of announcements (events contract, section 4, getEventsFeed).
 *
 * The `feed` library builds the document; text is put in afterwards, because the library leaves in
 * what XML cannot carry, and wraps titles in CDATA, where readers take `&` and `<` for markup (RSS
 * Best Practices Profile, "Character Data"). So it gets a placeholder for each text.
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

/** The years that feed validators believe begin here. */
const EARLIEST_DATE = Date.parse("1990-01-01");
const TTL_MINUTES = 5;

// deno-lint-ignore no-control-regex -- what XML 1.0 (section 2.2) cannot carry
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ESCAPES: Readonly<Record<string, string>> = { "&": "&#x26;", "<": "&#x3C;", ">": "&#x3E;" };

/** The feed of events, newest first, as text. The same input gives the same text. */
export function buildFeed(events: readonly StoredEvent[], channel: FeedChannel): string {
  const { baseUrl, selfUrl, updatedAt, now } = channel;
  const texts: string[] = [];
  const placeholder = (text: string) => `{{${texts.push(text) - 1}}}`;
  const updated = new Date(updatedAt);
  const feed = new Feed({
    id: baseUrl,
    link: `${baseUrl}/`,
    title: placeholder("Foyer: new events"),
    description: placeholder("The events that were announced last, newest first."),
    language: "en",
    generator: "Foyer",
    ttl: TTL_MINUTES,
    updated,
    feedLinks: { rss: selfUrl },
  });
  for (const event of events) {
    const announced = new Date(event.announcedAt);
    const hasDate = announced.getTime() >= EARLIEST_DATE && announced.getTime() <= now;
    feed.addItem({
      guid: event.id,
      link: `${baseUrl}/events/${encodeURIComponent(event.slug)}`,
      title: placeholder(event.name),
      description: placeholder(htmlOf(summary(event))),
      category: event.projectTypes.map((name) => ({ name })),
      // The library wants a date; one that is no answer is taken out again below.
      date: hasDate ? announced : new Date(0),
    });
  }
  return feed.rss2()
    .replaceAll(/\s*<pubDate>Thu, 01 Jan 1970 00:00:00 GMT<\/pubDate>/g, "")
    .replaceAll(/(?:<!\[CDATA\[)?\{\{(\d+)\}\}(?:\]\]>)?/g, (_, at) => xmlText(texts[at] ?? ""));
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

function xmlText(text: string): string {
  return text.toWellFormed().replace(NOT_XML, "")
    .replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);
}

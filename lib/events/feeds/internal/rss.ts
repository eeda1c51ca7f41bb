/**
 * The RSS 2.0 feed of announcements.
 *
 * The `feed` library builds the XML from placeholders, and the texts replace these afterwards. Given the texts,
 * the library would keep characters that XML forbids, turn a literal `&amp;` into `&`, and wrap titles in CDATA,
 * where readers take `&` and `<` for markup (RSS Best Practices Profile, "Character Data").
 */

import { Feed } from "feed";
import type { FeedHead } from "./atom.ts";
import {
  announcementDate,
  feedHtml,
  type FeedPicture,
  type FeedScope,
  pageAddress,
} from "../feed_text.ts";
import { escapeXml, withoutForbiddenXml } from "../../../platform/escape.ts";
import type { RevisedEvent } from "../../catalog.ts";

const SPECIFICATION = "https://www.rssboard.org/rss-specification";
/** RSS 1.0 Event Module: `ev:startdate`, the only date in the feed that is the event's own. */
const EVENT_MODULE = "http://purl.org/rss/1.0/modules/event/";
const TTL_MINUTES = 5;

/** U+FFFF and a number: no text or address of the feed contains that character. */
const PLACEHOLDERS = /(?:<!\[CDATA\[)?\uffff(\d+)\uffff(?:\]\]>)?/g;

/** The item of an event in the library's XML, with the line end before it. */
const ITEM = /\n *<item>[^]*<\/item>/;
const CHANNEL_END = /\n *<\/channel>/;

/** The feed of items as text. */
export function buildRss(items: readonly string[], head: FeedHead): string {
  return write(head).replace(CHANNEL_END, (end) => items.join("") + end);
}

/** The item of an event, with the picture that it is shared with. */
export function rssItem(
  event: RevisedEvent,
  { baseUrl }: FeedScope,
  picture: FeedPicture | null,
): string {
  // What the library says of the feed is left out.
  const head = { baseUrl, selfUrl: baseUrl, title: "", updatedAt: 0 };
  return ITEM.exec(write(head, event, picture))?.[0] ?? "";
}

/** The library's feed, of one event at most. */
function write(
  { baseUrl, selfUrl, title, updatedAt }: Omit<FeedHead, "siteName" | "origin">,
  event?: RevisedEvent,
  picture: FeedPicture | null = null,
): string {
  const texts: string[] = [];
  /** The placeholder of a text; "" for a blank text, for which the library writes no element. */
  const placeholder = (text: string) => {
    const shown = withoutForbiddenXml(text);
    return shown.trim() === "" ? "" : `\uffff${texts.push(escapeXml(shown)) - 1}\uffff`;
  };
  const feed = new Feed({
    link: baseUrl,
    title: placeholder(title),
    description: "The events that were announced last, newest first.",
    language: "en",
    generator: "Foyer",
    docs: SPECIFICATION,
    ttl: TTL_MINUTES,
    updated: new Date(updatedAt),
    feedLinks: { rss: selfUrl },
  });
  if (event !== undefined) {
    feed.addItem({
      guid: placeholder(event.id),
      link: pageAddress(baseUrl, event),
      title: placeholder(event.name),
      description: placeholder(feedHtml(event, baseUrl)),
      category: event.projectTypes.map((name) => ({ name: placeholder(name) })),
      // The type requires a date; without one the library writes no pubDate, as RSS allows.
      date: announcementDate(event) as Date,
      // Nobody knows the length before the picture is painted; then it is 0 (RSS Best Practices Profile, "enclosure").
      ...picture && {
        enclosure: { url: `${baseUrl}${picture.href}`, length: 0, type: picture.type },
      },
      extensions: [{ name: "ev:startdate", objects: { _text: event.startDate } }],
    });
  }
  return feed.rss2()
    .replace("<rss ", `<rss xmlns:ev="${EVENT_MODULE}" `)
    .replaceAll(PLACEHOLDERS, (_, index) => texts[index] ?? "");
}

/** The RSS 2.0 feed of announcements (events contract, section 4, getEventsFeed). */

import type { StoredEvent } from "../events/mod.ts";
import type { FeedHead } from "./atom.ts";
import {
  announcementDate,
  element,
  escapeAttribute,
  feedText,
  htmlOf,
  pageAddress,
  withoutForbiddenXml,
} from "./feed_text.ts";

const SPECIFICATION = "https://www.rssboard.org/rss-specification";
/** RSS 1.0 Event Module: `ev:startdate`, the only date in the feed that is the event's own. */
const EVENT_MODULE = "http://purl.org/rss/1.0/modules/event/";
const TTL_MINUTES = 5;

/**
 * The feed of events as text. The same input gives the same text.
 *
 * @param events newest first, no more than the feed shows.
 */
export function buildRss(events: readonly StoredEvent[], head: Omit<FeedHead, "title">): string {
  const { baseUrl, selfUrl, updatedAt, readAt } = head;
  const href = escapeAttribute(selfUrl);
  return [
    `<?xml version="1.0" encoding="utf-8"?>`,
    `<rss xmlns:ev="${EVENT_MODULE}" version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">`,
    `    <channel>`,
    ...[
      element("title", "Foyer: new events"),
      element("link", new URL(baseUrl).href),
      element("description", "The events that were announced last, newest first."),
      element("lastBuildDate", new Date(updatedAt).toUTCString()),
      element("docs", SPECIFICATION),
      element("generator", "Foyer"),
      element("language", "en"),
      element("ttl", String(TTL_MINUTES)),
      `<atom:link href="${href}" rel="self" type="application/rss+xml"/>`,
      ...events.flatMap((event) => itemLines(event, baseUrl, readAt)),
    ].map((line) => `        ${line}`),
    `    </channel>`,
    `</rss>`,
  ].join("\n");
}

function itemLines(event: StoredEvent, baseUrl: string, readAt: number): string[] {
  const { id, name, projectTypes, startDate } = event;
  // RSS requires a title or a description, and a blank title is none.
  const isNamed = withoutForbiddenXml(name).trim() !== "";
  const announced = announcementDate(event, readAt);
  return [
    `<item>`,
    ...[
      ...(isNamed ? [element("title", name)] : []),
      element("link", pageAddress(baseUrl, event)),
      element("guid", id, ` isPermaLink="false"`),
      ...(announced ? [element("pubDate", announced.toUTCString())] : []),
      element("description", htmlOf(withoutForbiddenXml(feedText(event)))),
      ...projectTypes.map((type) => element("category", type)),
      element("ev:startdate", startDate),
    ].map((line) => `    ${line}`),
    `</item>`,
  ];
}

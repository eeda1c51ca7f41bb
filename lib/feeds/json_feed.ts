/** The JSON Feed of events (https://www.jsonfeed.org/version/1.1/). */

import type { FeedHead } from "./atom.ts";
import type { RevisedEvent } from "../events/mod.ts";
import { safeHref } from "../site/mod.ts";
import {
  announcementDate,
  feedText,
  pageAddress,
  whenAndWhere,
  withoutForbiddenXml,
} from "./feed_text.ts";

const VERSION = "https://jsonfeed.org/version/1.1";

/** The feed as text. The same input gives the same text. */
export function buildJsonFeed(events: readonly RevisedEvent[], head: FeedHead): string {
  const { baseUrl, selfUrl, title } = head;
  return JSON.stringify({
    version: VERSION,
    title,
    home_page_url: `${baseUrl}/`,
    feed_url: selfUrl,
    description: "Events with their dates and places. Each item's _foyer holds them for programs.",
    language: "en",
    authors: [{ name: "Foyer", url: `${baseUrl}/` }],
    items: events.map((event) => item(event, baseUrl)),
  });
}

function item(event: RevisedEvent, baseUrl: string): Readonly<Record<string, unknown>> {
  const { changedAt, startDate, endDate, format, inPerson } = event;
  return {
    id: withoutForbiddenXml(event.id),
    url: pageAddress(baseUrl, event),
    // JSON.stringify leaves out undefined values.
    external_url: safeHref(event.url) ?? undefined,
    title: withoutForbiddenXml(event.name),
    summary: withoutForbiddenXml(whenAndWhere(event)),
    content_text: withoutForbiddenXml(feedText(event)),
    date_published: announcementDate(event, changedAt)?.toISOString(),
    date_modified: new Date(changedAt).toISOString(),
    tags: event.projectTypes.length > 0 ? event.projectTypes.map(withoutForbiddenXml) : undefined,
    _foyer: {
      about: `${baseUrl}/api/v1/docs`,
      startDate,
      endDate,
      format,
      inPerson: inPerson && {
        ...inPerson,
        location: inPerson.location === null ? null : withoutForbiddenXml(inPerson.location),
      },
    },
  };
}

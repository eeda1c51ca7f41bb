/** The JSON Feed of events (https://www.jsonfeed.org/version/1.1/). */

import type { FeedHead } from "./atom.ts";
import { createTextKeeper } from "../kept_text.ts";
import { partHref } from "../model.ts";
import type { RevisedEvent } from "../catalog.ts";
import { safeHref, whenAndWhere } from "../words.ts";
import { announcementDate, feedText, pageAddress, withoutForbiddenXml } from "./feed_text.ts";

const VERSION = "https://jsonfeed.org/version/1.1";

/** The path of the picture that the event with an id is shared with; null if none can be painted. */
export type PictureOf = (id: string) => string | null;

/** The feed as text. The same input gives the same text. */
export function buildJsonFeed(
  events: readonly RevisedEvent[],
  head: FeedHead,
  pictureOf: PictureOf,
): string {
  const { baseUrl, selfUrl, siteName, title } = head;
  const items = events.map((event) => jsonText(event, baseUrl, pictureOf));
  const about = JSON.stringify({
    version: VERSION,
    title,
    home_page_url: `${baseUrl}/`,
    feed_url: selfUrl,
    description: "Events with their dates and places. Each item's _foyer holds them for programs.",
    language: "en",
    authors: [{ name: withoutForbiddenXml(siteName), url: `${baseUrl}/` }],
  });
  return `${about.slice(0, -1)},"items":[${items.join(",")}]}`;
}

const textOf = createTextKeeper<RevisedEvent>();

/** The item of an event. */
export function jsonText(event: RevisedEvent, baseUrl: string, pictureOf: PictureOf): string {
  const picture = pictureOf(event.id);
  const make = () => JSON.stringify(item(event, baseUrl, picture));
  return textOf(event, `${baseUrl} ${picture}`, make);
}

function item(
  event: RevisedEvent,
  baseUrl: string,
  picture: string | null,
): Readonly<Record<string, unknown>> {
  const { changedAt, startDate, endDate, format, inPerson, background } = event;
  const id = withoutForbiddenXml(event.id);
  return {
    id,
    url: pageAddress(baseUrl, event),
    // JSON.stringify leaves out undefined values.
    external_url: safeHref(event.url) ?? undefined,
    title: withoutForbiddenXml(event.name),
    summary: withoutForbiddenXml(whenAndWhere(event)),
    content_text: withoutForbiddenXml(feedText(event, baseUrl)),
    image: picture === null ? undefined : `${baseUrl}${picture}`,
    banner_image: background?.imageUrl ? `${baseUrl}${partHref(id, "/background")}` : undefined,
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

/** The JSON Feed of events (https://www.jsonfeed.org/version/1.1/). */

import type { FeedHead } from "./atom.ts";
import { partHref } from "../../model.ts";
import type { RevisedEvent } from "../../catalog.ts";
import { safeHref, whenAndWhere } from "../../words.ts";
import {
  announcementDate,
  feedHtml,
  type FeedPicture,
  type FeedScope,
  feedText,
  pageAddress,
} from "../feed_text.ts";
import { htmlOf, withoutForbiddenXml } from "../../../platform/escape.ts";

const VERSION = "https://jsonfeed.org/version/1.1";

/** The feed of items as text. */
export function buildJsonFeed(items: readonly string[], head: FeedHead): string {
  const { baseUrl, selfUrl, siteName, title } = head;
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

/** The item of an event, with the picture that it is shared with. */
export function jsonItem(
  event: RevisedEvent,
  { baseUrl }: FeedScope,
  picture: FeedPicture | null,
): string {
  const { changedAt, startDate, endDate, format, inPerson, background } = event;
  const id = withoutForbiddenXml(event.id);
  const [text, html] = [feedText(event, baseUrl), feedHtml(event, baseUrl)];
  return JSON.stringify({
    id,
    url: pageAddress(baseUrl, event),
    // JSON.stringify leaves out undefined values.
    external_url: safeHref(event.url) ?? undefined,
    title: withoutForbiddenXml(event.name),
    summary: withoutForbiddenXml(whenAndWhere(event)),
    // Lines without links need no HTML.
    content_html: html === htmlOf(text) ? undefined : withoutForbiddenXml(html),
    content_text: withoutForbiddenXml(text),
    image: picture === null ? undefined : `${baseUrl}${picture.href}`,
    banner_image: background?.imageUrl ? `${baseUrl}${partHref(id, "/background")}` : undefined,
    date_published: announcementDate(event)?.toISOString(),
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
  });
}

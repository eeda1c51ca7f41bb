/** The texts of feeds, and how they become XML or HTML. */

import { htmlOf, withoutForbiddenXml } from "../../platform/escape.ts";
import type { RevisedEvent } from "../catalog.ts";
import { descriptionHtml, descriptionText } from "../description.ts";
import { eventHref, type StoredEvent } from "../model.ts";
import { shownTexts } from "../shown_texts.ts";
import { whenAndWhere } from "../words.ts";

/** The facts of the site on which the texts of all events depend. */
export interface FeedScope {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Where the events come from: a base's id, or a file's. */
  readonly origin: string;
}

/** A picture of an event: its path on this site, and its media type. */
export interface FeedPicture {
  readonly href: string;
  readonly type: string;
}

/** Feed validators reject earlier dates. */
const EARLIEST_DATE = Date.parse("1990-01-01");

/** When and where, then the description, as far as a feed has room for it, as text. */
export function feedText(event: StoredEvent, baseUrl: string): string {
  const facts = whenAndWhere(event);
  const { description } = shownTexts(event, pageAddress(baseUrl, event));
  return description === null ? facts : `${facts}\n\n${descriptionText(description)}`;
}

/** The same as HTML. */
export function feedHtml(event: StoredEvent, baseUrl: string): string {
  const facts = htmlOf(whenAndWhere(event));
  const { description } = shownTexts(event, pageAddress(baseUrl, event));
  if (description === null) return facts;
  const html = descriptionHtml(description);
  // Lines, which may begin with a link, or blocks.
  return /^<(?!a )/.test(html) ? `<p>${facts}</p>\n${html}` : `${facts}<br><br>${html}`;
}

/**
 * When the event was announced, if validators accept the date; never the event's own date. An announcement counts as a
 * change when its time comes, so one after the last change lies in the future, and has no date yet.
 */
export function announcementDate({ announcedAt, changedAt }: RevisedEvent): Date | undefined {
  const date = new Date(announcedAt);
  return date.getTime() >= EARLIEST_DATE && date.getTime() <= changedAt ? date : undefined;
}

/** The address of an event's page. */
export function pageAddress(baseUrl: string, { slug }: Pick<StoredEvent, "slug">): string {
  return `${baseUrl}${eventHref(withoutForbiddenXml(slug))}`;
}

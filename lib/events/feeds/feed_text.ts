/** The texts of feeds, and how they become XML or HTML. */

import type { RevisedEvent } from "../catalog.ts";
import { descriptionHtml, descriptionText, htmlOf } from "../description.ts";
import { eventHref, type StoredEvent } from "../model.ts";
import { shownTexts } from "../shown_texts.ts";
import { whenAndWhere } from "../words.ts";

/** The facts of the site on which the texts of all events depend. */
export interface FeedBasis {
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
/** Everything except the characters of XML 1.0, section 2.2 (`Char`), lone surrogates included. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
/**
 * Hexadecimal as the RSS profile advises; a bare CR would be read as LF (XML 1.0, section 2.11),
 * and in an attribute a line feed or tab as a space (section 3.3.3).
 */
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&#x26;",
  "<": "&#x3C;",
  ">": "&#x3E;",
  '"': "&#x22;",
  "\t": "&#x9;",
  "\n": "&#xA;",
  "\r": "&#xD;",
};

/** A text without the characters that XML forbids. */
export function withoutForbiddenXml(text: string): string {
  return text.replace(NOT_XML, "");
}

/** Character data of an element; the text is one that `withoutForbiddenXml` returned. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>\n\r]/g, (character) => ESCAPES[character] ?? character);
}

/** The value of an attribute in double quotes; the text is one that `withoutForbiddenXml` returned. */
export function escapeAttribute(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}

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

/** The Atom feed of events (RFC 4287). */

import { whenAndWhere } from "../../words.ts";
import type { RevisedEvent } from "../../catalog.ts";
import {
  announcementDate,
  feedHtml,
  type FeedPicture,
  type FeedScope,
  pageAddress,
} from "../feed_text.ts";
import { escapeAttribute, escapeXml, withoutForbiddenXml } from "../../../platform/escape.ts";
import { identifierOf } from "./identifiers.ts";

/** The description of a feed. */
export interface FeedHead extends FeedScope {
  /** The feed's own address, query included. */
  readonly selfUrl: string;
  /** The author of the feed. */
  readonly siteName: string;
  readonly title: string;
  /** Epoch milliseconds of the newest change. */
  readonly updatedAt: number;
}

/** The feed of entries as text. */
export function buildAtom(entries: readonly string[], head: FeedHead): string {
  const { baseUrl, origin, selfUrl, updatedAt } = head;
  return [
    `<?xml version="1.0" encoding="utf-8"?>`,
    `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">`,
    element("id", urnOf(origin, "feed", selfUrl.slice(baseUrl.length))),
    element("title", head.title),
    element("updated", new Date(updatedAt).toISOString()),
    `<author>${element("name", head.siteName)}</author>`,
    link("self", "application/atom+xml", selfUrl),
    link("alternate", "text/html", `${baseUrl}/`),
    element("generator", "Foyer"),
    ...entries,
    `</feed>`,
    "",
  ].join("\n");
}

/** The entry of an event, with the picture that it is shared with. */
export function atomEntry(
  event: RevisedEvent,
  { baseUrl, origin }: FeedScope,
  picture: FeedPicture | null,
): string {
  const published = announcementDate(event);
  return [
    `<entry>`,
    element("id", urnOf(origin, event.id)),
    element("title", event.name),
    element("updated", new Date(event.changedAt).toISOString()),
    ...(published ? [element("published", published.toISOString())] : []),
    link("alternate", "text/html", pageAddress(baseUrl, event)),
    ...(picture ? [link("enclosure", picture.type, `${baseUrl}${picture.href}`)] : []),
    ...event.projectTypes.map((type) =>
      `<category term="${escapeAttribute(withoutForbiddenXml(type))}"/>`
    ),
    element("summary", whenAndWhere(event)),
    `<content type="html">${escapeXml(withoutForbiddenXml(feedHtml(event, baseUrl)))}</content>`,
    `</entry>`,
  ].join("\n");
}

function element(name: string, text: string): string {
  return `<${name}>${escapeXml(withoutForbiddenXml(text))}</${name}>`;
}

function link(rel: string, type: string, href: string): string {
  return `<link rel="${rel}" type="${type}" href="${escapeAttribute(href)}"/>`;
}

function urnOf(origin: string, ...names: readonly string[]): string {
  return `urn:uuid:${identifierOf(origin, ...names)}`;
}

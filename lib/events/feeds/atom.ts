/** The Atom feed of events (RFC 4287). */

import { whenAndWhere } from "../words.ts";
import type { RevisedEvent } from "../catalog.ts";
import {
  announcementDate,
  escapeAttribute,
  escapeXml,
  feedHtml,
  pageAddress,
  withoutForbiddenXml,
} from "./feed_text.ts";

/** The description of a feed. */
export interface FeedHead {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** The feed's own address, query included. */
  readonly selfUrl: string;
  /** The author of the feed. */
  readonly siteName: string;
  readonly title: string;
  /** Epoch milliseconds of the newest change. */
  readonly updatedAt: number;
}

/** A tag URI (RFC 4151) names its owner and a day on which the owner had the name. It never changes. */
const TAG_DAY = "2026-01-01";

/** The feed of entries as text. */
export function buildAtom(entries: readonly string[], head: FeedHead): string {
  const { baseUrl, selfUrl, updatedAt } = head;
  return [
    `<?xml version="1.0" encoding="utf-8"?>`,
    `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">`,
    element("id", tagOf(baseUrl, selfUrl.slice(baseUrl.length + 1))),
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

/** The entry of an event. */
export function atomEntry(event: RevisedEvent, baseUrl: string): string {
  const published = announcementDate(event);
  return [
    `<entry>`,
    element("id", tagOf(baseUrl, `events/${encodeURIComponent(withoutForbiddenXml(event.id))}`)),
    element("title", event.name),
    element("updated", new Date(event.changedAt).toISOString()),
    ...(published ? [element("published", published.toISOString())] : []),
    link("alternate", "text/html", pageAddress(baseUrl, event)),
    ...event.projectTypes.map((type) =>
      `<category term="${escapeAttribute(withoutForbiddenXml(type))}"/>`
    ),
    element("summary", whenAndWhere(event)),
    `<content type="html">${escapeXml(withoutForbiddenXml(feedHtml(event, baseUrl)))}</content>`,
    `</entry>`,
  ].join("\n");
}

/** An element with a text. */
function element(name: string, text: string): string {
  return `<${name}>${escapeXml(withoutForbiddenXml(text))}</${name}>`;
}

function link(rel: string, type: string, href: string): string {
  return `<link rel="${rel}" type="${type}" href="${escapeAttribute(href)}"/>`;
}

function tagOf(baseUrl: string, specific: string): string {
  return `tag:${new URL(baseUrl).hostname},${TAG_DAY}:${specific}`;
}

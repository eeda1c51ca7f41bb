/** The facts of an event in words, for its page and its markdown. */

import { type Dated, dayAt } from "../values.ts";
import { type Event, eventHref, type StoredEvent } from "../model.ts";
import { meetingDays } from "../history.ts";
import { typeInWords } from "./filter_words.ts";
import { EVERYTHING, selectionHref } from "./programme_query.ts";
import type { Labelled } from "./subscriptions.ts";
import { datesInWords, partInWords } from "./words.ts";

export interface Fact {
  readonly name: string;
  /** One part, or the members of a list. */
  readonly parts: readonly FactPart[];
}

export interface FactPart {
  readonly text: string;
  /** A link to another site, or a path of this one. */
  readonly href?: string;
  /** The days that the text names. */
  readonly days?: Dated;
  /** The event on these days, a word before the text. */
  readonly what?: string;
}

/** In place of a description. */
export const NO_DESCRIPTION = "The organisers have not written a description yet.";

const FORMATS = {
  "in-person": "In person",
  "online": "Online",
  "both": "In person and online",
} as const;

/** When an event is, in which format, and where, as far as it is known. */
export function scheduleOf(event: Event): readonly Fact[] {
  const { startDate, endDate, inPerson } = event;
  return known([
    { name: "When", parts: [onDays({ startDate, endDate })] },
    { name: "Format", parts: formatParts(event) },
    { name: "Where", parts: inPerson?.location ? [{ text: inPerson.location }] : [] },
  ]);
}

/** Days in person that differ from the event's own belong to their part of the format. */
function formatParts(event: Event): readonly FactPart[] {
  const { format } = event;
  const meeting = meetingDays(event);
  if (meeting === null || format === "online") {
    return format === null ? [] : [{ text: FORMATS[format] }];
  }
  const inPerson = { text: partInWords(meeting, event), days: meeting, what: "In person" };
  return format === "both" ? [inPerson, { text: "and online" }] : [inPerson];
}

/**
 * The other facts of an event, as far as they are known.
 *
 * @param timeZone the zone of the day of the announcement.
 */
export function detailsOf(event: Event, timeZone: string): readonly Fact[] {
  const { projectTypes, announcedAt } = event;
  const website = safeHref(event.url);
  const { date: announced } = dayAt(Date.parse(announcedAt), timeZone);
  const typeHref = (type: Event["projectTypes"][number]) =>
    selectionHref({ ...EVERYTHING, projectTypes: [type] });
  return known([
    {
      name: "Topics",
      parts: projectTypes.map((type) => linkTo(typeHref(type), typeInWords(type))),
    },
    { name: "Website", parts: website === null ? [] : [linkTo(website)] },
    { name: "Chat", parts: chatOf(event) },
    { name: "Announced", parts: [onDays({ startDate: announced, endDate: announced })] },
  ]);
}

function known(facts: readonly Fact[]): readonly Fact[] {
  return facts.filter(({ parts }) => parts.length > 0);
}

/** The place of an event in a few words; null if it is not known. */
export function placeOf(
  { format, inPerson }: Pick<StoredEvent, "format" | "inPerson">,
): string | null {
  const place = inPerson?.location ?? null;
  if (format === null) return place;
  if (format === "online" || place === null) return FORMATS[format];
  return format === "both" ? `${place}, and online` : place;
}

/** The place with the days in person that are not the event's own: "Porto, and online (in person 3–5 May)". */
export function whereInWords(event: StoredEvent): string | null {
  const place = placeOf(event);
  const meeting = meetingDays(event);
  if (place === null || meeting === null) return place;
  return `${place} (in person ${partInWords(meeting, event)})`;
}

/** The label and address of an event's button. */
export function actionOf({ url, slackUrl, slug }: Event): Labelled {
  const website = safeHref(url);
  if (website !== null) return { label: "Visit website", href: website };
  const chat = safeHref(slackUrl);
  if (chat !== null) return { label: "Join the chat", href: chat };
  return { label: "Add to calendar", href: `${eventHref(slug)}.ics` };
}

/** The requirements of an event, line by line. */
export function requirementsOf({ requirements }: Event): readonly string[] {
  return (requirements ?? "").split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

/** An address that is safe to link to: only `http:` and `https:`, so never `javascript:`. */
export function safeHref(address: string | null): string | null {
  const url = address === null ? null : URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

function chatOf({ slackUrl, slackChannel }: Event): readonly FactPart[] {
  const href = safeHref(slackUrl);
  const channel = slackChannel === null ? undefined : `#${slackChannel}`;
  if (href !== null) return [linkTo(href, channel)];
  return channel === undefined ? [] : [{ text: channel }];
}

function onDays(days: Dated): FactPart {
  return { text: datesInWords(days), days };
}

function linkTo(href: string, text = new URL(href).hostname.replace(/^www\./, "")): FactPart {
  return { text, href };
}

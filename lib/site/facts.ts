/** What is known of an event, in words: one list from which the page and its markdown are both made. */

import { type Dated, dayAt, type Event, meetingDays, type StoredEvent } from "../events/mod.ts";
import { EVERYTHING, selectionHref } from "./programme_query.ts";
import { dateInWords, datesInWords } from "./words.ts";

/** A fact with its name. */
export interface Fact {
  readonly name: string;
  /** One, or the members of a list. */
  readonly parts: readonly FactPart[];
}

/** A piece of a fact. */
export interface FactPart {
  readonly text: string;
  /** Where it leads: another site, or a path of this one. */
  readonly href?: string;
  /** The days that the text names. */
  readonly days?: Dated;
}

const FORMATS = {
  "in-person": "In person",
  "online": "Online",
  "both": "In person and online",
} as const;

/**
 * Everything that is known, in the order in which one asks; what is not known is left out.
 *
 * @param timeZone in which the day of the announcement is told.
 */
export function factsOf(event: Event, timeZone: string): readonly Fact[] {
  const { startDate, endDate, format, inPerson, projectTypes, announcedAt } = event;
  const meeting = meetingDays(event);
  const website = safeHref(event.url);
  const { date: announced } = dayAt(Date.parse(announcedAt), timeZone);
  const facts: Fact[] = [
    { name: "When", parts: [onDays({ startDate, endDate })] },
    { name: "How", parts: format === null ? [] : [{ text: FORMATS[format] }] },
    { name: "Where", parts: inPerson?.location ? [{ text: inPerson.location }] : [] },
    { name: "In person", parts: meeting === null ? [] : [onDays(meeting)] },
    {
      name: "For",
      parts: projectTypes.map((type) => ({
        text: type,
        href: selectionHref({ ...EVERYTHING, projectTypes: [type] }),
      })),
    },
    {
      name: "Website",
      parts: website === null ? [] : [{ text: hostOf(website), href: website }],
    },
    { name: "Chat", parts: chatOf(event) },
    {
      name: "Announced",
      parts: [{
        text: dateInWords(announced),
        days: { startDate: announced, endDate: announced },
      }],
    },
  ];
  return facts.filter(({ parts }) => parts.length > 0);
}

/** Where an event is, in a word or two; null if nobody has said. */
export function placeOf(
  { format, inPerson }: Pick<StoredEvent, "format" | "inPerson">,
): string | null {
  if (format === "online") return "Online";
  const place = inPerson?.location ?? null;
  if (format === "both") return place === null ? "In person and online" : `${place}, and online`;
  return place ?? (format === "in-person" ? "In person" : null);
}

/** What one does first: where the event's own button leads, here or elsewhere. */
export function actionOf(
  { url, slackUrl, slug }: Event,
): { readonly label: string; readonly href: string } {
  const website = safeHref(url);
  if (website !== null) return { label: "Visit website", href: website };
  const chat = safeHref(slackUrl);
  if (chat !== null) return { label: "Join the chat", href: chat };
  return { label: "Add to calendar", href: `${eventHref(slug)}.ics` };
}

/** The path of an event's page. */
export function eventHref(slug: string): string {
  return `/events/${encodeURIComponent(slug)}`;
}

/** What an event takes, line by line. */
export function requirementsOf({ requirements }: Event): readonly string[] {
  return (requirements ?? "").split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

/** An address that a visitor may be led to: `http:` or `https:`, nothing that runs. */
export function safeHref(address: string | null): string | null {
  const url = address === null ? null : URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

function chatOf({ slackUrl, slackChannel }: Event): readonly FactPart[] {
  const href = safeHref(slackUrl);
  const channel = slackChannel === null ? null : `#${slackChannel}`;
  if (href !== null) return [{ text: channel ?? hostOf(href), href }];
  return channel === null ? [] : [{ text: channel }];
}

function onDays(days: Dated): FactPart {
  return { text: datesInWords(days), days };
}

function hostOf(address: string): string {
  return new URL(address).hostname.replace(/^www\./, "");
}

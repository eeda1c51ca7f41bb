/** The facts of an event in words, for its page and its markdown. */

import { descriptionText } from "../description.ts";
import { type Dated, dayAt, meetingDays } from "../days.ts";
import { datesInWords, formatInWords, partInWords, safeHref } from "../words.ts";
import { type Event, eventHref } from "../model.ts";
import { typeInWords } from "./filter_words.ts";
import { EVERYTHING, selectionHref } from "./selection.ts";
import type { Labelled } from "./site.ts";

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

/** When an event is, where, and how one takes part, as far as it is known. */
export function scheduleOf(event: Event): readonly Fact[] {
  const { startDate, endDate, inPerson } = event;
  return known([
    { name: "When", parts: [onDays({ startDate, endDate })] },
    { name: "Where", parts: inPerson?.location ? [{ text: inPerson.location }] : [] },
    { name: "How", parts: formatParts(event) },
  ]);
}

/** Days in person that differ from the event's own belong to their part of the format. */
function formatParts(event: Event): readonly FactPart[] {
  const { format } = event;
  const meeting = meetingDays(event);
  if (meeting === null || format === "online") {
    return format === null ? [] : [{ text: formatInWords(format) }];
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

/** The label and address of an event's button. */
export function actionOf({ url, slackUrl, slug }: Event): Labelled {
  const website = safeHref(url);
  if (website !== null) return { label: "Visit website", href: website };
  const chat = safeHref(slackUrl);
  if (chat !== null) return { label: "Join the chat", href: chat };
  return { label: "Add to calendar", href: `${eventHref(slug)}.ics` };
}

/** The requirements of an event, line by line, without the marks of a list. */
export function requirementsOf({ requirements }: Event): readonly string[] {
  return descriptionText(requirements ?? "").split("\n")
    .map((line) => line.trim().replace(/^[-*]\s+/, "")).filter((line) => line !== "");
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

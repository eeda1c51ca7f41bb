/**
 * Events as an iCalendar object (RFC 5545, RFC 7986) for subscriptions. Without a METHOD, DTSTAMP is the time
 * of the event's last change, so the same events give the same bytes.
 */

import type { FeedHead } from "./atom.ts";
import { descriptionText } from "../../description.ts";
import type { CalendarEntry, FormerEvent } from "../../keeping/history.ts";
import type { RevisedEvent } from "../../catalog.ts";
import { dateAfter, type Dated, meetingDays } from "../../days.ts";
import { venueOf } from "../../places.ts";
import { datesInWords, formatInWords, safeHref } from "../../words.ts";
import { shownTexts } from "../../shown_texts.ts";
import { withoutForbidden } from "../../../platform/text.ts";
import { type FeedScope, pageAddress } from "../feed_text.ts";
import { identifierOf } from "./identifiers.ts";

const PRODUCT = "-//Foyer//Events//EN";
/** Clients may ask more often: an unchanged calendar is a short 304. */
const REFRESH_INTERVAL = "PT1H";
/** Octets of a line without its end. */
const MAX_OCTETS = 75;
/** Programs may take any of these for the end of a line. */
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
const IS_ASCII = /^[ -~]*$/;

/** Properties and values; a property without a value is left out. */
type Lines = readonly (readonly [name: string, value: string | number | null])[];

/** The calendar of components as text. */
export function buildCalendar(
  components: readonly string[],
  head: Pick<FeedHead, "baseUrl" | "selfUrl" | "title">,
): string {
  const title = textValue(head.title);
  const about = write([
    ["BEGIN", "VCALENDAR"],
    ["VERSION", "2.0"],
    ["PRODID", PRODUCT],
    ["CALSCALE", "GREGORIAN"],
    ["NAME", title],
    ["X-WR-CALNAME", title],
    ["REFRESH-INTERVAL;VALUE=DURATION", REFRESH_INTERVAL],
    ["X-PUBLISHED-TTL", REFRESH_INTERVAL],
    ["SOURCE;VALUE=URI", head.selfUrl],
    ["URL", head.baseUrl],
  ]);
  return about + components.join("") + write([["END", "VCALENDAR"]]);
}

/** The VEVENT of an event, and another for the days on which people meet, if they differ. */
export function eventComponents(event: RevisedEvent, scope: FeedScope): string {
  const meeting = meetingDays(event);
  const place = venueOf(event);
  const page = pageAddress(scope.baseUrl, event);
  const uid = identifierOf(scope.origin, event.id);
  const said: Lines = [
    ["LOCATION", place && textValue(place)],
    ["URL", page],
    ["CATEGORIES", event.projectTypes.map(textValue).join(",") || null],
    ["STATUS", "CONFIRMED"],
  ];
  const whole = component(uid, event, event.changedAt, event.sequence, [
    ["SUMMARY", textValue(event.name)],
    ["DESCRIPTION", textValue(description(event, page))],
    ...said,
  ]);
  if (meeting === null) return whole;
  return whole + component(meetingUid(event, scope), meeting, event.changedAt, event.sequence, [
    ["SUMMARY", textValue(`${event.name} (in person)`)],
    ["DESCRIPTION", textValue(page)],
    ["RELATED-TO", uid],
    ...said,
  ]);
}

/** The cancellation of an event and of its meeting. */
export function cancelledComponents(event: FormerEvent, scope: FeedScope): string {
  const { meeting, goneAt, sequence, name } = event;
  const cancelled = (id: string, days: Dated, summary: string) =>
    component(id, days, goneAt, sequence, [
      ["SUMMARY", textValue(summary)],
      ["STATUS", "CANCELLED"],
    ]);
  const whole = cancelled(identifierOf(scope.origin, event.id), event, name);
  if (meeting === null) return whole;
  return whole + cancelled(meetingUid(event, scope), meeting, `${name} (in person)`);
}

function component(
  id: string,
  days: Dated,
  changedAt: number,
  sequence: number,
  rest: Lines,
): string {
  const { startDate, endDate } = days;
  return write([
    ["BEGIN", "VEVENT"],
    ["UID", id],
    ["DTSTAMP", instantValue(changedAt)],
    ["LAST-MODIFIED", instantValue(changedAt)],
    ["SEQUENCE", sequence],
    ["DTSTART;VALUE=DATE", dateValue(startDate)],
    // DTEND is the day after the last one. An event without an end has none.
    ["DTEND;VALUE=DATE", endDate && dateValue(dateAfter(endDate, 1))],
    ...rest,
    // A programme does not make its reader busy. Outlook obeys its own property.
    ["TRANSP", "TRANSPARENT"],
    ["X-MICROSOFT-CDO-BUSYSTATUS", "FREE"],
    ["END", "VEVENT"],
  ]);
}

/** The facts without a property of their own, and the event's page, since Google Calendar ignores URL. */
function description(event: RevisedEvent, page: string): string {
  const texts = shownTexts(event, page);
  const meeting = meetingDays(event);
  const website = safeHref(event.url);
  const slack = safeHref(event.slackUrl);
  const channel = event.slackChannel === null ? null : `#${event.slackChannel}`;
  const chat = [channel, slack].filter((part) => part !== null).join(" ");
  return [
    event.format !== null && event.format !== "in-person" && formatInWords(event.format),
    meeting && `In person: ${datesInWords(meeting)}`,
    texts.description && descriptionText(texts.description),
    texts.requirements && `Requirements: ${descriptionText(texts.requirements)}`,
    website && `Website: ${website}`,
    chat && `Chat: ${chat}`,
    page,
  ].filter(Boolean).join("\n\n");
}

function meetingUid({ id }: Pick<CalendarEntry, "id">, { origin }: FeedScope): string {
  return identifierOf(origin, id, "in-person");
}

function write(lines: Lines): string {
  return lines.map(([name, value]) => value === null ? "" : contentLine(name, value)).join("");
}

// The notation: content lines (RFC 5545, section 3.1) and the values in them.

/** A content line with its end, folded so that no character is split. */
export function contentLine(name: string, value: string | number): string {
  const line = `${name}:${value}`;
  if (IS_ASCII.test(line)) {
    // The space that begins a continuation is one of its octets.
    const continued = line.slice(MAX_OCTETS).match(/.{1,74}/g) ?? [];
    return `${[line.slice(0, MAX_OCTETS), ...continued].join("\r\n ")}\r\n`;
  }
  let folded = "";
  let octets = 0;
  for (const character of line) {
    const size = octetsOf(character);
    if (octets + size > MAX_OCTETS) {
      folded += "\r\n ";
      octets = 1;
    }
    folded += character;
    octets += size;
  }
  return `${folded}\r\n`;
}

/** A value of the type TEXT; forbidden characters are left out. */
function textValue(text: string): string {
  return withoutForbidden(text.replace(LINE_ENDS, "\n"))
    .replace(/[\\;,]/g, "\\$&").replaceAll("\n", "\\n");
}

function dateValue(date: string): string {
  return date.replaceAll("-", "");
}

/** Epoch milliseconds as a value of the type DATE-TIME in UTC, in whole seconds. */
function instantValue(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString().replace(/\.\d+|[-:]/g, "");
}

function octetsOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/** Links that add an event to a calendar, one for each calendar program. */

import { descriptionText } from "../description.ts";
import { type Event, eventHref } from "../model.ts";
import { venueOf } from "../places.ts";
import { dateAfter, type Dated } from "../days.ts";
import { oneLine } from "./short_text.ts";
import type { Labelled } from "./site.ts";

/** Addresses of more than about 2,000 characters fail in some programs. */
const MAX_TITLE_LENGTH = 100;
const MAX_PLACE_LENGTH = 100;
const MAX_DETAILS_LENGTH = 280;

/**
 * The links; none for an event that has ended. Google and Outlook open a form with the event's days, place and text.
 * Other programs take the file, which also has the days on which people meet; its address has no `webcal:`, which would
 * subscribe to a calendar with one event instead of adding the event. An event without an end is entered on its first
 * day, or tomorrow if that has passed.
 *
 * @param baseUrl without a trailing slash.
 */
export function calendarLinks(
  event: Event,
  { baseUrl, today }: { readonly baseUrl: string; readonly today: string },
): readonly Labelled[] {
  const { name, description, slug, status } = event;
  if (status === "ended") return [];
  const page = `${baseUrl}${eventHref(slug)}`;
  const title = oneLine(name, MAX_TITLE_LENGTH);
  const about = oneLine(descriptionText(description ?? ""), MAX_DETAILS_LENGTH);
  const details = about === "" ? page : `${about}\n\n${page}`;
  const location = oneLine(venueOf(event) ?? "", MAX_PLACE_LENGTH);
  const { startDate, endDate } = addableDays(event, today);
  // The day after the last one, as in RFC 5545.
  const end = dateAfter(endDate ?? startDate, 1);
  const google = query({
    action: "TEMPLATE",
    text: title,
    dates: `${startDate}/${end}`.replaceAll("-", ""),
    details,
    location,
  });
  const outlook = query({
    path: "/calendar/action/compose",
    rru: "addevent",
    allday: "true",
    startdt: startDate,
    enddt: end,
    subject: title,
    body: details,
    location,
  });
  return [
    { label: "Google Calendar", href: `https://calendar.google.com/calendar/render?${google}` },
    {
      label: "Outlook.com",
      href: `https://outlook.live.com/calendar/0/deeplink/compose?${outlook}`,
    },
    {
      label: "Outlook at work or school",
      href: `https://outlook.office.com/calendar/0/deeplink/compose?${outlook}`,
    },
    { label: "Apple Calendar and others", href: `${eventHref(slug)}.ics` },
  ];
}

/** The days that an event has for those who add it today: without an end, a day that is still to come. */
export function addableDays({ startDate, endDate }: Dated, today: string): Dated {
  return {
    startDate: endDate === null && startDate < today ? dateAfter(today, 1) : startDate,
    endDate,
  };
}

/** A message with an event's address, for visitors without a script. */
export function mailHref({ name, slug }: Event, baseUrl: string): string {
  const message = {
    subject: oneLine(name, MAX_TITLE_LENGTH),
    body: `${baseUrl}${eventHref(slug)}`,
  };
  return `mailto:?${query(message)}`;
}

/** Pairs without a value are left out. Mail programs read `+` as itself, so a space is `%20`. */
function query(pairs: Readonly<Record<string, string>>): string {
  const given = Object.entries(pairs).filter(([, value]) => value !== "");
  return String(new URLSearchParams(given)).replaceAll("+", "%20");
}

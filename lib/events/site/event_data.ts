/** An event as schema.org data (JSON-LD), for search engines. */

import { descriptionText } from "../description.ts";
import type { Event } from "../model.ts";
import { safeHref } from "../words.ts";

const MODES = {
  "in-person": "https://schema.org/OfflineEventAttendanceMode",
  "online": "https://schema.org/OnlineEventAttendanceMode",
  "both": "https://schema.org/MixedEventAttendanceMode",
} as const;

/**
 * The data of an event. Its dates are whole days, so they have no time.
 *
 * @param url the event's address on this site.
 * @param images addresses on this site: those of the record store expire within hours.
 */
export function eventData(
  event: Event,
  url: string,
  images: readonly string[],
): Record<string, unknown> {
  const { name, description, startDate, endDate, format, inPerson } = event;
  const place = inPerson?.location ?? null;
  const places = place === null ? [] : [{ "@type": "Place", name: place, address: place }];
  const locations = [
    ...places,
    ...(format === "online" || format === "both"
      ? [{ "@type": "VirtualLocation", url: safeHref(event.url) ?? url }]
      : []),
  ];
  return {
    "@context": "https://schema.org",
    "@type": "Event",
    name,
    ...(description === null ? {} : { description: descriptionText(description) }),
    url,
    startDate,
    ...(endDate === null ? {} : { endDate }),
    eventStatus: "https://schema.org/EventScheduled",
    ...(format === null ? {} : { eventAttendanceMode: MODES[format] }),
    ...(locations.length === 0 ? {} : { location: locations }),
    ...(images.length === 0 ? {} : { image: images }),
  };
}

/**
 * An event as schema.org data (JSON-LD), for search engines, with what Google requires and recommends of an event
 * (https://developers.google.com/search/docs/appearance/structured-data/event).
 */

import { descriptionText } from "../description.ts";
import { type Event, eventHref } from "../model.ts";
import { readPlace, venueOf } from "../places.ts";
import { safeHref } from "../words.ts";

const MODES = {
  "in-person": "https://schema.org/OfflineEventAttendanceMode",
  "online": "https://schema.org/OnlineEventAttendanceMode",
  "both": "https://schema.org/MixedEventAttendanceMode",
} as const;

/**
 * The data of an event; null without a location, which search engines require: a place, or an address of an event that
 * is online. Its dates are whole days, so they have no time.
 *
 * @param images paths on this site: the addresses of the record store expire within hours.
 */
export function eventData(
  event: Event,
  { site: { name: organizer, baseUrl }, images }: {
    readonly site: { readonly name: string; readonly baseUrl: string };
    readonly images: readonly string[];
  },
): Record<string, unknown> | null {
  const { name, description, slug, startDate, endDate, format, url, slackUrl } = event;
  const venue = venueOf(event);
  const address = format === "online" || format === "both"
    ? safeHref(url) ?? safeHref(slackUrl)
    : null;
  const locations = [
    ...venue === null ? [] : [placeData(venue)],
    ...address === null ? [] : [{ "@type": "VirtualLocation", url: address }],
  ];
  if (locations.length === 0) return null;
  return {
    "@context": "https://schema.org",
    "@type": "Event",
    name,
    ...description !== null && { description: descriptionText(description) },
    url: `${baseUrl}${eventHref(slug)}`,
    startDate,
    ...endDate !== null && { endDate },
    // A withdrawn event has no data.
    eventStatus: "https://schema.org/EventScheduled",
    ...format !== null && { eventAttendanceMode: MODES[format] },
    location: locations,
    ...images.length > 0 && { image: images.map((path) => `${baseUrl}${path}`) },
    organizer: { "@type": "Organization", name: organizer, url: `${baseUrl}/` },
  };
}

function placeData(text: string): Record<string, unknown> {
  const { town = null, country = null } = readPlace(text) ?? {};
  return {
    "@type": "Place",
    name: text,
    address: {
      "@type": "PostalAddress",
      // The whole text: its parts are a guess.
      streetAddress: text,
      ...town !== null && { addressLocality: town },
      ...country !== null && { addressCountry: country },
    },
  };
}

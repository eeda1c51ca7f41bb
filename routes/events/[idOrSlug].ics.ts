/**
 * `GET /events/{idOrSlug}.ics`: one event as a calendar (RFC 5545). The file's name must come before
 * `[slug]` in the alphabet, or the event's page would take the address.
 */

import {
  FEED_ERRORS,
  noSuchEvent,
  prepareEventCalendar,
  sendFromCatalog,
} from "../../lib/events/mod.ts";
import { EVENT_PARAMETER, methods, type Operation } from "../../lib/operate/mod.ts";

export const handler = methods({
  GET({ req, params: { idOrSlug = "" }, state: { services: { events } } }) {
    return sendFromCatalog(req, events, (catalog) => {
      const calendar = prepareEventCalendar(catalog, idOrSlug);
      if (calendar !== null) return calendar;
      const hint = "An event that was withdrawn keeps its calendar for 30 days.";
      throw noSuchEvent(catalog, "No event has this id or slug.", hint);
    });
  },
});

export const operation: Operation = {
  operationId: "getEventCalendar",
  group: "Calendars and feeds",
  summary: "Calendar of one event",
  description: "One event as iCalendar (RFC 5545), to save or to subscribe to. A slug that the " +
    "event had before is understood too.",
  parameters: [EVENT_PARAMETER],
  errors: [...FEED_ERRORS, "not_found"],
  answer: {
    description: "The calendar.",
    headers: ["Last-Modified", "Link"],
    content: { "text/calendar": { schema: { type: "string" } } },
  },
};

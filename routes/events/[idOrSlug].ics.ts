/**
 * `GET /events/{idOrSlug}.ics`: one event as a calendar (RFC 5545). The file's name must come before
 * `[slug]` in the alphabet, or the event's page would take the address.
 */

import { prepareEventCalendar } from "../../lib/events/feeds/feeds.ts";
import { FEED_ERRORS, noSuchEvent, sendFromCatalog } from "../../lib/events/respond.ts";
import type { Operation } from "../../lib/operate/reference/operation.ts";
import { EVENT_PARAMETER } from "../../lib/operate/reference/parameters.ts";
import { methods } from "../../lib/operate/routes/methods.ts";

export const handler = methods({
  GET(ctx) {
    const { params: { idOrSlug = "" }, state: { services: { events } } } = ctx;
    return sendFromCatalog(ctx, events, (catalog) => {
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

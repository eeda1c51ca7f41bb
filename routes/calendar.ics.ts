/** `GET /calendar.ics`: the events as a calendar to subscribe to (RFC 5545), filtered as the list is. */

import { CALENDAR } from "../lib/events/feeds/feeds.ts";
import { LIST_DEFAULTS } from "../lib/events/query.ts";
import { feedRoute } from "../lib/operate/routes/feed_route.ts";

export const { handler, operation } = feedRoute(CALENDAR, {
  operationId: "getCalendar",
  summary: "Calendar",
  description: "The events as iCalendar (RFC 5545), to subscribe to: unlike a file that was " +
    "imported once, it changes with the events. An event that was withdrawn stays in it as " +
    "cancelled for 30 days.",
  defaults: LIST_DEFAULTS,
});

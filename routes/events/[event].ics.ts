/**
 * `GET /events/{id or slug}.ics`: one event as a calendar (RFC 5545). The file's name must come before
 * `[slug]` in the alphabet, or the event's page would take the address.
 */

import { noSuchEvent, requireAcceptable, sendFromCatalog } from "../../lib/events/mod.ts";
import { CALENDAR, prepareEventCalendar } from "../../lib/feeds/mod.ts";
import { methods, parseQuery, searchOf } from "../../lib/http/mod.ts";
import type { State } from "../../lib/state.ts";

export const handler = methods<State>({
  GET({ req, params: { event = "" }, state: { services: { events } } }) {
    parseQuery(searchOf(req.url), {});
    requireAcceptable(req, CALENDAR.types);
    return sendFromCatalog(req, events, (catalog) => {
      const calendar = prepareEventCalendar(catalog, event);
      if (calendar !== null) return calendar;
      const hint = "An event that was withdrawn keeps its calendar for 30 days.";
      throw noSuchEvent(catalog, "No event has this id or slug.", hint);
    });
  },
});

/**
 * `GET /events/{id or slug}.ics`: one event as a calendar (RFC 5545). The file's name must come before
 * `[slug]` in the alphabet, or the event's page would take the address.
 */

import { answerFromCatalog, noSuchEvent } from "../../lib/events/mod.ts";
import { CALENDAR, prepareEventCalendar } from "../../lib/feeds/mod.ts";
import { methods, parseQuery, searchOf } from "../../lib/http/mod.ts";
import type { State } from "../../lib/state.ts";

export const handler = methods<State>({
  GET({ req, params, state: { services: { events, now } } }) {
    const { event = "" } = params;
    parseQuery(searchOf(req.url), {});
    return answerFromCatalog(
      { request: req, source: events, now, types: CALENDAR.types },
      (catalog, at) => {
        const calendar = prepareEventCalendar(catalog, event, at);
        if (calendar !== null) return calendar;
        const hint = "An event that was withdrawn keeps its calendar for 30 days.";
        throw noSuchEvent(catalog, at, "No event has this id or slug.", hint);
      },
    );
  },
});

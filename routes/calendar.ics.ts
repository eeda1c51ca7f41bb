/** `GET /calendar.ics`: the events as a calendar to subscribe to (RFC 5545), filtered as the list is. */

import { CALENDAR } from "../lib/feeds/mod.ts";
import { feedRoute } from "./(_shared)/feed_route.ts";

export const handler = feedRoute(CALENDAR);

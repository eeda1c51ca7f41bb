/** `GET /feed.json`: the announcement feed as JSON Feed 1.1, filtered as the list is. */

import { JSON_FEED } from "../lib/feeds/mod.ts";
import { feedRoute } from "./(_shared)/feed_route.ts";

export const handler = feedRoute(JSON_FEED);

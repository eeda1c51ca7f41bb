/** `GET /feed.atom`: the announcement feed as Atom (RFC 4287), filtered as the list is. */

import { ATOM_FEED } from "../lib/feeds/mod.ts";
import { feedRoute } from "./(_shared)/feed_route.ts";

export const handler = feedRoute(ATOM_FEED);

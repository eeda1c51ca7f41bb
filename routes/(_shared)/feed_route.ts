/** The route of a feed or of the calendar: the events that a query string chooses. */

import { requireAcceptable, sendFromCatalog } from "../../lib/events/mod.ts";
import { type FeedKind, prepareFeed } from "../../lib/feeds/mod.ts";
import { methods, searchOf } from "../../lib/http/mod.ts";
import type { State } from "../../lib/state.ts";

/** Makes the handler of a kind of feed. */
export function feedRoute(kind: FeedKind) {
  return methods<State>({
    GET({ req, state: { services: { events, sharing } } }) {
      requireAcceptable(req, kind.types);
      const query = kind.parse(searchOf(req.url));
      return sendFromCatalog(req, events, (catalog) =>
        prepareFeed(catalog, kind, query, (id) => {
          const event = catalog.event(id);
          return event && sharing.href(catalog, event);
        }));
    },
  });
}

/** The route of a feed or of the calendar: the events that a query string chooses, as a document. */

import { answerFromCatalog } from "../../lib/events/mod.ts";
import { type DocumentKind, prepareDocument } from "../../lib/feeds/mod.ts";
import { methods, searchOf } from "../../lib/http/mod.ts";
import type { State } from "../../lib/state.ts";

/** Makes the handler of a kind of document. */
export function feedRoute(kind: DocumentKind) {
  return methods<State>({
    GET({ req, state: { services: { events, now } } }) {
      const search = searchOf(req.url);
      const check = () => kind.parse(search);
      return answerFromCatalog(
        { request: req, source: events, now, types: kind.types, check },
        (catalog, at) => prepareDocument(catalog, kind, search, at),
      );
    },
  });
}

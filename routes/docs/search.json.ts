/** `/docs/search.json`: the results that the search of the documents shows while a visitor types. */

import { foundSections, searchDocuments } from "../../lib/documents/mod.ts";
import { createRepresentation, methods, sendRepresentation } from "../../lib/http/mod.ts";
import type { State } from "../../lib/service/mod.ts";
import { documentBasis, documentsOf, typedSearch } from "../(_shared)/documents.tsx";

export const handler = methods<State>({
  async GET(ctx) {
    const found = foundSections(searchDocuments(await documentsOf(ctx), typedSearch(ctx)));
    const bytes = new TextEncoder().encode(JSON.stringify(found));
    const representation = createRepresentation({ contentType: "application/json", bytes });
    const { maxAgeSeconds } = documentBasis(ctx.state);
    return await sendRepresentation(ctx.req, representation, { maxAgeSeconds });
  },
});

/** `/docs/search.json`: the results that the search of the documents shows while a visitor types. */

import { searchDocuments } from "../../lib/documents/mod.ts";
import { createRepresentation, sendRepresentation } from "../../lib/http/mod.ts";
import { documentBasis, documentsOf, typedSearch } from "../(_shared)/documents.tsx";
import { methods } from "../(_shared)/methods.ts";

export const handler = methods({
  async GET(ctx) {
    const found = searchDocuments(await documentsOf(ctx), typedSearch(ctx));
    const bytes = new TextEncoder().encode(JSON.stringify(found));
    const representation = createRepresentation({ contentType: "application/json", bytes });
    const { maxAgeSeconds } = documentBasis(ctx.state);
    return await sendRepresentation(ctx.req, representation, { maxAgeSeconds });
  },
});

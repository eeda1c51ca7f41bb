/** `/docs/search.json`: the results that the search of the documents shows while a visitor types. */

import { methods, searchDocuments } from "../../lib/operate/mod.ts";
import {
  createRepresentation,
  sendRepresentation,
} from "../../lib/platform/http/representation.ts";
import {
  documentBasis,
  searchedDocuments,
  typedSearch,
} from "../../components/documents/documents.tsx";

export const handler = methods({
  async GET(ctx) {
    const found = searchDocuments(await searchedDocuments(ctx), typedSearch(ctx));
    const bytes = new TextEncoder().encode(JSON.stringify(found));
    const representation = createRepresentation({ contentType: "application/json", bytes });
    const { maxAgeSeconds } = documentBasis(ctx.state);
    return await sendRepresentation(ctx.req, representation, { maxAgeSeconds });
  },
});

/** `/docs`: every document with its summary, and the search through them. */

import { documentsMarkdown, searchDocuments } from "../../lib/documents/mod.ts";
import { methods } from "../../lib/http/mod.ts";
import type { State } from "../../lib/service/mod.ts";
import { documentBasis, documentsOf, typedSearch } from "../(_shared)/documents.tsx";
import { DocumentsOverview } from "../(_components)/DocumentsOverview.tsx";
import { answerPage } from "../(_components)/prepared.tsx";

export const handler = methods<State>({
  async GET(ctx) {
    const documents = await documentsOf(ctx);
    const search = typedSearch(ctx);
    const hits = searchDocuments(documents, search);
    return await answerPage(ctx, documentBasis(ctx.state), {
      address: search === "" ? "/docs" : `/docs?${new URLSearchParams({ q: search })}`,
      html: () => ({
        element: <DocumentsOverview documents={documents} search={search} hits={hits} />,
      }),
      markdown: () => documentsMarkdown(documents, search, hits, ctx.state.site.baseUrl),
    });
  },
});

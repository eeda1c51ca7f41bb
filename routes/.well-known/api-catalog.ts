/** `/.well-known/api-catalog`: the API catalog (RFC 9727). */

import { answerJson } from "../../components/documents/documents.tsx";
import { ADDRESSES, apiCatalog, CATALOG_TYPE } from "../../lib/operate/reference/reference.ts";
import { methods } from "../../lib/operate/routes/methods.ts";

export const handler = methods({
  GET: (ctx) =>
    answerJson(ctx, {
      address: ADDRESSES.catalog,
      contentType: CATALOG_TYPE,
      // RFC 9727, section 2: a HEAD request finds the catalog by this link.
      link: `<${ADDRESSES.catalog}>; rel="api-catalog"`,
      make: ({ BASE_URL }) => apiCatalog(BASE_URL),
    }),
});

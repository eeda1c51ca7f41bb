/** `GET /sitemap.xml`: the list of every page, for search engines (sitemaps.org). */

import { prepareSitemap, sendFromCatalog } from "../lib/events/mod.ts";
import { documentsOf } from "../components/documents/documents.tsx";
import { methods } from "../lib/operate/mod.ts";

export const handler = methods({
  async GET(ctx) {
    const { req, state: { services: { events } } } = ctx;
    const pages = ["/docs", ...(await documentsOf(ctx)).listed.map(({ address }) => address)];
    return sendFromCatalog(req, events, (catalog) => prepareSitemap(catalog, pages));
  },
});

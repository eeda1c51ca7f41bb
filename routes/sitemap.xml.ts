/** `GET /sitemap.xml`: the list of every page, for search engines (sitemaps.org). */

import { requireAcceptable, sendFromCatalog } from "../lib/events/mod.ts";
import { prepareSitemap, SITEMAP_TYPES } from "../lib/feeds/mod.ts";
import { documentsOf } from "./(_shared)/documents.tsx";
import { methods } from "./(_shared)/methods.ts";

export const handler = methods({
  async GET(ctx) {
    const { req, state: { services: { events } } } = ctx;
    requireAcceptable(req, SITEMAP_TYPES);
    const pages = ["/docs", ...(await documentsOf(ctx)).map(({ address }) => address)];
    return sendFromCatalog(req, events, (catalog) => prepareSitemap(catalog, pages));
  },
});

/** `GET /sitemap.xml`: the list of every page, for search engines (sitemaps.org). */

import { prepareSitemap } from "../lib/events/feeds/sitemap.ts";
import { sendFromCatalog } from "../lib/events/respond.ts";
import { documentsOf } from "../components/documents/documents.tsx";
import { methods } from "../lib/operate/routes/methods.ts";

export const handler = methods({
  async GET(ctx) {
    const pages = ["/docs", ...(await documentsOf(ctx)).listed.map(({ address }) => address)];
    return sendFromCatalog(
      ctx,
      ctx.state.services.events,
      (catalog) => prepareSitemap(catalog, pages),
    );
  },
});

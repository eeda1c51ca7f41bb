/** The sitemap: every page for search engines, with the day of its last change where that is known. */

import { createRepresentation } from "../../platform/http/representation.ts";
import type { Catalog, CatalogResponse } from "../catalog.ts";
import { eventHref } from "../model.ts";
import { pastPages } from "../site/listing.ts";
import { escapeXml } from "../../platform/escape.ts";

/**
 * The home page, the years of past events, every event's page and the given ones. Documents change with a deployment,
 * and the date of the last change of their text is not known: a guess would be worse than no date (sitemaps.org).
 *
 * @param pages paths of pages that are not made of events.
 */
export function prepareSitemap(
  catalog: Catalog,
  pages: readonly string[],
): Promise<CatalogResponse> {
  // A year has a page once an event has ended in it.
  const { date, endsAt } = catalog.day();
  return catalog.documents.get("/sitemap.xml", `${date} ${catalog.version}`, () => {
    const { baseUrl, snapshot: { events, meta: { changedAt } } } = catalog;
    const bytes = new TextEncoder().encode([
      `<?xml version="1.0" encoding="utf-8"?>`,
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`,
      entry(`${baseUrl}/`, changedAt),
      ...pastPages(catalog).map((path) => entry(`${baseUrl}${path}`, changedAt)),
      ...pages.map((path) => entry(`${baseUrl}${path}`, null)),
      ...events.map((event) => entry(`${baseUrl}${eventHref(event.slug)}`, event.changedAt)),
      `</urlset>`,
      "",
    ].join("\n"));
    return {
      representation: createRepresentation({
        contentType: "application/xml; charset=utf-8",
        bytes,
      }),
      endsAt,
    };
  });
}

function entry(address: string, changedAt: number | null): string {
  const changed = changedAt === null
    ? ""
    : `<lastmod>${new Date(changedAt).toISOString()}</lastmod>`;
  return `<url><loc>${escapeXml(address)}</loc>${changed}</url>`;
}

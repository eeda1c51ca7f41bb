/** The site that a page belongs to, for every component of the page; islands get what they need as properties. */

import { type ComponentChildren, type Context, createContext, type VNode } from "preact";
import { PLAIN_SITE, type Site } from "../../lib/site/mod.ts";

/** The page's site, as {@linkcode withSite} gives it. */
export const SiteContext: Context<Site> = createContext(PLAIN_SITE);

/** A page as one of a site. */
export function withSite(site: Site, page: ComponentChildren): VNode {
  return <SiteContext.Provider value={site}>{page}</SiteContext.Provider>;
}

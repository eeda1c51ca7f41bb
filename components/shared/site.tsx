/** The site that a page belongs to, for every component of the page; islands get what they need as properties. */

import { type ComponentChildren, createContext, type VNode } from "preact";
import { useContext } from "preact/hooks";
import { PLAIN_SITE, type Site } from "../../lib/events/site/site.ts";

const SiteContext = createContext(PLAIN_SITE);

/** The site of the page that a component is part of. */
export function useSite(): Site {
  return useContext(SiteContext);
}

/** A page as one of a site. */
export function withSite(site: Site, page: ComponentChildren): VNode {
  return <SiteContext.Provider value={site}>{page}</SiteContext.Provider>;
}

/** For upstream alone: it adds the build's id to the address of an image without this, which would then have many. */
export const UNLOCKED = { "data-fresh-disable-lock": true };

/** Those who help: a link to `SITE_CONTACT`, if there is one. */
export function Operators() {
  const { contact } = useSite();
  const name = "the people who run this site";
  return contact === null ? <>{name}</> : <a href={contact}>{name}</a>;
}

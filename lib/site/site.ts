/** The site as its organisation names it: the variables `SITE_…`, ready for pages. */

import type { Config } from "../config.ts";
import { keptBy } from "../kept_by.ts";
import { FOYER } from "../site_name.ts";
import { type Color, parseColor } from "./color.ts";
import type { Labelled } from "./subscriptions.ts";

/** The name of a site, and what stands around every page. */
export interface Site {
  readonly name: string;
  /** A sentence about the organisation; null without one. */
  readonly tagline: string | null;
  /** Of the organisation, for the header and the footer. */
  readonly links: readonly Labelled[];
  /** A `mailto:`, `https:` or `tel:` address; null without one. */
  readonly contact: string | null;
  /** From which the accents are derived; null for the usual ones. */
  readonly color: Color | null;
}

/** The site without any variable. */
export const PLAIN_SITE: Site = {
  name: FOYER,
  tagline: null,
  links: [],
  contact: null,
  color: null,
};

/** Whether the usual logo, icons and manifest do not fit the site. */
export function hasOwnMark({ name, color }: Site): boolean {
  return name !== FOYER || color !== null;
}

/** The site of a configuration. */
export const siteOf: (config: Config) => Site = keptBy((config) => ({
  name: config.SITE_NAME,
  tagline: config.SITE_TAGLINE ?? null,
  links: config.SITE_LINKS,
  contact: config.SITE_CONTACT ?? null,
  color: config.SITE_COLOR === undefined ? null : parseColor(config.SITE_COLOR)?.color ?? null,
}));

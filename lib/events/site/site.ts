/** The site as its organisation names it and wants it to look: the variables `SITE_…`, ready for pages. */

import type { Config } from "../../platform/config/config.ts";
import { FOYER } from "../../platform/site_name.ts";
import { type Color, parseColor } from "../theme/color.ts";

/** A link and its label. */
export interface Labelled {
  readonly label: string;
  readonly href: string;
}

/** The name of a site, what stands around every page, and how it looks. */
export interface Site {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly name: string;
  /** A sentence about the organisation; null without one. */
  readonly tagline: string | null;
  /** The organisation's links, for the header and the footer. */
  readonly links: readonly Labelled[];
  /** A `mailto:`, `https:` or `tel:` address; null without one. */
  readonly contact: string | null;
  /** The colour from which the accents are derived; null for the usual accents. */
  readonly color: Color | null;
  /** Null without one, and while it cannot be read; so are the other files. */
  readonly logo: SiteLogo | null;
  /** The logo on dark screens; null if it is the same. */
  readonly logoDark: OwnFile | null;
  readonly icon: SiteIcon | null;
  readonly font: OwnFile | null;
}

/** A file of the organisation's, which is served as it is. */
export interface OwnFile {
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Identifies the file; part of its address. */
  readonly version: string;
  /** Its address on this site, which changes when the file does. */
  readonly href: string;
}

/** A logo, in SVG or PNG. */
export interface SiteLogo extends OwnFile {
  /** Whether it is so wide that it has the name in it, which then does not stand beside it. */
  readonly isWide: boolean;
}

/** A square icon, in PNG. */
export interface SiteIcon extends OwnFile {
  /** In pixels. */
  readonly side: number;
}

/** The site without any variable. */
export const PLAIN_SITE: Site = {
  baseUrl: "",
  name: FOYER,
  tagline: null,
  links: [],
  contact: null,
  color: null,
  logo: null,
  logoDark: null,
  icon: null,
  font: null,
};

/** The site of a configuration, before its files are read. */
export function siteOf(config: Config): Site {
  return {
    ...PLAIN_SITE,
    baseUrl: config.BASE_URL,
    name: config.SITE_NAME,
    tagline: config.SITE_TAGLINE ?? null,
    links: config.SITE_LINKS,
    contact: config.SITE_CONTACT ?? null,
    color: config.SITE_COLOR === undefined ? null : parseColor(config.SITE_COLOR)?.color ?? null,
  };
}

/** Whether the usual logo, icons and manifest do not fit the site. */
export function hasOwnMark({ name, color, logo, icon }: Site): boolean {
  return name !== FOYER || color !== null || logo !== null || icon !== null;
}

/** Whether the name is written out beside a logo or in place of one. */
export function showsName({ logo }: Pick<Site, "logo">): boolean {
  return logo === null || !logo.isWide;
}

/** Identifies the files of a site's branding, which are read after the start; "" without any. */
export function brandingVersion({ logo, logoDark, icon, font }: Site): string {
  const versions = [logo, logoDark, icon, font].map((file) => file?.version ?? "");
  return versions.every((version) => version === "") ? "" : `${versions.join()} `;
}

/** The site's logo, an open door: SVG paths in a square of 24. */
export const SITE_LOGO = {
  frame: "M4 22V11a8 8 0 0 1 16 0v11Z",
  /** The light in the doorway, in the colour of the ground. */
  light: "M9 22V11.5a5.5 5.5 0 0 1 6-5.4V22Z",
} as const;

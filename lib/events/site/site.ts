/** The site as its organisation names it and wants it to look: the variables `SITE_…`, ready for pages. */

import type { Config } from "../../platform/config/config.ts";
import { digestOf } from "../../platform/digest.ts";
import { memoize } from "../../platform/memoize.ts";
import { FOYER } from "../../platform/site_name.ts";
import { type Color, parseColor, toHex } from "../theme/color.ts";
import type { LogoDrawing } from "./logo_shapes.ts";
import type { Labelled } from "./subscriptions.ts";

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
  /** Null without one, and while it cannot be read. */
  readonly logo: SiteLogo | null;
  /** Null for the usual one, also while this one cannot be read. */
  readonly font: SiteFont | null;
  /** Whether its icons can be painted as PNG here. */
  readonly hasPngIcons: boolean;
}

/** A logo that was read and checked. */
export interface SiteLogo {
  readonly type: "image/svg+xml" | "image/png";
  /** The file as it is served. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Identifies the file. */
  readonly version: string;
  /** The sides, of which only the ratio matters. */
  readonly width: number;
  readonly height: number;
  /** Null for a PNG. */
  readonly drawing: LogoDrawing | null;
  /** The colour of a plate on which it can be seen, `#rrggbb`, in each scheme; null where it needs none. */
  readonly plates: { readonly light: string | null; readonly dark: string | null };
}

/** A font that was read and checked. */
export interface SiteFont {
  /** The file as it is served. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Identifies the file. */
  readonly version: string;
  readonly minWeight: number;
  readonly maxWeight: number;
  /** Shares of the font's size. */
  readonly ascent: number;
  readonly descent: number;
  /** By how much the bold system font is made larger to be as wide as this one. */
  readonly fallbackScale: number;
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
  font: null,
  hasPngIcons: false,
};

/** The site of a configuration, before its logo and its font are read. */
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
export function hasOwnMark({ name, color, logo }: Site): boolean {
  return name !== FOYER || color !== null || logo !== null;
}

/** Whether a logo is so wide that it has the name in it, which then does not stand beside it. */
export function isWordmark({ width, height }: SiteLogo): boolean {
  return width > 2 * height;
}

/** Whether the name is written out beside a logo or in place of one. */
export function showsName({ logo }: Pick<Site, "logo">): boolean {
  return logo === null || !isWordmark(logo);
}

/** Whether a logo fits into a square; a wide one would be too small to be read there. */
export function isIcon(logo: SiteLogo | null): logo is SiteLogo {
  return logo !== null && !isWordmark(logo);
}

/** The first letter of the name, as visitors see letters. */
export function firstLetter({ name }: Pick<Site, "name">): string {
  const [first] = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(name);
  return (first?.segment ?? "").toUpperCase();
}

/** Identifies the name and the look of a site, for the addresses of what is drawn from them. */
export const markVersion = memoize(({ name, color, logo, font }: Site): string => {
  const parts = [MARK_EDITION, name, color && toHex(color), logo?.version, font?.version];
  return digestOf(JSON.stringify(parts)).slice(0, 7);
});

/** Identifies the files of a site's look, which are read after the start; "" without any. */
export function lookVersion({ logo, font }: Site): string {
  return logo === null && font === null ? "" : `${logo?.version} ${font?.version} `;
}

/** Increase this when icons are drawn in another way: they are cached for long. */
const MARK_EDITION = 2;

/** The address of the logo's file on this site; it changes when the file does. */
export function logoHref({ type, version }: SiteLogo): string {
  return `/logo.${type === "image/png" ? "png" : "svg"}?v=${version}`;
}

/** The address of the font's file on this site; it changes when the file does. */
export function fontHref({ version }: SiteFont): string {
  return `/fonts/site.woff2?v=${version}`;
}

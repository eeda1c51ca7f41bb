/** The files of a site with a look of its own: its logo, its font, the icon and the manifest. */

import { pathOf } from "../../platform/address.ts";
import { GROUNDS } from "../theme/card_style.ts";
import { writeSvg } from "./logo_svg.ts";
import {
  firstLetter,
  fontHref,
  hasOwnMark,
  isIcon,
  logoHref,
  markVersion,
  type Site,
} from "./site.ts";
import { letterColors } from "./site_color.ts";

/** A file, and the version of it that its address may name. */
export interface SiteFile {
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly version: string | null;
}

/**
 * The icons as PNG, for the platforms that want one, by their paths: their sides in pixels, and whether platforms may
 * cut off all but a circle of four fifths of the side.
 */
export const PNG_ICONS: Readonly<Record<string, { side: number; isMaskable: boolean }>> = {
  "/apple-touch-icon.png": { side: 180, isMaskable: false },
  "/icon-192.png": { side: 192, isMaskable: false },
  "/icon-512.png": { side: 512, isMaskable: false },
  "/icon-maskable-512.png": { side: 512, isMaskable: true },
};
/** The icon for iOS; the others are in the manifest. */
const TOUCH_ICON = "/apple-touch-icon.png";

/**
 * The file at a path of a site with its own look; undefined for any other path. {@linkcode PNG_ICONS} are painted
 * elsewhere.
 */
export function siteFile(site: Site, path: string): SiteFile | undefined {
  const { logo, font } = site;
  if (font !== null && path === pathOf(fontHref(font))) {
    return { contentType: "font/woff2", bytes: font.bytes, version: font.version };
  }
  if (!hasOwnMark(site)) return undefined;
  if (logo !== null && path === pathOf(logoHref(logo))) {
    return { contentType: logo.type, bytes: logo.bytes, version: logo.version };
  }
  if (path === "/favicon.svg") {
    return { ...text("image/svg+xml", iconOf(site)), version: markVersion(site) };
  }
  if (path === "/site.webmanifest") return text("application/manifest+json", manifestOf(site));
  return undefined;
}

/** The address of the icon of a site with its own mark, and its type. */
export function iconLink(site: Site): { readonly href: string; readonly type: string } {
  const { logo } = site;
  if (isIcon(logo) && logo.drawing === null) return { href: logoHref(logo), type: logo.type };
  return { href: `/favicon.svg?v=${markVersion(site)}`, type: "image/svg+xml" };
}

/** The address of the icon for the home screens of telephones; null if none is painted. */
export function touchIconHref(site: Site): string | null {
  return site.hasPngIcons ? `${TOUCH_ICON}?v=${markVersion(site)}` : null;
}

/** The icon that stands for pages without a picture where they are shared; null if none is painted. */
export function sharedIcon(site: Site): { readonly href: string; readonly side: number } | null {
  if (!hasOwnMark(site) || !site.hasPngIcons) return null;
  const path = "/icon-512.png";
  return { href: `${path}?v=${markVersion(site)}`, side: PNG_ICONS[path]?.side ?? 0 };
}

function text(contentType: string, content: string): SiteFile {
  return { contentType, bytes: new TextEncoder().encode(content), version: null };
}

/** The logo, or else the first letter of the name. */
function iconOf(site: Site): string {
  const { logo } = site;
  if (!isIcon(logo) || logo.drawing === null) return letterIcon(site);
  // Where the icon stands is not known, so what needs a plate somewhere has it everywhere.
  const plate = logo.plates.dark ?? logo.plates.light;
  return writeSvg(logo.drawing, { isSquare: true, plate });
}

/** The first letter, on a ground on which it can be read. */
function letterIcon(site: Site): string {
  const letter = firstLetter(site).replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const { ground, ink } = letterColors(site);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="7" fill="${ground}" />
  <text x="16" y="23" font-family="system-ui, sans-serif" font-size="20" font-weight="700" text-anchor="middle" fill="${ink}">${letter}</text>
</svg>
`;
}

function manifestOf(site: Site): string {
  const { name, tagline } = site;
  const { href, type } = iconLink(site);
  const manifest = {
    name,
    short_name: name,
    description: tagline ?? "What is on, what comes next, and how to join.",
    start_url: "/",
    display: "standalone",
    background_color: GROUNDS.light,
    theme_color: GROUNDS.light,
    icons: [{ src: href, sizes: "any", type }, ...pngIcons(site)],
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function pngIcons(site: Site) {
  if (!site.hasPngIcons) return [];
  return Object.entries(PNG_ICONS).filter(([path]) => path !== TOUCH_ICON)
    .map(([path, { side, isMaskable }]) => ({
      src: `${path}?v=${markVersion(site)}`,
      sizes: `${side}x${side}`,
      type: "image/png",
      ...isMaskable && { purpose: "maskable" },
    }));
}

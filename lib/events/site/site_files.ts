/** The files of a site with a look of its own: its logo, its icon, its font, and the manifest. */

import { escapeXml } from "../../platform/escape.ts";
import { pathOf } from "../../platform/address.ts";
import { GROUNDS } from "../theme/card_style.ts";
import { hasOwnMark, type OwnFile, type Site } from "./site.ts";
import { letterColors } from "./site_style.ts";

/** A file, and the version of it that its address may name. */
interface SiteFile extends Pick<OwnFile, "contentType" | "bytes"> {
  readonly version: string | null;
}

/** Where telephones look for an icon without being told. */
const TOUCH_ICON = "/apple-touch-icon.png";

/**
 * The file at a path of a site with its own look; null where the usual site has a file that does not fit this one,
 * undefined for any other path.
 */
export function siteFile(site: Site, path: string): SiteFile | null | undefined {
  const { logo, logoDark, icon, font } = site;
  const own = [logo, logoDark, icon, font].find((file) => file && pathOf(file.href) === path);
  if (own) return own;
  if (!hasOwnMark(site)) return undefined;
  if (path === TOUCH_ICON) return icon;
  if (path === "/favicon.svg") return text("image/svg+xml", letterIcon(site));
  if (path === "/site.webmanifest") return text("application/manifest+json", manifestOf(site));
  return undefined;
}

/** The address of the icon of a site with its own mark, and its type. */
export function iconLink(site: Site): { readonly href: string; readonly type: string } {
  return site.icon === null
    ? { href: "/favicon.svg", type: "image/svg+xml" }
    : { href: site.icon.href, type: "image/png" };
}

function text(contentType: string, content: string): SiteFile {
  return { contentType, bytes: new TextEncoder().encode(content), version: null };
}

/** The first letter of the name, as visitors see letters, on a ground on which it can be read. */
function letterIcon({ name, color }: Site): string {
  const [first] = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(name);
  const letter = escapeXml((first?.segment ?? "").toUpperCase());
  const { ground, ink } = letterColors(color);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="7" fill="${ground}" />
  <text x="16" y="23" font-family="system-ui, sans-serif" font-size="20" font-weight="700" text-anchor="middle" fill="${ink}">${letter}</text>
</svg>
`;
}

function manifestOf(site: Site): string {
  const { name, tagline, icon } = site;
  const { href, type } = iconLink(site);
  const manifest = {
    name,
    short_name: name,
    description: tagline ?? "What is on, what comes next, and how to join.",
    start_url: "/",
    display: "standalone",
    background_color: GROUNDS.light,
    theme_color: GROUNDS.light,
    icons: [{ src: href, sizes: icon === null ? "any" : `${icon.side}x${icon.side}`, type }],
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

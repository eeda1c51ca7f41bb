/** The files of a site that has a name of its own: its icon, drawn from the name's first letter, and its manifest. */

import { type Color, toHex, WHITE } from "./color.ts";
import { readable, TEXT_RATIO } from "./contrast.ts";
import { GROUNDS } from "./card_style.ts";
import type { Site } from "./site.ts";

/** The ground of the usual icon. */
const GROUND: Color = [0xb3, 0x40, 0x2a];

/** A file as text. */
export interface SiteFile {
  readonly contentType: string;
  readonly text: string;
}

/** The usual files with pictures of the usual logo, which a site with a name or colour of its own does not have. */
const USUAL_ICONS = /^\/(?:apple-touch-icon|icon-(?:192|512|maskable-512))\.png$/;

/** The file at a path of a site with its own name; null if it has none there, undefined if the path is no such file's. */
export function siteFile(site: Site, path: string): SiteFile | null | undefined {
  if (path === "/favicon.svg") return { contentType: "image/svg+xml", text: iconOf(site) };
  if (path === "/site.webmanifest") {
    return { contentType: "application/manifest+json", text: manifestOf(site) };
  }
  return USUAL_ICONS.test(path) ? null : undefined;
}

/** The first letter, as visitors see letters, on a ground on which it can be read. */
function iconOf({ name, color }: Site): string {
  const [first] = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(name);
  const letter = (first?.segment ?? "").toUpperCase()
    .replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const ground = color ?? GROUND;
  const ink = toHex(readable(WHITE, [ground], TEXT_RATIO));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="7" fill="${toHex(ground)}" />
  <text x="16" y="23" font-family="system-ui, sans-serif" font-size="20" font-weight="700" text-anchor="middle" fill="${ink}">${letter}</text>
</svg>
`;
}

function manifestOf({ name, tagline }: Site): string {
  const manifest = {
    name,
    short_name: name,
    description: tagline ?? "What is on, what comes next, and how to join.",
    start_url: "/",
    display: "standalone",
    background_color: GROUNDS.light,
    theme_color: GROUNDS.light,
    icons: [{ src: "/favicon.svg", sizes: "any", type: "image/svg+xml" }],
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

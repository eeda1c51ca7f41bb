/** A site's own colour and the colours derived from it, and the style rules of its look, which follow the sheet of every page. */

import { type Color, parseColor, readable, TEXT_RATIO, toHex, WHITE } from "../theme/color.ts";
import { GROUNDS, INK } from "../theme/card_style.ts";
import type { OwnFile, Site, SiteLogo } from "./site.ts";

/** The rules; "" for the usual look. They are made of numbers, checked colours and versions. */
export function siteRules(site: Site): string {
  const { font, logo } = site;
  return [
    accentRules(site),
    font === null ? "" : fontRules(font),
    logo === null ? "" : logoRules(logo),
  ].join("");
}

/** The rules for the colour alone, for pages without the site around them. */
export function accentRules({ color }: Pick<Site, "color">): string {
  if (color === null) return "";
  const { light, dark } = accentsOf(color);
  return `:root{--accent:light-dark(${light},${dark})}`;
}

/** A font that arrives late is for the next page, so that no text ever moves. */
function fontRules({ href }: OwnFile): string {
  return `@font-face{font-family:Own;src:url("${href}") format("woff2");` +
    "font-weight:100 900;font-display:optional}" +
    ":root{--display:Own,system-ui,sans-serif}";
}

/** A box of a fixed size, in which the logo stands at its left edge: nothing moves when it arrives. */
function logoRules({ isWide }: SiteLogo): string {
  return `.wordmark img{display:block;width:${isWide ? 10 : 2.25}rem;height:2.25rem;flex:none;` +
    "object-fit:contain;object-position:left;margin-block:-.25rem}";
}

/**
 * Every surface under text in the accent colour: the ground, then the raised and the sunken surface of `tokens.css`.
 */
export const SURFACES = {
  light: [GROUNDS.light, "oklch(99.6% 0.003 85)", "oklch(95.2% 0.01 85)"],
  dark: [GROUNDS.dark, "oklch(21.5% 0.009 70)", "oklch(24.5% 0.01 70)"],
} as const;

/** The chosen colour for each scheme, as `#rrggbb`, changed no more than is needed to read it on every surface of a page. */
export function accentsOf(color: Color): { readonly light: string; readonly dark: string } {
  const on = (surfaces: readonly string[]) => {
    const grounds = surfaces.map((surface) => parseColor(surface)?.color ?? WHITE);
    return toHex(readable(color, grounds, TEXT_RATIO));
  };
  return { light: on(SURFACES.light), dark: on(SURFACES.dark) };
}

/** The colours of a mark, as `#rrggbb`. */
interface MarkColors {
  readonly ground: string;
  /** The colour of the name or its letter. */
  readonly ink: string;
}

const USUAL_GROUND: Color = [0xb3, 0x40, 0x2a];

/** The colours of a letter as an icon: it can be read on any colour. */
export function letterColors(color: Color | null): MarkColors {
  const ground = color ?? USUAL_GROUND;
  return { ground: toHex(ground), ink: toHex(readable(WHITE, [ground], TEXT_RATIO)) };
}

/**
 * The colours of the site's name or logo on a ground of their own, for pictures; null if the site has no colour and no
 * logo that a picture shows. Most logos are designed for light grounds.
 */
export function siteMark({ color, logo }: Pick<Site, "color" | "logo">): MarkColors | null {
  if (logo?.contentType === "image/png") return { ground: GROUNDS.light, ink: INK };
  return color === null ? null : letterColors(color);
}

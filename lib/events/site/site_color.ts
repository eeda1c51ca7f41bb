/** The colours of a site that are derived from the one that its organisation chose. */

import { type Color, parseColor, toHex, WHITE } from "../theme/color.ts";
import { GROUNDS, INK } from "../theme/card_style.ts";
import { readable, TEXT_RATIO } from "../theme/contrast.ts";
import type { Site } from "./site.ts";

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

/** The ground of the usual icon. */
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

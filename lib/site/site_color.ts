/** The colours of a site that are derived from the one that its organisation chose. */

import { SURFACES } from "./card_style.ts";
import { type Color, parseColor, toHex, WHITE } from "./color.ts";
import { readable, TEXT_RATIO } from "./contrast.ts";

/** An accent for each scheme, as `#rrggbb`. */
export interface Accents {
  readonly light: string;
  readonly dark: string;
}

/** The chosen colour, in each scheme with the least change with which it can be read on every surface of a page. */
export function accentsOf(color: Color): Accents {
  const on = (surfaces: readonly string[]) => {
    const grounds = surfaces.map((surface) => parseColor(surface)?.color ?? WHITE);
    return toHex(readable(color, grounds, TEXT_RATIO));
  };
  return { light: on(SURFACES.light), dark: on(SURFACES.dark) };
}

/** The rules that follow the site's own sheet; "" if no colour is chosen. */
export function siteRules({ color }: { readonly color: Color | null }): string {
  if (color === null) return "";
  const { light, dark } = accentsOf(color);
  return `:root{--accent:light-dark(${light},${dark})}`;
}

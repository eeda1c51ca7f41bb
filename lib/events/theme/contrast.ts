/** Making colours readable: the least change of lightness that reaches a contrast ratio. */

import {
  BLACK,
  type Color,
  contrast,
  luminance,
  mix,
  oklchColor,
  type Paint,
  ratioOf,
  toOklch,
  WHITE,
} from "./color.ts";

/** Body text on its ground (WCAG 2.2, 1.4.3). */
export const TEXT_RATIO = 4.5;
/** Large text and the edges of controls (WCAG 2.2, 1.4.3 and 1.4.11). */
export const EDGE_RATIO = 3;

/** The steps between a colour and black or white. */
const STEPS = 40;

/**
 * The lowest ratio of a colour against several grounds and everything between the darkest and the lightest of
 * them, since an image may have any colour there.
 */
export function worstContrast(color: Color, grounds: readonly Color[]): number {
  const levels = grounds.map(luminance);
  const own = luminance(color);
  const [darkest, lightest] = [Math.min(...levels), Math.max(...levels)];
  if (own > darkest && own < lightest) return 1;
  return own <= darkest ? ratioOf(own, darkest) : ratioOf(own, lightest);
}

/**
 * A colour with at least `ratio` against every ground: the given one, else its hue made lighter or darker by the
 * least step that suffices, else black or white.
 */
export function readable(color: Color, grounds: readonly Color[], ratio: number): Color {
  const isReadable = (shown: Color) => worstContrast(shown, grounds) >= ratio;
  if (isReadable(color)) return color;
  const { lightness, chroma, hue } = toOklch(color);
  const moved = (end: number, step: number) => {
    const way = step / STEPS;
    // Near black and white a screen can show little chroma.
    const left = chroma * (1 - way / 2);
    return oklchColor({ lightness: lightness + (end - lightness) * way, chroma: left, hue });
  };
  const leastStep = (end: number) => leastOf(1, STEPS + 1, (step) => isReadable(moved(end, step)));
  const [darker, lighter] = [leastStep(0), leastStep(1)];
  if (Math.min(darker, lighter) <= STEPS) {
    return darker <= lighter ? moved(0, darker) : moved(1, lighter);
  }
  return worstContrast(BLACK, grounds) >= worstContrast(WHITE, grounds) ? BLACK : WHITE;
}

/** The least whole number from `least` to `most` that suffices, as every greater one does; `most` if none below it does. */
function leastOf(least: number, most: number, suffices: (value: number) => boolean): number {
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (suffices(middle)) most = middle;
    else least = middle + 1;
  }
  return most;
}

/**
 * The least alpha, in hundredths and at least 0.3, of a scrim of `color` over which `text` has `ratio` on an image of
 * any colour; 1 if none suffices.
 */
export function scrimAlpha(color: Color, text: Color, ratio: number): number {
  const suffices = (hundredths: number) =>
    worstContrast(text, scrimmed({ color, alpha: hundredths / 100 })) >= ratio;
  return leastOf(30, 100, suffices) / 100;
}

/** The darkest and the lightest ground that a paint makes over an unknown image. */
export function scrimmed({ color, alpha }: Paint): readonly Color[] {
  return [mix(BLACK, color, alpha), mix(WHITE, color, alpha)];
}

/** Whether a ground needs light text. */
export function isDark(ground: Color): boolean {
  return contrast(WHITE, ground) >= contrast(BLACK, ground);
}

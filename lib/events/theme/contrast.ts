/** Making colours readable: the least change of lightness that reaches a contrast ratio. */

import {
  BLACK,
  type Color,
  contrast,
  luminance,
  mix,
  oklchColor,
  type Paint,
  toOklch,
  WHITE,
} from "./color.ts";

/** Body text on its ground (WCAG 2.2, 1.4.3). */
export const TEXT_RATIO = 4.5;
/** Large text and the edges of controls (WCAG 2.2, 1.4.3 and 1.4.11). */
export const EDGE_RATIO = 3;

const STEPS = 40;

/**
 * The lowest ratio of a colour against several grounds and everything between the darkest and the lightest of
 * them, since an image may have any colour there.
 */
export function worstContrast(color: Color, grounds: readonly Color[]): number {
  const levels = grounds.map(luminance);
  const own = luminance(color);
  if (own > Math.min(...levels) && own < Math.max(...levels)) return 1;
  return Math.min(...grounds.map((ground) => contrast(color, ground)));
}

/**
 * A colour with at least `ratio` against every ground: the given one, else its hue made lighter or darker by the
 * least step that suffices, else black or white.
 */
export function readable(color: Color, grounds: readonly Color[], ratio: number): Color {
  if (worstContrast(color, grounds) >= ratio) return color;
  const { lightness, chroma, hue } = toOklch(color);
  for (let step = 1; step <= STEPS; step++) {
    const way = step / STEPS;
    for (const end of [0, 1]) {
      const moved = lightness + (end - lightness) * way;
      // Near black and white a screen can show little chroma.
      const candidate = oklchColor({ lightness: moved, chroma: chroma * (1 - way / 2), hue });
      if (worstContrast(candidate, grounds) >= ratio) return candidate;
    }
  }
  return worstContrast(BLACK, grounds) >= worstContrast(WHITE, grounds) ? BLACK : WHITE;
}

/**
 * The least alpha, in hundredths, of a scrim of `color` over which `text` has `ratio` on an image of any colour.
 */
export function scrimAlpha(color: Color, text: Color, ratio: number): number {
  for (let hundredths = 30; hundredths < 100; hundredths++) {
    const alpha = hundredths / 100;
    if (worstContrast(text, scrimmed({ color, alpha })) >= ratio) return alpha;
  }
  return 1;
}

/** The darkest and the lightest ground that a paint makes over an unknown image. */
export function scrimmed({ color, alpha }: Paint): readonly Color[] {
  return [mix(BLACK, color, alpha), mix(WHITE, color, alpha)];
}

/** Whether a ground needs light text. */
export function isDark(ground: Color): boolean {
  return contrast(WHITE, ground) >= contrast(BLACK, ground);
}

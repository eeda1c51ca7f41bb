/**
 * What a card looks like in numbers, for the style sheet and for the pictures that events are shared with.
 * Lengths are CSS pixels, angles are degrees clockwise from the top, positions are shares of the card.
 */

/** The patterns of events without a background of their own. Text is checked against both of their colours. */
export const PATTERN_MEASURES = {
  /** Rings around a point; `step` is from one to the next. */
  rings: { x: 0.88, y: 0.12, width: 36, step: 72 },
  stripes: { angle: -52, width: 28, step: 68 },
  dots: { tile: { width: 44, height: 44 }, radius: 11.8 },
  /** Half discs that stand on the lower edge of their tile. */
  scales: { tile: { width: 64, height: 48 }, radius: 28.3 },
  /** Rays from a point, in degrees; the first begins at `from`. */
  rays: { x: 0.78, y: 0.26, from: 8, width: 11, step: 22 },
  /** Two squares of four. */
  checks: { tile: { width: 88, height: 88 } },
} as const;

/** How a scrim fades above the words: the share of its alpha at shares of the fade's height, from below. */
export const SCRIM_FADE = [
  { at: 0, alpha: 1 },
  { at: 0.3, alpha: 0.78 },
  { at: 0.7, alpha: 0.3 },
  { at: 1, alpha: 0 },
] as const;

/**
 * Colours by `culori`: parsing CSS notations, mixing, and the least change of lightness that makes one readable. A
 * colour is numbers, and only {@linkcode toHex} makes text of it, so nothing that was typed reaches a style.
 */

import {
  clampChroma,
  converter,
  modeHsl,
  modeLrgb,
  modeOklch,
  modeRgb,
  parse,
  useMode as registerMode,
  wcagLuminance,
} from "culori/fn";

// Nothing else is loaded: `parse` knows the notations of these modes, besides hexadecimal digits and names.
for (const mode of [modeRgb, modeLrgb, modeHsl, modeOklch]) registerMode(mode);
const toRgb: (color: object) => { r?: number; g?: number; b?: number } = converter("rgb");
const toLch: (color: object) => { l: number; c: number; h?: number } = converter("oklch");

/** An opaque colour: red, green and blue, whole numbers from 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number];

/** A colour with an alpha from 0 to 1. */
interface Paint {
  readonly color: Color;
  readonly alpha: number;
}

/** A colour by lightness (0 to 1), chroma, and hue in degrees, in which equal steps look equal. */
interface Oklch {
  readonly lightness: number;
  readonly chroma: number;
  readonly hue: number;
}

const BLACK: Color = [0, 0, 0];
export const WHITE: Color = [255, 255, 255];

/** A longer text is not a colour. */
const MAX_LENGTH = 64;

/** Parses a colour in CSS notation: hexadecimal, a name, `rgb()`, `hsl()`, `oklch()`; null for any other text. */
export function parseColor(text: string): Paint | null {
  if (text.length > MAX_LENGTH) return null;
  const parsed = parse(text.trim().toLowerCase());
  if (parsed === undefined) return null;
  const { mode, l = 0, c = 0, h = 0 } = parsed;
  const alpha = clamp(parsed.alpha ?? 1, 0, 1);
  const color = mode === "oklch"
    ? oklchColor({ lightness: clamp(l, 0, 1), chroma: c, hue: h })
    : rgbOf(parsed);
  return [...color, alpha].every(Number.isFinite) ? { color, alpha } : null;
}

/** `#rrggbb`. */
export function toHex(color: Color): string {
  return `#${Uint8Array.from(color).toHex()}`;
}

/** Mixes `share` (0 to 1) of a colour into another, in sRGB as browsers do. */
export function mix(from: Color, to: Color, share: number): Color {
  const channel = (at: 0 | 1 | 2) => (from[at] + (to[at] - from[at]) * share) / 255;
  return clampColor([channel(0), channel(1), channel(2)]);
}

/** Converts a colour to sRGB; one outside the gamut loses chroma and keeps its hue. */
export function oklchColor({ lightness, chroma, hue }: Oklch): Color {
  const color = { mode: "oklch", l: lightness, c: clamp(chroma, 0, 0.4), h: hue };
  return rgbOf(clampChroma(color, "oklch"));
}

/** The inverse of {@linkcode oklchColor}. */
export function toOklch(color: Color): Oklch {
  const { l, c, h = 0 } = toLch(toShares(color));
  return { lightness: l, chroma: c, hue: h };
}

/** As the library has colours: shares of the whole channel. */
function toShares([red, green, blue]: Color) {
  return { mode: "rgb", r: red / 255, g: green / 255, b: blue / 255 };
}

function rgbOf(color: object): Color {
  const { r = 0, g = 0, b = 0 } = toRgb(color);
  return clampColor([r, g, b]);
}

function clampColor([red, green, blue]: readonly [number, number, number]): Color {
  const channel = (share: number) => Math.round(255 * clamp(share, 0, 1));
  return [channel(red), channel(green), channel(blue)];
}

/** The nearest number within bounds. */
export function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

/** Body text on its ground (WCAG 2.2, 1.4.3). */
export const TEXT_RATIO = 4.5;
/** Large text and the edges of controls (WCAG 2.2, 1.4.3 and 1.4.11). */
export const EDGE_RATIO = 3;

/** The steps between a colour and black or white. */
const STEPS = 40;

/**
 * The lowest contrast ratio, 1 to 21 (WCAG 2.2), of a colour against several grounds. Every ground between the darkest
 * and the lightest counts too, since an image may have any colour there.
 */
export function worstContrast(color: Color, grounds: readonly Color[]): number {
  const levelOf = (shown: Color) => wcagLuminance(toShares(shown)) + 0.05;
  const levels = grounds.map(levelOf);
  const own = levelOf(color);
  const [darkest, lightest] = [Math.min(...levels), Math.max(...levels)];
  if (own <= darkest) return darkest / own;
  return own >= lightest ? own / lightest : 1;
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
 * The least alpha, in hundredths and at least 0.3, of a scrim of `color` over which `text` has {@linkcode TEXT_RATIO}
 * on an image of any colour; 1 if none suffices.
 */
export function scrimAlpha(color: Color, text: Color): number {
  const suffices = (hundredths: number) =>
    worstContrast(text, scrimmed({ color, alpha: hundredths / 100 })) >= TEXT_RATIO;
  return leastOf(30, 100, suffices) / 100;
}

/** The darkest and the lightest ground that a paint makes over an unknown image. */
export function scrimmed({ color, alpha }: Paint): readonly Color[] {
  return [mix(BLACK, color, alpha), mix(WHITE, color, alpha)];
}

/** Whether a ground needs light text. */
export function isDark(ground: Color): boolean {
  return worstContrast(WHITE, [ground]) >= worstContrast(BLACK, [ground]);
}

/**
 * Colours: parsing CSS notations, mixing, contrast, by `culori`. A colour is numbers, and only {@linkcode toHex} makes
 * text of it, so nothing that was typed reaches a style.
 */

import {
  clampChroma,
  colorsNamed,
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
export interface Paint {
  readonly color: Color;
  readonly alpha: number;
}

/** A colour by lightness (0 to 1), chroma, and hue in degrees, in which equal steps look equal. */
interface Oklch {
  readonly lightness: number;
  readonly chroma: number;
  readonly hue: number;
}

export const BLACK: Color = [0, 0, 0];
export const WHITE: Color = [255, 255, 255];

/** A longer text is not a colour. */
const MAX_LENGTH = 64;

/** The colours that CSS knows by name, as six hexadecimal digits. */
export const NAMED_COLORS: ReadonlyMap<string, string> = new Map(
  Object.entries<number>(colorsNamed)
    .map(([name, value]) => [name, value.toString(16).padStart(6, "0")]),
);

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

/** Relative luminance, 0 to 1 (WCAG 2.2). */
export function luminance(color: Color): number {
  return wcagLuminance(toShares(color));
}

/** The contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(one: Color, other: Color): number {
  return ratioOf(luminance(one), luminance(other));
}

/** The contrast ratio of two luminances. */
export function ratioOf(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
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

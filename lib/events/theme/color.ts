/**
 * Colours: parsing CSS notations, mixing, contrast. A colour is numbers, and only {@linkcode toHex} makes text of
 * it, so nothing that was typed reaches a style. Sources: CSS Color 4 (notations, OKLab), WCAG 2.2 (contrast).
 */

import { NAMED_COLORS } from "./color_names.ts";

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
const HEX = /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/;
const FUNCTION = /^(rgba?|hsla?|oklch)\(([^()]*)\)$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,2})?(%|deg|turn|rad|grad)?$/;

/** Parses a colour in CSS notation: hexadecimal, a name, `rgb()`, `hsl()`, `oklch()`; null for any other text. */
export function parseColor(text: string): Paint | null {
  if (text.length > MAX_LENGTH) return null;
  const typed = text.trim().toLowerCase();
  if (typed === "transparent") return { color: BLACK, alpha: 0 };
  const named = NAMED_COLORS.get(typed);
  if (named !== undefined) return readHex(named);
  if (HEX.test(typed)) return readHex(typed.slice(1));
  const [, name, body = ""] = FUNCTION.exec(typed) ?? [];
  const parts = body.replace("/", " ").split(/[\s,]+/).filter((part) => part !== "");
  if (name === undefined || parts.length < 3 || parts.length > 4) return null;
  const [first = NaN, second = NaN, third = NaN] = parts.slice(0, 3)
    .map((part, at) => readPart(part, UNITS[name.slice(0, 3)]?.[at] ?? 1));
  const alpha = parts[3] === undefined ? 1 : readPart(parts[3], 1);
  if (![first, second, third, alpha].every(Number.isFinite)) return null;
  const color = name.startsWith("rgb")
    ? clampColor([first, second, third])
    : name.startsWith("hsl")
    ? hslColor(first, second, third)
    : oklchColor({ lightness: clamp(first, 0, 1), chroma: second, hue: third });
  return { color, alpha: clamp(alpha, 0, 1) };
}

/** The value of 100 % in each place of a notation. */
const UNITS: Readonly<Record<string, readonly number[]>> = {
  rgb: [255, 255, 255],
  hsl: [360, 1, 1],
  okl: [1, 0.4, 360],
};
/** Degrees. */
const TURNS: Readonly<Record<string, number>> = { turn: 360, rad: 180 / Math.PI, grad: 0.9 };

function readPart(part: string, whole: number): number {
  if (part === "none") return 0;
  const [number, unit = ""] = NUMBER.exec(part) ?? [""];
  return parseFloat(number) * (unit === "%" ? whole / 100 : TURNS[unit] ?? 1);
}

function readHex(digits: string): Paint {
  const long = digits.length < 6 ? digits.replaceAll(/./g, "$&$&") : digits;
  const [red = 0, green = 0, blue = 0, alpha = 255] = Uint8Array.fromHex(long);
  return { color: [red, green, blue], alpha: alpha / 255 };
}

function hslColor(hue: number, saturation: number, lightness: number): Color {
  // A value above 1 is a percentage, as in `hsl(10 50 50)`.
  const share = (value: number) => clamp(Math.abs(value) > 1 ? value / 100 : value, 0, 1);
  const [s, l] = [share(saturation), share(lightness)];
  const channel = (offset: number) => {
    const k = (((offset + hue / 30) % 12) + 12) % 12;
    return 255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  };
  return clampColor([channel(0), channel(8), channel(4)]);
}

/** `#rrggbb`. */
export function toHex(color: Color): string {
  return `#${color.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** Mixes `share` (0 to 1) of a colour into another, in sRGB as browsers do. */
export function mix(from: Color, to: Color, share: number): Color {
  const channel = (at: 0 | 1 | 2) => from[at] + (to[at] - from[at]) * share;
  return clampColor([channel(0), channel(1), channel(2)]);
}

/** Relative luminance, 0 to 1 (WCAG 2.2). */
export function luminance(color: Color): number {
  const [red, green, blue] = linear(color);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(one: Color, other: Color): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Converts a colour to sRGB; one outside the gamut loses chroma and keeps its hue. */
export function oklchColor({ lightness, chroma, hue }: Oklch): Color {
  const radians = hue * Math.PI / 180;
  const [cosine, sine] = [Math.cos(radians), Math.sin(radians)];
  const at = (share: number) => fromOklab(lightness, share * cosine, share * sine);
  let [shown, lost] = [0, clamp(chroma, 0, 0.4)];
  if (isShown(at(lost))) return encode(at(lost));
  for (let halving = 0; halving < GAMUT_HALVINGS; halving++) {
    const middle = (shown + lost) / 2;
    if (isShown(at(middle))) shown = middle;
    else lost = middle;
  }
  return encode(at(shown));
}

/** Enough to come within a four-hundredth of the edge of the gamut. */
const GAMUT_HALVINGS = 7;

function isShown(color: Linear): boolean {
  return color.every((value) => value > -0.002 && value < 1.002);
}

/** The inverse of {@linkcode oklchColor}. */
export function toOklch(color: Color): Oklch {
  const [red, green, blue] = linear(color);
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return {
    lightness: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    chroma: Math.hypot(a, b),
    hue: Math.atan2(b, a) * 180 / Math.PI,
  };
}

type Linear = readonly [red: number, green: number, blue: number];

function fromOklab(lightness: number, a: number, b: number): Linear {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** The linear light of each of a channel's 256 values, computed once since looks compare many colours. */
const LIGHT = Float64Array.from({ length: 256 }, (_, value) => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

function linear([red, green, blue]: Color): Linear {
  return [LIGHT[red] ?? 0, LIGHT[green] ?? 0, LIGHT[blue] ?? 0];
}

function encode([red, green, blue]: Linear): Color {
  const channel = (value: number) =>
    255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);
  return clampColor([channel(red), channel(green), channel(blue)]);
}

function clampColor([red, green, blue]: readonly [number, number, number]): Color {
  const channel = (value: number) => Math.round(clamp(value, 0, 255));
  return [channel(red), channel(green), channel(blue)];
}

/** The nearest number within bounds. */
export function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

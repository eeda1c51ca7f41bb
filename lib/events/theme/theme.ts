/**
 * The theme of an event's card, from what people typed into the record store. Nothing typed reaches a style: colours
 * are parsed and rewritten, text is made readable (4.5:1, or 3:1 for edges), and numbers are kept within bounds.
 * Any input results in a theme.
 */

import { digestOf } from "../../platform/digest.ts";
import { memoize } from "../../platform/memoize.ts";
import type { Event } from "../model.ts";
import {
  clamp,
  type Color,
  EDGE_RATIO,
  isDark,
  mix,
  oklchColor,
  parseColor,
  readable,
  scrimAlpha,
  scrimmed,
  TEXT_RATIO,
  toHex,
  toOklch,
  WHITE,
  worstContrast,
} from "./color.ts";
import { PATTERNS } from "./patterns.ts";

/** The fields of an event that determine its theme. */
export type Themed = Pick<Event, "name" | "background" | "theme">;

/** A card's theme. Colours are `#rrggbb`; lengths are CSS pixels. */
export interface CardTheme {
  /** The card's colour, which also shows while its image loads or if it fails. */
  readonly ground: string;
  /** The colour of patterns, close to the ground. */
  readonly shape: string;
  readonly text: string;
  readonly accent: string;
  /** The alpha of the ground's colour over an image, behind text; null without an image. */
  readonly scrim: number | null;
  /** The number of the pattern in `PATTERNS`; null on an event's own background. */
  readonly pattern: number | null;
  readonly logoHeight: number;
  readonly button: {
    readonly color: string;
    readonly text: string;
    readonly radius: number;
    readonly borderWidth: number;
    readonly borderColor: string;
  };
}

/** The grounds of events without a background: deep, bright and pale. */
const MOODS = [
  { lightness: 0.38, chroma: 0.13 },
  { lightness: 0.84, chroma: 0.14 },
  { lightness: 0.46, chroma: 0.15 },
  { lightness: 0.9, chroma: 0.07 },
] as const;
/** An accent that needs a stronger scrim is corrected instead. */
const MAX_ACCENT_SCRIM = 0.94;
const DEFAULT_LOGO_HEIGHT = 64;
const DEFAULT_RADIUS = 999;

/** The theme of an event. */
export const cardTheme = memoize(({ name, background, theme }: Themed): CardTheme => {
  const hash = hashOf(name);
  const typedGround = paintOn(WHITE, background?.color);
  const typedText = paintOn(typedGround ?? WHITE, theme?.text);
  const ground = typedGround ?? defaultGround(hash, typedText);
  const shape = shapeOn(ground);
  const hasImage = background?.type === "image" && background.imageUrl !== null;
  const pattern = background === null ? (hash >>> 4) % PATTERNS.length : null;

  const plain = pattern === null ? [ground] : [ground, shape];
  const text = readable(typedText ?? inkOn(ground), plain, TEXT_RATIO);
  const accent = readable(paintOn(ground, theme?.accent) ?? text, plain, TEXT_RATIO);
  const scrim = hasImage
    ? Math.max(
      scrimAlpha(ground, text),
      Math.min(MAX_ACCENT_SCRIM, scrimAlpha(ground, accent)),
    )
    : null;
  const grounds = scrim === null ? plain : scrimmed({ color: ground, alpha: scrim });
  return {
    ground: toHex(ground),
    shape: toHex(shape),
    text: toHex(text),
    accent: toHex(readable(accent, grounds, TEXT_RATIO)),
    scrim,
    pattern,
    logoHeight: Math.round(clamp(theme?.logoSize || DEFAULT_LOGO_HEIGHT, 24, 144)),
    button: buttonTheme(theme?.button, text, grounds, ground),
  };
});

/** The part of a theme that lines and tiles show: the ground with its pattern, and the text. */
export function plainTheme({ ground, shape, text, pattern }: CardTheme): CardTheme {
  return {
    ...{ ground, shape, text, pattern },
    accent: text,
    scrim: null,
    logoHeight: DEFAULT_LOGO_HEIGHT,
    button: {
      color: text,
      text: ground,
      radius: DEFAULT_RADIUS,
      borderWidth: 0,
      borderColor: ground,
    },
  };
}

function buttonTheme(
  typed: NonNullable<Event["theme"]>["button"] | undefined,
  text: Color,
  grounds: readonly Color[],
  ground: Color,
): CardTheme["button"] {
  const color = paintOn(ground, typed?.color) ?? text;
  const label = paintOn(color, typed?.textColor) ?? ground;
  const width = Math.round(clamp(typed?.borderWidth ?? 0, 0, 6));
  const border = paintOn(ground, typed?.borderColor) ?? color;
  // Either the button or its border must contrast with the ground.
  const isSeen = worstContrast(color, grounds) >= EDGE_RATIO ||
    worstContrast(border, grounds) >= EDGE_RATIO && width > 0;
  return {
    color: toHex(color),
    text: toHex(readable(label, [color], TEXT_RATIO)),
    radius: Math.round(clamp(typed?.borderRadius ?? DEFAULT_RADIUS, 0, 999)),
    borderWidth: isSeen ? width : Math.max(width, 2),
    borderColor: toHex(isSeen ? border : readable(border, grounds, EDGE_RATIO)),
  };
}

/** A typed colour as it appears on a ground; null if there is none, or it is invalid or nearly transparent. */
function paintOn(ground: Color, typed = ""): Color | null {
  const paint = parseColor(typed);
  return paint === null || paint.alpha < 0.05 ? null : mix(ground, paint.color, paint.alpha);
}

/** A ground from the hash of the name, dark under light text and light under dark text. */
function defaultGround(hash: number, text: Color | null): Color {
  const moods = MOODS.filter(({ lightness }) =>
    text === null || (lightness < 0.6) !== isDark(text)
  );
  const mood = moods[hash % moods.length] ?? MOODS[0];
  return oklchColor({ ...mood, hue: (hash >>> 8) % 360 });
}

/** The ground with another lightness and hue, enough to be seen and too little to hide text. */
function shapeOn(ground: Color): Color {
  const { lightness, chroma, hue } = toOklch(ground);
  const step = isDark(ground) && lightness < 0.25 ? 0.07 : -0.055;
  return oklchColor({ lightness: lightness + step, chroma: chroma * 1.05, hue: hue + 14 });
}

/** Nearly black or white, tinted with the ground's hue. */
function inkOn(ground: Color): Color {
  const { hue } = toOklch(ground);
  return isDark(ground)
    ? mix(oklchColor({ lightness: 0.97, chroma: 0.02, hue }), WHITE, 0.3)
    : oklchColor({ lightness: 0.22, chroma: 0.05, hue });
}

/** FNV-1a, 32 bits. It must never change, so that events keep their themes. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length && at < 1_000; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  // The low bits of FNV differ too little between similar names.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** The class of a theme, equal for equal themes. */
export const themeClass = memoize((theme: CardTheme): string =>
  `t-${digestOf(declarations(theme)).replace(/[-_]/g, "").slice(0, 7)}`
);

/** The rules of themes, each once, for a style element. */
export function themeRules(themes: Iterable<CardTheme>): string {
  const rules = new Map<string, string>();
  for (const theme of themes) {
    const name = themeClass(theme);
    if (!rules.has(name)) rules.set(name, declarations(theme));
  }
  return [...rules].map(([name, body]) => `.${name}{${body}}`).join("");
}

/**
 * Custom properties, each a number or `#rrggbb`. Those that equal the style sheet's fallback are left out, since a
 * page has many themes.
 */
function declarations(
  { ground, shape, text, accent, scrim, pattern, logoHeight, button }: CardTheme,
): string {
  const { color, text: label, radius, borderWidth, borderColor } = button;
  const properties: [name: string, value: string | false][] = [
    ["card-ground", ground],
    ["card-shape", pattern !== null && shape],
    ["card-text", text],
    ["card-accent", accent !== text && accent],
    ["card-scrim", scrim !== null && `${Math.round(scrim * 100)}%`],
    ["logo-height", logoHeight !== DEFAULT_LOGO_HEIGHT && `${logoHeight}px`],
    ["button-color", color !== text && color],
    ["button-text", label !== ground && label],
    ["button-radius", radius !== DEFAULT_RADIUS && `${radius}px`],
    ["button-border-width", borderWidth > 0 && `${borderWidth}px`],
    ["button-border-color", borderWidth > 0 && borderColor],
  ];
  return properties.filter(([, value]) => value !== false)
    .map(([name, value]) => `--${name}:${value}`)
    .join(";");
}

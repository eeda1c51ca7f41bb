/**
 * The look of a card in numbers, for the style sheet and for the pictures that events are shared with.
 * Lengths are CSS pixels, angles are degrees clockwise from the top, positions are shares of the card.
 */

/** The ground of every page and of the browser's frame; `static/site.webmanifest` has the light one too. */
export const GROUNDS = { light: "#fcfaf5", dark: "#13100d" } as const;

/** The colour of text on these surfaces, as `tokens.css` has it. */
export const INKS = { light: "#221b16", dark: "#efece7" } as const;

/** The patterns of events without a background of their own. Text is checked against both of their colours. */
export const PATTERN_MEASURES = {
  /** Rings around a point; `step` is from one to the next. */
  rings: { x: 0.88, y: 0.12, width: 36, step: 72 },
  stripes: { angle: -52, width: 28, step: 68 },
  dots: { tile: { width: 44, height: 44 }, radius: 11.8 },
  /** Half discs on the lower edge of their tile. */
  scales: { tile: { width: 64, height: 48 }, radius: 28.3 },
  /** Rays from a point, in degrees; the first begins at `from`. */
  rays: { x: 0.78, y: 0.26, from: 8, width: 11, step: 22 },
  /** Two squares of four. */
  checks: { tile: { width: 88, height: 88 } },
} as const;

/** The fade of a scrim above the words: the share of its alpha at shares of the fade's height, from below. */
export const SCRIM_FADE = [
  { at: 0, alpha: 1 },
  { at: 0.3, alpha: 0.78 },
  { at: 0.7, alpha: 0.3 },
  { at: 1, alpha: 0 },
] as const;

/**
 * The sizes of names on a card and on the event's page, by the end of their class: the least in rem, the usual in
 * hundredths of the card's width, the largest in rem.
 */
const NAME_SIZES = {
  xl: { card: [2.25, 15, 5], hero: [3.25, 12, 9] },
  l: { card: [1.875, 11, 4], hero: [2.75, 9, 7] },
  m: { card: [1.5, 8.4, 3], hero: [2.1, 6, 4.75] },
  s: { card: [1.25, 6.4, 2.25], hero: [1.6, 4, 3.25] },
  xs: { card: [1.0625, 4.8, 1.6], hero: [1.25, 2.6, 2] },
} as const;

/** The rules of the patterns (`.pattern-0` and so on) in the order of the table. */
function patternStyles(): string {
  const { rings, stripes, dots, scales, rays, checks } = PATTERN_MEASURES;
  const shape = "var(--card-shape)";
  const backgrounds = [
    `repeating-radial-gradient(circle at ${percent(rings.x)} ${percent(rings.y)},` +
    `${shape} 0 ${rem(rings.width)},transparent 0 ${rem(rings.step)})`,
    `repeating-linear-gradient(${stripes.angle}deg,` +
    `${shape} 0 ${rem(stripes.width)},transparent 0 ${rem(stripes.step)})`,
    `${disc("50%", dots.radius)} 0 0/${size(dots.tile)}`,
    `${disc("100%", scales.radius)} 0 100%/${size(scales.tile)}`,
    `repeating-conic-gradient(from ${rays.from}deg at ${percent(rays.x)} ${percent(rays.y)},` +
    `${shape} 0 ${rays.width}deg,transparent 0 ${rays.step}deg)`,
    `conic-gradient(from 90deg,${shape} 25%,transparent 0 50%,${shape} 0 75%,transparent 0) ` +
    `0 0/${size(checks.tile)}`,
  ];
  return backgrounds.map((each, at) => `.pattern-${at}{background:var(--card-ground) ${each}}\n`)
    .join("");
}

/** A disc of the shape's colour in the middle of a tile, with a soft edge. */
function disc(y: string, radius: number): string {
  return `radial-gradient(circle at 50% ${y},` +
    `var(--card-shape) ${rem(radius)},transparent ${rem(radius + 0.4)})`;
}

/** A scrim has its full alpha behind the words and fades above them. */
function scrimStyles(): string {
  const stops = SCRIM_FADE.map(({ at, alpha }) =>
    `color-mix(in srgb,var(--full) ${percent(alpha)},transparent) calc(100% - ${
      (1 - at).toFixed(1)
    } * var(--fade))`
  );
  return `.scrimmed>.card-words{background:linear-gradient(to top,${stops.join()})}\n`;
}

function nameStyles(place: "card" | "hero"): string {
  return Object.entries(NAME_SIZES).map(([name, { [place]: [least, usual, largest] }]) =>
    `${place === "hero" ? ".hero " : ""}.name-${name}` +
    `{font-size:clamp(${least}rem,${usual}cqi,${largest}rem)}\n`
  ).join("");
}

function size({ width, height }: { readonly width: number; readonly height: number }): string {
  return `${rem(width)} ${rem(height)}`;
}

function rem(pixels: number): string {
  return `${Number((pixels / 16).toFixed(4))}rem`;
}

function percent(share: number): string {
  return `${Math.round(100 * share)}%`;
}

/** The part of the cards' style sheet that contains these numbers. */
export function cardStyles(): string {
  return patternStyles() + scrimStyles() + nameStyles("card");
}

/** The same part of the event page's sheet. */
export function heroStyles(): string {
  return nameStyles("hero");
}

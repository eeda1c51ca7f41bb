/** The part of the style sheet that is made of a card's numbers, and the page's own grounds. */

import { PATTERN_MEASURES, SCRIM_FADE } from "./card_measures.ts";

/** The page's own ground as browsers take it for their frame; `static/site.webmanifest` has the light one. */
export const GROUNDS = { light: "#fcfaf5", dark: "#13100d" } as const;

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

/** A scrim is whole behind the words and fades above them. */
function scrimStyles(): string {
  const stops = SCRIM_FADE.map(({ at, alpha }) =>
    `color-mix(in srgb,var(--full) ${percent(alpha)},transparent) calc(100% - ${
      (1 - at).toFixed(1)
    } * var(--fade))`
  );
  return `.scrimmed>.card-words{background:linear-gradient(to top,${stops.join()})}\n`;
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

/** The part of the style sheet that is made of these numbers. */
export const CARD_STYLES = patternStyles() + scrimStyles();

/** The parts of a card's style that a style sheet and a picture share, and the sizes of names. */

import { patternStyles } from "./patterns.ts";

/** The ground of every page and of the browser's frame; `static/site.webmanifest` has the light one too. */
export const GROUNDS = { light: "#fcfaf5", dark: "#13100d" } as const;

/** The colour of text on the light ground, as `tokens.css` has it. */
export const INK = "#221b16";

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

/** The rules of cards that are made from these values: patterns, the scrim behind words, the sizes of names. */
export function cardStyles(): string {
  const stops = SCRIM_FADE.map(({ at, alpha }) =>
    `color-mix(in srgb,var(--full) ${Math.round(100 * alpha)}%,transparent) ` +
    `calc(100% - ${(1 - at).toFixed(1)} * var(--fade))`
  );
  return `${patternStyles()}.scrimmed>.card-words::before` +
    `{background:linear-gradient(to top,${stops.join()})}\n${nameStyles("card")}`;
}

/** The sizes of names on the event's page. */
export function heroStyles(): string {
  return nameStyles("hero");
}

function nameStyles(place: "card" | "hero"): string {
  return Object.entries(NAME_SIZES).map(([name, { [place]: [least, usual, largest] }]) =>
    `${place === "hero" ? ".hero " : ""}.name-${name}` +
    `{font-size:clamp(${least}rem,${usual}cqi,${largest}rem)}\n`
  ).join("");
}

/** The style rules of a site's own look, which follow the sheet of every page. */

import { memoize } from "../../platform/memoize.ts";
import { accentsOf } from "./site_color.ts";
import { fontHref, isWordmark, type Site, type SiteFont, type SiteLogo } from "./site.ts";

/** Faces that bold text of system fonts may have; all have the widths of Arial Bold or nearly so. */
const BOLD_FACES = [
  "Arial Bold",
  "Arial-BoldMT",
  "Liberation Sans Bold",
  "Roboto Bold",
  "Roboto-Bold",
];
/** In rem. */
const LOGO_HEIGHT = 2;
/** Beside the links on a wide screen, above them on a narrow one. */
const MAX_LOGO_WIDTH = 13;

/** The rules; "" for the usual look. They are made of numbers, checked colours and versions. */
export const siteRules = memoize((site: Site): string => {
  const { font, logo } = site;
  return [
    accentRules(site),
    font === null ? "" : fontRules(font),
    logo === null ? "" : logoRules(logo),
  ].join("");
});

/** The rules for the colour alone, for pages without the site around them. */
export function accentRules({ color }: Pick<Site, "color">): string {
  if (color === null) return "";
  const { light, dark } = accentsOf(color);
  return `:root{--accent:light-dark(${light},${dark})}`;
}

/**
 * Both faces get the same measures: nothing moves when the font takes the place of the system's, and browsers need
 * not agree on which of a font's own measures count.
 */
function fontRules(font: SiteFont): string {
  const { ascent, descent, fallbackScale } = font;
  const face = (name: string, source: string, scale: number) =>
    `@font-face{font-family:${name};src:${source};` +
    `font-weight:${font.minWeight} ${font.maxWeight};font-display:swap;` +
    `ascent-override:${percent(ascent / scale)};descent-override:${percent(descent / scale)};` +
    `line-gap-override:0%${scale === 1 ? "" : `;size-adjust:${percent(scale)}`}}`;
  const faces = BOLD_FACES.map((name) => `local("${name}")`).join();
  const fallback = `"Own Fallback",system-ui,sans-serif`;
  return face("Own", `url("${fontHref(font)}") format("woff2")`, 1) +
    face(`"Own Fallback"`, faces, fallbackScale) +
    `:root{--display:Own,${fallback};&[data-plain]{--display:${fallback}}}`;
}

/** A logo that is hard to see gets a plate. It is drawn outside of the logo's box, which stays where it is. */
function logoRules(logo: SiteLogo): string {
  const ratio = logo.width / logo.height;
  const height = isWordmark(logo) ? Math.min(LOGO_HEIGHT, MAX_LOGO_WIDTH / ratio) : LOGO_HEIGHT;
  const plate = (scheme: "light" | "dark") => {
    const color = logo.plates[scheme];
    return color === null ? "" : `@media(prefers-color-scheme:${scheme}){.wordmark img{` +
      `background:${color};box-shadow:0 0 0 .25rem ${color};border-radius:.2rem}}`;
  };
  return `.wordmark img{height:${
    Number(height.toFixed(3))
  }rem;width:auto;flex:none;margin-block:-.15rem}` +
    plate("light") +
    plate("dark");
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(2))}%`;
}

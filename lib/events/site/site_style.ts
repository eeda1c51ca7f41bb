/** The style rules of a site's own look, which follow the sheet of every page. */

import { memoize } from "../../platform/memoize.ts";
import { accentsOf } from "./site_color.ts";
import { fontHref, type OwnFile, type Site, type SiteLogo } from "./site.ts";

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

/** A font that arrives late is for the next page, so that no text ever moves. */
function fontRules(font: OwnFile): string {
  return `@font-face{font-family:Own;src:url("${fontHref(font)}") format("woff2");` +
    "font-weight:100 900;font-display:optional}" +
    ":root{--display:Own,system-ui,sans-serif}";
}

/** A box of a fixed size, in which the logo stands at its left edge: nothing moves when it arrives. */
function logoRules({ isWide }: SiteLogo): string {
  return `.wordmark img{display:block;width:${isWide ? 10 : 2.25}rem;height:2.25rem;flex:none;` +
    "object-fit:contain;object-position:left;margin-block:-.25rem}";
}

/** The site's logo and font as the picture process gets them. */

import { isWordmark, type SiteFont, type SiteLogo } from "../site/site.ts";
import type { LogoToDraw } from "./draw_logo.ts";
import type { StoredImage } from "./image_kind.ts";

/** The drawn parts of a logo. */
export function logoToDraw(logo: SiteLogo): LogoToDraw {
  const { width, height, drawing } = logo;
  return { width, height, drawing, isWordmark: isWordmark(logo) };
}

/** The file of a logo that is not drawn from paths; null for any other. */
export function storedLogo(logo: SiteLogo | null): StoredImage | null {
  if (logo === null || logo.drawing !== null) return null;
  const { type, bytes, version } = logo;
  return { type, bytes, version: `logo ${version}` };
}

/** The file of the site's own font; null without one. */
export function storedFont(font: SiteFont | null): StoredImage | null {
  return font && { type: "font/woff2", bytes: font.bytes, version: `font ${font.version}` };
}

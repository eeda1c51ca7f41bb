/** The icons of a site with a mark of its own, as PNG. Each is painted on its first request and kept in memory. */

import { firstLetter, isIcon, markVersion, type Site } from "../site/site.ts";
import { letterColors, markColors } from "../site/site_color.ts";
import { PNG_ICONS, type SiteFile } from "../site/site_files.ts";
import { createCache, POOR_MILLISECONDS } from "./cache.ts";
import type { IconFacts } from "./icon.ts";
import { logoToDraw, storedFont, storedLogo } from "./logo_to_draw.ts";
import {
  NotStartedError,
  type Painted,
  type Pictures,
  UnpaintableError,
} from "./picture_process.ts";

/** The icons of a site. */
interface SiteIcons {
  /** The icon at a path; null if none can be painted here, undefined if the path is no icon's. */
  get(site: Site, path: string): Promise<SiteFile | null> | undefined;
}

/** A few sites' icons: previews have one for each host. */
const MAX_MEMORY_BYTES = 1024 * 1024;

/** Creates the store. It paints nothing until an icon is requested. */
export function createSiteIcons(
  { pictures, now }: {
    readonly pictures: Pick<Pictures, "paint"> | null;
    readonly now: () => number;
  },
): SiteIcons {
  const cache = createCache<Painted>({
    now,
    maxBytes: MAX_MEMORY_BYTES,
    bytesOf: ({ bytes }) => bytes.length,
    isKept: ({ lacksImage }) => !lacksImage,
  });

  async function paint(site: Site, path: string): Promise<SiteFile | null> {
    if (pictures === null) return null;
    const version = markVersion(site);
    const key = `${version}${path}`;
    const facts = factsOf(site, path);
    const logo = facts.logo === null ? null : storedLogo(site.logo);
    // A logo needs no letters.
    const font = facts.logo === null ? storedFont(site.font) : null;
    const drawing = { kind: "icon", facts } as const;
    try {
      const { bytes, lacksImage } = await cache.get(key, async () => {
        const painted = await pictures.paint({ version: key, drawing, files: { logo, font } });
        if (painted.lacksImage) cache.keep(key, painted, POOR_MILLISECONDS);
        return painted;
      });
      // A later request may get a better icon at the same address.
      return { contentType: "image/png", bytes, version: lacksImage ? null : version };
    } catch (error) {
      // The process has logged it.
      if (error instanceof UnpaintableError || error instanceof NotStartedError) return null;
      throw error;
    }
  }

  return {
    get: (site, path) => Object.hasOwn(PNG_ICONS, path) ? paint(site, path) : undefined,
  };
}

function factsOf(site: Site, path: string): IconFacts {
  const { side = 0, isMaskable = false } = PNG_ICONS[path] ?? {};
  const { logo } = site;
  const colors = (isIcon(logo) ? markColors(site) : null) ?? letterColors(site);
  return {
    ...{ side, isMaskable, ...colors },
    letter: firstLetter(site),
    logo: isIcon(logo) ? logoToDraw(logo) : null,
  };
}

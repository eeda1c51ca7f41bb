/**
 * The pictures that events are shared with. Each is painted on its first request, and kept in memory under a
 * version that identifies its contents and is part of its address.
 */

import { digestOf } from "../../platform/digest.ts";
import { memoize } from "../../platform/memoize.ts";
import { PublicError } from "../../platform/http/errors.ts";
import { withTimeout } from "../../platform/timeout.ts";
import type { Catalog } from "../catalog.ts";
import type { Event } from "../model.ts";
import { datesInWords } from "../site/words.ts";
import { hasOwnMark, PLAIN_SITE, type Site } from "../site/site.ts";
import { markColors } from "../site/site_color.ts";
import { whereInWords } from "../site/facts.ts";
import { cardLook } from "../theme/theme.ts";
import { BusyError, createCache, POOR_MILLISECONDS } from "./cache.ts";
import { heldImage, type ImageRole, type Images, imageVersion } from "./images.ts";
import {
  NotStartedError,
  type Painted,
  type Pictures,
  UnpaintableError,
} from "./picture_process.ts";
import type { SharedSite, SharingFacts } from "./painter.ts";
import { logoToDraw, storedFont, storedLogo } from "./logo_to_draw.ts";
import { createSemaphore } from "../../platform/semaphore.ts";

/** The pictures of events. */
interface SharingPictures {
  /** The address of an event's picture, which changes with the picture; null if none are painted here. */
  href(catalog: Catalog, event: Event): string | null;
  /** Identifies the contents of an event's picture: its facts, look and images, and the site's mark. */
  version(catalog: Catalog, event: Event): string;
  /**
   * An event's picture, painted if necessary, one at a time. If it lacks one of the event's images, a later request may
   * get a better one.
   *
   * @throws {PublicError} `service_unavailable` if too many others are waiting, or it cannot be painted.
   */
  get(catalog: Catalog, event: Event): Promise<Painted>;
}

/** Increase this when the painter's output changes: pictures are cached for long. */
const EDITION = 2;
const ROLES: readonly ImageRole[] = ["logo", "background"];
/** Room for some 800 pictures, so that a crawl of all events paints none twice. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
/** If more pictures waited, the last would be too late for its visitor. */
const MAX_RUNNING = 50;
/** Social networks wait no longer than this. The painting continues for the next request. */
const PATIENCE_MILLISECONDS = 30_000;

/** Creates the store. It paints nothing and fetches no image until a picture is requested. */
export function createSharingPictures(
  images: Pick<Images, "get">,
  { site = () => PLAIN_SITE, pictures, now }: {
    /** The site as it looks now. */
    readonly site?: () => Site;
    readonly pictures: Pick<Pictures, "paint"> | null;
    readonly now: () => number;
  },
): SharingPictures {
  const cache = createCache<Painted>({
    now,
    maxBytes: MAX_MEMORY_BYTES,
    bytesOf: ({ bytes }) => bytes.length,
    maxRunning: MAX_RUNNING,
    isKept: ({ lacksImage }) => !lacksImage,
  });
  const inTurn = createSemaphore(1);

  async function obtain(catalog: Catalog, event: Event, version: string): Promise<Painted> {
    if (pictures === null) throw notPaintable();
    const shown = site();
    const { logo: siteLogo, font } = shown;
    const facts = sharingFacts(event, shown);
    const outcomeOf = (role: ImageRole) =>
      shows(facts, role) ? images.get(catalog, event.id, role) : "absent";
    const fetchImages = () => Promise.all([outcomeOf("logo"), outcomeOf("background")]);
    // The images are fetched before the picture's turn, so that a slow image server delays no other picture, and
    // taken from the cache in its turn, so that a waiting picture does not hold them in memory.
    await fetchImages();
    return await inTurn(async () => {
      const [logo, background] = await fetchImages();
      const poor = `${version} ${typeof logo} ${typeof background}`;
      const known = cache.peek(poor);
      if (known !== undefined) return known;
      try {
        const painted = await pictures.paint({
          version,
          drawing: { kind: "card", facts },
          files: {
            logo: typeof logo === "string" ? null : logo,
            background: typeof background === "string" ? null : background,
            siteLogo: storedLogo(siteLogo),
            font: storedFont(font),
          },
        });
        const lacksImage = painted.lacksImage || logo === "failed" || background === "failed";
        const picture = { ...painted, lacksImage };
        if (lacksImage) cache.keep(poor, picture, POOR_MILLISECONDS);
        return picture;
      } catch (error) {
        const isForeseen = error instanceof UnpaintableError || error instanceof NotStartedError;
        throw isForeseen ? notPaintable(error) : error;
      }
    });
  }

  return {
    href(catalog, event) {
      const version = sharingVersion(catalog, event, site());
      return pictures && `/events/${encodeURIComponent(event.id)}/card?v=${version}`;
    },
    version: (catalog, event) => sharingVersion(catalog, event, site()),
    async get(catalog, event) {
      const version = sharingVersion(catalog, event, site());
      const known = cache.peek(version);
      if (known !== undefined) return known;
      try {
        const picture = cache.get(version, () => obtain(catalog, event, version));
        return await withTimeout(PATIENCE_MILLISECONDS, picture, () => {
          throw new BusyError("the picture takes too long");
        });
      } catch (error) {
        if (!(error instanceof BusyError)) throw error;
        throw new PublicError("service_unavailable", "Too many pictures are being painted.", {
          hint: "Try again in a moment.",
          headers: { "retry-after": "10" },
        });
      }
    },
  };
}

function notPaintable(cause?: Error): PublicError {
  return new PublicError("service_unavailable", "This picture is not available right now.", {
    hint: "The event's page shows the same facts.",
    headers: { "retry-after": "3600" },
    cause,
  });
}

function sharingVersion(catalog: Catalog, event: Event, site: Site): string {
  const facts = sharingFacts(event, site);
  // The logo's version is shorter than its paths.
  const shown = {
    ...facts,
    ...facts.site && { site: { ...facts.site, logo: site.logo?.version } },
    ...site.font && { font: site.font.version },
  };
  const images = ROLES.map((role) => {
    const image = shows(facts, role) ? heldImage(catalog, event.id, role) : null;
    return image === null ? null : imageVersion(image);
  });
  return digestOf(JSON.stringify([EDITION, shown, images])).slice(0, 10);
}

/** Whether the picture shows an image: a record may hold a background that the event does not use. */
function shows({ look }: SharingFacts, role: ImageRole): boolean {
  return role === "logo" || look.scrim !== null;
}

function sharingFacts(event: Event, site: Site): SharingFacts {
  return {
    name: event.name,
    when: datesInWords(event),
    place: whereInWords(event),
    look: cardLook(event),
    // Left out if it is the usual one, so that addresses of pictures stay.
    ...hasOwnMark(site) && { site: sharedSiteOf(site) },
  };
}

const sharedSiteOf = memoize((site: Site): SharedSite => {
  const { name, logo } = site;
  return { name, colors: markColors(site), logo: logo && logoToDraw(logo) };
});

/**
 * The pictures that events are shared with. Each is painted on its first request, and kept in memory under a
 * version that identifies its contents and is part of its address.
 */

import { datesInWords, whereInWords } from "../words.ts";
import { createCache } from "../../platform/cache.ts";
import { digestOf } from "../../platform/digest.ts";
import { PublicError } from "../../platform/http/errors.ts";
import { withTimeout } from "../../platform/timeout.ts";
import type { Catalog } from "../catalog.ts";
import type { FeedPicture } from "../feeds/feed_text.ts";
import type { Event } from "../model.ts";
import { PLAIN_SITE, type Site } from "../site/site.ts";
import { MAX_NAME_LENGTH, MAX_PLACE_LENGTH, oneLine } from "../site/short_text.ts";
import { siteMark } from "../site/site_style.ts";
import { cardTheme } from "../theme/theme.ts";
import {
  heldImage,
  type ImageOutcome,
  type ImageRole,
  type Images,
  imageVersion,
} from "./images.ts";
import { imageKind } from "./image_kind.ts";
import type { SharingFacts } from "./internal/job.ts";
import { busy, type MakePicture } from "./picture_process.ts";

/** A picture as a file of a type; `lacksImage` says whether it lacks an image of its event. */
interface Painted {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly lacksImage: boolean;
}

/** Increase this when the painter's output changes: pictures are cached for long. */
const EDITION = 5;
/** Room for some 800 pictures, so that a crawl of all events paints none twice. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
/** Social networks wait no longer than this. The painting continues for the next request. */
const PATIENCE_MILLISECONDS = 30_000;

/** Creates the store. It paints nothing and fetches no image until a picture is requested. */
export function createSharingPictures(
  images: Pick<Images, "get">,
  { site = () => PLAIN_SITE, pictures }: {
    /** The site as it looks now. */
    readonly site?: () => Site;
    readonly pictures: MakePicture | null;
  },
) {
  const cache = createCache<Painted>(MAX_MEMORY_BYTES, ({ bytes }) => bytes.length);

  /** A picture with those of its event's images that are available. */
  async function obtain(catalog: Catalog, event: Event, version: string): Promise<Painted> {
    const shown = site();
    const facts = sharingFacts(event, shown);
    const outcomeOf = async (role: ImageRole): Promise<ImageOutcome> =>
      shows(facts, role) ? await images.get(catalog, event.id, role) : "absent";
    const [logo, background] = await Promise.all([outcomeOf("logo"), outcomeOf("background")]);
    const typed = {
      ...typeof logo === "object" && { logo: logo.bytes },
      ...typeof background === "object" && { background: background.bytes },
    };
    const ownFiles = {
      ...shown.logo?.contentType === "image/png" && { siteLogo: shown.logo.bytes },
      ...shown.font && { font: shown.font.bytes },
    };
    const isPoor = [logo, background].includes("failed");
    const key = isPoor ? `${version} ${Object.keys(typed)}` : version;
    return await cache.get(event.id, key, async () => {
      const whole = await pictures?.(key, { facts, files: { ...typed, ...ownFiles } });
      if (whole?.length) return painted(whole, isPoor);
      // One of its images may be at fault.
      const alone = Object.keys(typed).length > 0 &&
        await pictures?.(`${key} alone`, { facts, files: ownFiles });
      if (alone && alone.length > 0) return painted(alone, true);
      throw notPainted();
    });
  }

  /** Identifies the contents of an event's picture: its facts, theme and images, and the site's mark. */
  function versionOf(catalog: Catalog, event: Event): string {
    const shown = site();
    const facts = sharingFacts(event, shown);
    const held = (["logo", "background"] as const).map((role) => {
      const image = shows(facts, role) ? heldImage(catalog, event.id, role) : null;
      return image === null ? null : imageVersion(image);
    });
    const files = [shown.logo?.version, shown.font?.version];
    return digestOf(JSON.stringify([EDITION, facts, held, files])).slice(0, 10);
  }

  return {
    /** An event's picture: its address, which changes with it, and its media type; null if none are painted here. */
    picture(catalog: Catalog, event: Event): FeedPicture | null {
      const href = `/events/${encodeURIComponent(event.id)}/card?v=${versionOf(catalog, event)}`;
      return pictures && { href, type: typeOf(event) };
    },
    version: versionOf,
    /**
     * An event's picture, painted if necessary. If it lacks one of the event's images, a later request may get a better
     * one.
     *
     * @throws {PublicError} `service_unavailable` if too many others are waiting, or it cannot be painted.
     */
    async get(catalog: Catalog, event: Event): Promise<Painted> {
      const version = versionOf(catalog, event);
      return cache.known(event.id, version) ??
        await withTimeout(PATIENCE_MILLISECONDS, obtain(catalog, event, version), () => {
          throw busy();
        });
    },
  };
}

function painted(bytes: Uint8Array<ArrayBuffer>, lacksImage: boolean): Painted {
  return { bytes, type: imageKind(bytes)?.type ?? "image/png", lacksImage };
}

function notPainted(): PublicError {
  return new PublicError("service_unavailable", "This picture is not available right now.", {
    hint: "The event's page shows the same facts.",
    headers: { "retry-after": "3600" },
  });
}

/** The media type of an event's picture: photographs are too large as PNG. */
function typeOf(event: Event): string {
  return cardTheme(event).scrim === null ? "image/png" : "image/jpeg";
}

/** Whether the picture shows an image: a record may hold a background that the event does not use. */
function shows({ theme }: SharingFacts, role: ImageRole): boolean {
  return role === "logo" || theme.scrim !== null;
}

function sharingFacts(event: Event, site: Site): SharingFacts {
  const theme = cardTheme(event);
  const place = whereInWords(event);
  return {
    kind: "card",
    name: oneLine(event.name, MAX_NAME_LENGTH),
    when: datesInWords(event),
    place: place && oneLine(place, MAX_PLACE_LENGTH),
    theme,
    site: {
      name: site.name,
      ...siteMark(site) ?? { ground: theme.ground, ink: theme.text },
    },
  };
}

/**
 * The pictures that pages of events are shared with. Each is painted when it is first asked for, and kept
 * in memory under the version that names what it shows; that version is part of its address.
 */

import { digestOf } from "../digest.ts";
import { PublicError } from "../http/mod.ts";
import { withTimeout } from "../timeout.ts";
import type { Catalog, Event } from "../events/mod.ts";
import { cardLook, datesInWords, placeOf } from "../site/mod.ts";
import { BusyError, createCache } from "./cache.ts";
import { heldImage, type ImageRole, type Images, imageVersion } from "./images.ts";
import { NotStartedError, type Pictures, UnpaintableError } from "./picture_process.ts";
import type { SharingFacts } from "./painter.ts";
import { createSemaphore } from "../semaphore.ts";

/** A picture as a PNG file. */
interface SharingPicture {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether each of the event's images could be had; if not, another try may give a better picture. */
  readonly isWhole: boolean;
}

/** The pictures of events. */
export interface SharingPictures {
  /** The address of an event's picture on this site, which changes when the picture does; null where none are painted. */
  href(catalog: Catalog, event: Event): string | null;
  /**
   * An event's picture, painted if it is not here yet; one at a time, and each once.
   *
   * @throws {PublicError} `service_unavailable` if too many others wait to be painted, or if this one cannot be.
   */
  get(catalog: Catalog, event: Event): Promise<SharingPicture>;
}

/** To be increased whenever the painter paints the same facts differently: pictures are cached for long. */
const EDITION = 2;
const ROLES: readonly ImageRole[] = ["logo", "background"];
/** Room for some 800 pictures, so that a round over all events paints none of them twice. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
/** More than these wait for nothing that anybody would still look at. */
const MAX_RUNNING = 50;
/** Those who look at shared pages wait no longer; the picture is painted all the same, for the next one. */
const PATIENCE_MILLISECONDS = 30_000;
/** After this long an image that could not be painted is asked for again. */
const POOR_MILLISECONDS = 3_600_000;

/** Creates the store. It paints nothing and fetches no image until a picture is asked for. */
export function createSharingPictures(
  images: Images,
  { pictures, now }: {
    readonly pictures: Pick<Pictures, "paint"> | null;
    readonly now: () => number;
  },
): SharingPictures {
  const cache = createCache<SharingPicture>({
    now,
    maxBytes: MAX_MEMORY_BYTES,
    bytesOf: ({ bytes }) => bytes.length,
    maxRunning: MAX_RUNNING,
    isKept: ({ isWhole }) => isWhole,
  });
  const inTurn = createSemaphore(1);

  async function obtain(catalog: Catalog, event: Event, version: string): Promise<SharingPicture> {
    if (pictures === null) throw notPaintable();
    const facts = sharingFacts(event);
    const outcomeOf = (role: ImageRole) =>
      shows(facts, role) ? images.get(catalog, event.id, role) : "absent";
    const fetchImages = () => Promise.all([outcomeOf("logo"), outcomeOf("background")]);
    // Before its turn, so that a slow server of images holds up no other picture; what waits holds nothing.
    await fetchImages();
    return await inTurn(async () => {
      const [logo, background] = await fetchImages();
      const poor = `${version} ${typeof logo} ${typeof background}`;
      const known = cache.peek(poor);
      if (known !== undefined) return known;
      try {
        const { bytes, lacksImage } = await pictures.paint({
          version,
          facts,
          logo: typeof logo === "string" ? null : logo,
          background: typeof background === "string" ? null : background,
        });
        const isWhole = logo !== "failed" && background !== "failed" && !lacksImage;
        const picture = { bytes, isWhole };
        if (!isWhole) cache.keep(poor, picture, POOR_MILLISECONDS);
        return picture;
      } catch (error) {
        const isForeseen = error instanceof UnpaintableError || error instanceof NotStartedError;
        throw isForeseen ? notPaintable(error) : error;
      }
    });
  }

  return {
    href(catalog, event) {
      const version = sharingVersion(catalog, event);
      return pictures && `/events/${encodeURIComponent(event.id)}/card?v=${version}`;
    },
    async get(catalog, event) {
      const version = sharingVersion(catalog, event);
      const known = cache.peek(version);
      if (known !== undefined) return known;
      try {
        const picture = cache.get(version, () => obtain(catalog, event, version));
        return await withTimeout(PATIENCE_MILLISECONDS, picture, () => {
          throw new BusyError("the picture takes too long");
        });
      } catch (error) {
        throw error instanceof BusyError ? tooMany() : error;
      }
    },
  };
}

function notPaintable(cause?: Error): PublicError {
  return new PublicError("service_unavailable", "This picture cannot be painted here.", {
    hint: "The event's page shows what it would show.",
    headers: { "retry-after": "3600" },
    cause,
  });
}

function tooMany(): PublicError {
  return new PublicError("service_unavailable", "There are too many pictures to paint at once.", {
    hint: "Ask for it again in a moment.",
    headers: { "retry-after": "10" },
  });
}

/** Names what the picture of an event shows: its facts, its looks and its images. */
export function sharingVersion(catalog: Catalog, event: Event): string {
  const facts = sharingFacts(event);
  const images = ROLES.map((role) => {
    const image = shows(facts, role) ? heldImage(catalog, event.id, role) : null;
    return image === null ? null : imageVersion(image);
  });
  return digestOf(JSON.stringify([EDITION, facts, images])).slice(0, 10);
}

/** Whether the picture shows an image: a record may hold a background that the event does not use. */
function shows({ look }: SharingFacts, role: ImageRole): boolean {
  return role === "logo" || look.scrim !== null;
}

function sharingFacts(event: Event): SharingFacts {
  return {
    name: event.name,
    when: datesInWords(event),
    place: placeOf(event),
    look: cardLook(event),
  };
}

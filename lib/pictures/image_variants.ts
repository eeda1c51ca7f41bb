/**
 * The images of events in the sizes in which pages show them. A size is made when it is first asked for, and
 * kept as the images are; until it is there the image itself is the answer, so that nobody waits for it.
 */

import type { Catalog } from "../events/mod.ts";
import { createCache } from "./cache.ts";
import {
  heldImage,
  type ImageOutcome,
  type ImageRole,
  type Images,
  type ImagesOptions,
  imageVersion,
  readCached,
  type StoredImage,
  writeCached,
} from "./images.ts";
import type { Pictures } from "./picture_process.ts";

/** The widths that there are, in pixels. */
const IMAGE_WIDTHS = [400, 800, 1600] as const;

/** One of them. */
export type ImageWidth = typeof IMAGE_WIDTHS[number];

/** An image for now, or for as long as its address lasts. */
export interface Variant {
  readonly outcome: ImageOutcome;
  readonly isFinal: boolean;
}

/** The images in their sizes. */
export interface ImageVariants {
  get(catalog: Catalog, eventId: string, role: ImageRole, width: ImageWidth): Promise<Variant>;
}

/** An image in a size; null where the image itself is shown. */
interface Made {
  readonly image: StoredImage | null;
}

/** What comes as JPEG is a photograph; all else may have edges, and their loss would be seen. */
const QUALITIES = { drawing: 90, photograph: 75 } as const;
/** What saves less is not worth another loss. */
const MAX_SHARE = 0.9;
/** To be counted up when sizes are made otherwise: they are kept for long. */
const EDITION = 2;
/** Each that waits holds a whole image; what is more than these is made when it is asked for again. */
const MAX_RUNNING = 24;
const MAX_MEMORY_BYTES = 32 * 1024 * 1024;

/** Creates the store. Without `pictures` each image is shown as it is. */
export function createImageVariants(
  images: Images,
  { pictures, now, ...options }: Pick<ImagesOptions, "openCache" | "log" | "now"> & {
    readonly pictures: Pick<Pictures, "resize"> | null;
  },
): ImageVariants {
  const cache = createCache<Made>({
    now,
    maxBytes: MAX_MEMORY_BYTES,
    bytesOf: ({ image }) => image?.bytes.length ?? 0,
    maxRunning: MAX_RUNNING,
  });

  /** The size from memory, or as another isolate has made it. */
  async function find(key: string, version: string): Promise<Made | null> {
    const known = cache.peek(`${key} ${version}`);
    if (known !== undefined) return known;
    const image = await readCached(options, key, version);
    if (image === null) return null;
    cache.keep(`${key} ${version}`, { image });
    return { image };
  }

  async function make(key: string, original: StoredImage, width: number): Promise<Made> {
    const { bytes, type, version } = original;
    const quality = QUALITIES[type === "image/jpeg" ? "photograph" : "drawing"];
    try {
      const made = await pictures?.resize(original, { width, quality });
      if (!made || made.length > MAX_SHARE * bytes.length) return { image: null };
      const image = { type: "image/webp", bytes: made, version };
      await writeCached(options, key, image);
      return { image };
    } catch (error) {
      const reason = String(error);
      options.log.warn("events: an image cannot be made smaller", { image: key, reason });
      throw error;
    }
  }

  return {
    async get(catalog, eventId, role, width) {
      const held = heldImage(catalog, eventId, role);
      if (held === null) return { outcome: "absent", isFinal: true };
      const key = `${eventId}/${role}/${width}/${EDITION}`;
      const made = await find(key, imageVersion(held));
      if (made !== null && made.image !== null) return { outcome: made.image, isFinal: true };
      const outcome = await images.get(catalog, eventId, role);
      const isFinal = made !== null || pictures === null || typeof outcome === "string";
      if (!isFinal) {
        // A failure was logged, and if too many are being made the next request tries again.
        cache.get(`${key} ${outcome.version}`, () => make(key, outcome, width)).catch(() => {});
      }
      return { outcome, isFinal };
    },
  };
}

/** The address of an image in a size. */
export function sizedHref(href: string, width: ImageWidth): string {
  return `${href}&w=${width}`;
}

/** The size that an address asks for; null for the image itself. */
export function parseWidth(value: string | null): ImageWidth | null {
  return IMAGE_WIDTHS.find((width) => String(width) === value) ?? null;
}

/**
 * The images of events in the sizes that pages show. A size is made on its first request and kept like the images;
 * until it is ready the response is the image itself, so that no visitor waits.
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

/** The widths in pixels. */
const IMAGE_WIDTHS = [400, 800, 1600] as const;

/** A width in pixels. */
export type ImageWidth = typeof IMAGE_WIDTHS[number];

/** An image, and whether it is final or a temporary substitute for the requested size. */
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

/** A JPEG is a photograph; any other image may have edges, which lose visibly. */
const QUALITIES = { drawing: 90, photograph: 75 } as const;
/** A smaller saving is not worth the loss of quality. */
const MAX_SHARE = 0.9;
/** Increase this when the output changes: sizes are cached for long. */
const EDITION = 2;
/** Each waiting size holds a whole image; a size beyond these is made on a later request. */
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

  /** The size from memory, or from the platform's cache, where another isolate may have put it. */
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
        // `make` logs its failures. If too many sizes are in the making, the next request tries again.
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

/** The size in an address; null for the image itself. */
export function parseWidth(value: string | null): ImageWidth | null {
  return IMAGE_WIDTHS.find((width) => String(width) === value) ?? null;
}

/**
 * The images of events at permanent addresses. The record store's own addresses are signed and expire after two
 * hours, so each image is fetched once and kept in memory. Only images of the current snapshot are fetched. A smaller
 * size is made on its first request; until it is ready the response is the image itself, so that no visitor waits.
 */

import { createCache } from "../../platform/cache.ts";
import { digestOf } from "../../platform/digest.ts";
import type { Log } from "../../platform/log.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Catalog } from "../catalog.ts";
import type { HeldImage } from "../keeping/snapshot.ts";
import { fetchFile } from "./fetch_file.ts";
import { imageKind, type StoredImage } from "./image_kind.ts";
import type { MakePicture } from "./picture_process.ts";
import { createSemaphore } from "../../platform/semaphore.ts";

/** Which of an event's images. */
export type ImageRole = "logo" | "background";

/** An image, or why there is none: the event has none, or it is not available right now. */
export type ImageOutcome = StoredImage | "absent" | "failed";

/** The widths in pixels in which images are made. */
const IMAGE_WIDTHS = [800, 1600] as const;

type ImageWidth = typeof IMAGE_WIDTHS[number];

/** An image, and whether it is final or a temporary substitute for the requested size. */
export interface Variant {
  readonly outcome: ImageOutcome;
  readonly isFinal: boolean;
}

interface ImagesOptions extends Pick<Platform, "fetch" | "resolveName" | "now"> {
  readonly log: Pick<Log, "warn">;
  readonly trustedOrigins: ReadonlySet<string>;
  /** Null where images are shown in their own size only. */
  readonly pictures: MakePicture | null;
}

/** The images of events. */
export type Images = ReturnType<typeof createImages>;

/** The download of a larger file is aborted. */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_MEMORY_BYTES = 128 * 1024 * 1024;
/** Fetches that run at once; a page of 300 cards asks for many. */
const MAX_FETCHES = 8;
const ACCEPT = "image/avif,image/webp,image/png,image/jpeg,image/gif";
/** A JPEG is a photograph; any other image may have edges, which lose visibly. */
const QUALITIES = { drawing: 90, photograph: 75 } as const;
/** A smaller saving is not worth the loss of quality. */
const MAX_SHARE = 0.9;
/** How long a failed fetch of an image is not tried again. */
const FAILURE_PAUSE_MILLISECONDS = 60_000;

/** An image in its own size, or in another one if that is smaller; and when it is asked for again (epoch milliseconds). */
interface Kept {
  readonly image: StoredImage | "failed";
  readonly until: number;
}

/** Creates the store. It fetches nothing until an image is requested. */
export function createImages(
  { fetch, resolveName, trustedOrigins, now, log, pictures }: ImagesOptions,
) {
  const kept = createCache<Kept>(
    MAX_MEMORY_BYTES,
    ({ image }) => image === "failed" ? 0 : image.bytes.length,
    ({ until }) => now() < until,
  );
  const limitFetches = createSemaphore(MAX_FETCHES);

  async function obtain(key: string, { url }: HeldImage, version: string): Promise<Kept> {
    try {
      const bytes = await limitFetches(() =>
        fetchFile(url, { fetch, resolveName, trustedOrigins, accept: ACCEPT, maxBytes: MAX_BYTES })
      );
      const kind = imageKind(bytes);
      if (kind !== null) return found({ type: kind.type, bytes, version });
      throw new Error("it is not a raster image, is damaged, or is too large to show");
    } catch (error) {
      log.warn("events: an image cannot be shown", { image: key, reason: String(error) });
      return { image: "failed", until: now() + FAILURE_PAUSE_MILLISECONDS };
    }
  }

  /** An event's image, fetched if necessary; one fetch at a time for each. */
  async function get(catalog: Catalog, eventId: string, role: ImageRole): Promise<ImageOutcome> {
    const image = heldImage(catalog, eventId, role);
    if (image === null) return "absent";
    const version = imageVersion(image);
    const key = `${eventId}/${role}`;
    return (await kept.get(key, version, () => obtain(key, image, version))).image;
  }

  return {
    get,
    /** An event's image in a size; null is its own. */
    async getSized(
      catalog: Catalog,
      eventId: string,
      role: ImageRole,
      width: ImageWidth | null,
    ): Promise<Variant> {
      const held = heldImage(catalog, eventId, role);
      const key = `${eventId}/${role} ${width}`;
      const version = held === null ? "" : imageVersion(held);
      const size = kept.known(key, version);
      if (size !== undefined) return { outcome: size.image, isFinal: true };
      const outcome = await get(catalog, eventId, role);
      const isFinal = width === null || pictures === null || typeof outcome === "string";
      if (!isFinal) {
        // Failures are logged where they happen. If too many are waiting, the next request tries again.
        const make = async () => found(await makeSize(pictures, outcome, width));
        kept.get(key, version, make).catch(() => {});
      }
      return { outcome, isFinal };
    },
  };
}

const found = (image: StoredImage): Kept => ({ image, until: Infinity });

/** The image in a width, or itself if nothing smaller can be made. A failure is thrown: it is tried again later. */
async function makeSize(
  make: MakePicture,
  image: StoredImage,
  width: number,
): Promise<StoredImage> {
  const { bytes, type, version } = image;
  const quality = QUALITIES[type === "image/jpeg" ? "photograph" : "drawing"];
  const job = { facts: { kind: "image", width, quality }, files: { image: bytes } } as const;
  const made = await make(version, job);
  if (made === null) throw new Error("the process failed");
  const isWorthIt = made.length > 0 && made.length <= MAX_SHARE * bytes.length;
  return isWorthIt ? { type: "image/webp", bytes: made, version } : image;
}

/** The image that the current snapshot names, or null. */
export function heldImage(catalog: Catalog, eventId: string, role: ImageRole): HeldImage | null {
  return catalog.imagesOf(eventId)?.[role] ?? null;
}

/** The address of an event's image on this site; it changes when the attachment does. */
export function imageHref(catalog: Catalog, eventId: string, role: ImageRole): string | null {
  const image = heldImage(catalog, eventId, role);
  return image === null
    ? null
    : `/events/${encodeURIComponent(eventId)}/${role}?v=${imageVersion(image)}`;
}

/** The address of an image in a size. */
export function sizedHref(href: string, width: ImageWidth): string {
  return `${href}&w=${width}`;
}

/** The width nearest to the one in an address; null for the image itself. */
export function parseWidth(value: string | null): ImageWidth | null {
  if (value === null || !/^\d{1,6}$/.test(value)) return null;
  const [narrow, wide] = IMAGE_WIDTHS;
  return Number(value) < (narrow + wide) / 2 ? narrow : wide;
}

/** Identifies an attachment by its id, since its signed address changes, or else by its address. */
export function imageVersion({ attachmentId, url }: HeldImage): string {
  return digestOf(attachmentId ?? url).slice(0, 7);
}

/**
 * The images of events at permanent addresses. The record store's own addresses are signed and expire after two
 * hours, so each image is fetched once and kept, in memory and in the platform's cache for the next isolate. Only
 * images of the current snapshot are fetched. A smaller size is made on its first request and kept in the same way;
 * until it is ready the response is the image itself, so that no visitor waits.
 */

import { LRUCache } from "lru-cache";
import { digestOf } from "../../platform/digest.ts";
import type { Log } from "../../platform/log.ts";
import type { Catalog } from "../catalog.ts";
import type { HeldImage } from "../snapshot.ts";
import { fetchFile, type LookUp } from "./fetch_file.ts";
import { imageKind, type StoredImage } from "./image_kind.ts";
import type { Pictures } from "./picture_process.ts";
import { createSemaphore } from "../../platform/semaphore.ts";

/** Which of an event's images. */
export type ImageRole = "logo" | "background";

/** An image, or why there is none: the event has none, or it is not available right now. */
export type ImageOutcome = StoredImage | "absent" | "failed";

/** The widths in pixels in which images are made. */
const IMAGE_WIDTHS = [800, 1600] as const;

/** A width in pixels. */
export type ImageWidth = typeof IMAGE_WIDTHS[number];

/** An image, and whether it is final or a temporary substitute for the requested size. */
export interface Variant {
  readonly outcome: ImageOutcome;
  readonly isFinal: boolean;
}

interface ImagesOptions {
  readonly fetch: typeof fetch;
  readonly lookUp: LookUp;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Log, "warn">;
  readonly trustedOrigins: ReadonlySet<string>;
  /** The platform's cache, or null to keep images in memory only. */
  readonly openCache: (() => Promise<Cache>) | null;
  /** Null where images are shown in their own size only. */
  readonly pictures: Pick<Pictures, "resize"> | null;
}

/** The images of events. */
export interface Images {
  /** An event's image, fetched if necessary; one fetch at a time for each. */
  get(catalog: Catalog, eventId: string, role: ImageRole): Promise<ImageOutcome>;
  /** An event's image in a size; null is its own. */
  getSized(
    catalog: Catalog,
    eventId: string,
    role: ImageRole,
    width: ImageWidth | null,
  ): Promise<Variant>;
}

/** The download of a larger file is aborted. */
const MAX_BYTES = 5 * 1024 * 1024;
/** For the images, and again for their sizes. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
/** Fetches that run at once; a page of 300 cards asks for many. */
const MAX_FETCHES = 8;
/** A JPEG is a photograph; any other image may have edges, which lose visibly. */
const QUALITIES = { drawing: 90, photograph: 75 } as const;
/** A smaller saving is not worth the loss of quality. */
const MAX_SHARE = 0.9;
/** Increase this when the output changes: sizes are cached for long. */
const EDITION = 3;

/** How long a failed fetch of an image is not tried again. */
const FAILURE_PAUSE_MILLISECONDS = 60_000;
/** A key and the value's own object. */
const ENTRY_BYTES = 200;

type Original = Exclude<ImageOutcome, "absent">;
/** An image in a size, or the sign that the original is no larger. */
type Size = StoredImage | "original";

/** Creates the store. It fetches nothing until an image is requested. */
export function createImages(options: ImagesOptions): Images {
  const { fetch, lookUp, trustedOrigins, now, log, pictures } = options;
  const limits = {
    maxSize: MAX_MEMORY_BYTES,
    sizeCalculation: (image: StoredImage | string) =>
      ENTRY_BYTES + (typeof image === "string" ? 0 : image.bytes.length),
    ttlResolution: 0,
    // A fetch that loses its place in the cache still gives its callers the image.
    ignoreFetchAbort: true,
    perf: { now },
  };
  const originals = new LRUCache<string, Original, () => Promise<Original>>({
    ...limits,
    async fetchMethod(_key, _stale, { options, context: obtain }) {
      const outcome = await obtain();
      if (outcome === "failed") options.ttl = FAILURE_PAUSE_MILLISECONDS;
      return outcome;
    },
  });
  const sizes = new LRUCache<string, Size, () => Promise<Size>>({
    ...limits,
    fetchMethod: (_key, _stale, { context: make }) => make(),
  });
  const limitFetches = createSemaphore(MAX_FETCHES);

  async function obtain(key: string, { url }: HeldImage, version: string): Promise<Original> {
    const cached = await readCached(options, key, version);
    if (cached !== null) return cached;
    const accept = "image/avif,image/webp,image/png,image/jpeg,image/gif";
    try {
      const bytes = await limitFetches(() =>
        fetchFile(url, { fetch, lookUp, trustedOrigins, accept, maxBytes: MAX_BYTES })
      );
      const kind = imageKind(bytes);
      if (kind === null) {
        throw new Error("it is not a raster image, is damaged, or is too large to show");
      }
      const stored = { type: kind.type, bytes, version };
      await writeCached(options, key, stored);
      return stored;
    } catch (error) {
      log.warn("events: an image cannot be shown", { image: key, reason: String(error) });
      return "failed";
    }
  }

  /** The size from memory, or from the platform's cache, where another isolate may have put it. */
  async function findSize(key: string, version: string): Promise<Size | null> {
    const known = sizes.get(`${key} ${version}`);
    if (known !== undefined) return known;
    const image = await readCached(options, key, version);
    if (image !== null) sizes.set(`${key} ${version}`, image);
    return image;
  }

  async function makeSize(key: string, original: StoredImage, width: number): Promise<Size> {
    const { bytes, type, version } = original;
    const quality = QUALITIES[type === "image/jpeg" ? "photograph" : "drawing"];
    const made = await pictures?.resize(original, { width, quality });
    if (!made || made.length > MAX_SHARE * bytes.length) return "original";
    const image = { type: "image/webp", bytes: made, version };
    await writeCached(options, key, image);
    return image;
  }

  async function get(catalog: Catalog, eventId: string, role: ImageRole): Promise<ImageOutcome> {
    const image = heldImage(catalog, eventId, role);
    if (image === null) return "absent";
    const version = imageVersion(image);
    const key = `${eventId}/${role}`;
    return await originals.forceFetch(`${key} ${version}`, {
      context: () => obtain(key, image, version),
    });
  }

  return {
    get,
    async getSized(catalog, eventId, role, width) {
      const held = heldImage(catalog, eventId, role);
      const key = `${eventId}/${role}/${width}/${EDITION}`;
      const isSized = held !== null && width !== null;
      const size = isSized ? await findSize(key, imageVersion(held)) : null;
      if (typeof size === "object" && size !== null) return { outcome: size, isFinal: true };
      const outcome = await get(catalog, eventId, role);
      if (!isSized || size !== null || pictures === null || typeof outcome === "string") {
        return { outcome, isFinal: true };
      }
      // Failures are logged where they happen. If too many are waiting, the next request tries again.
      sizes.fetch(`${key} ${outcome.version}`, { context: () => makeSize(key, outcome, width) })
        .catch(() => {});
      return { outcome, isFinal: false };
    },
  };
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

/** One entry for each image of each event: a new version replaces the old one. */
function cacheKey(key: string): string {
  return `https://images.foyer.invalid/${key}`;
}

/** An image from the platform's cache, if it is of this version. */
async function readCached(
  { openCache, log }: ImagesOptions,
  key: string,
  version: string,
): Promise<StoredImage | null> {
  try {
    const response = await (await openCache?.())?.match(cacheKey(key));
    if (response === undefined) return null;
    if (response.headers.get("x-version") !== version) {
      await response.body?.cancel();
      return null;
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    // A file on a disk may be truncated, so it is checked as if it came from outside.
    const kind = imageKind(bytes);
    return kind === null ? null : { type: kind.type, bytes, version };
  } catch (error) {
    log.warn("events: the image cache cannot be read", { reason: String(error) });
    return null;
  }
}

/** Keeps an image in the platform's cache. A failure is logged only: the image can still be shown. */
async function writeCached(
  { openCache, log }: ImagesOptions,
  key: string,
  { type, bytes, version }: StoredImage,
): Promise<void> {
  try {
    const headers = { "content-type": type, "x-version": version };
    await (await openCache?.())?.put(cacheKey(key), new Response(bytes, { headers }));
  } catch (error) {
    log.warn("events: the image cache cannot be written", { reason: String(error) });
  }
}

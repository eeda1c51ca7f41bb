/**
 * The pictures that pages of events are shared with. Each is painted when it is first asked for, and kept
 * in memory under the version that names what it shows; that version is part of its address.
 */

import { LRUCache } from "lru-cache";
import { digestOf } from "../digest.ts";
import { PublicError } from "../http/errors.ts";
import type { Catalog } from "./catalog.ts";
import { placeOf } from "./facts.ts";
import { heldImage, type ImageRole, type Images, imageVersion } from "./images.ts";
import type { Event } from "./model.ts";
import { createPainter, type Painter, type SharingFacts } from "./sharing_painter.ts";
import { createSlots } from "./slots.ts";
import { nextTurn } from "./snapshot.ts";
import { cardLook } from "./theme.ts";
import { datesInWords } from "./words.ts";

/** A picture as a PNG file. */
export interface SharingPicture {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether each of the event's images could be had; if not, another try may give a better picture. */
  readonly isWhole: boolean;
}

/** The pictures of events. */
export interface SharingPictures {
  /**
   * An event's picture, painted if it is not here yet; one at a time, and each once.
   *
   * @throws {PublicError} `service_unavailable` if too many others wait to be painted.
   */
  get(catalog: Catalog, event: Event): Promise<SharingPicture>;
}

interface Failure {
  readonly error: unknown;
}

/** To be increased whenever the painter paints the same facts differently: pictures are cached for long. */
const EDITION = 2;
const ROLES: readonly ImageRole[] = ["logo", "background"];
const FAILURE_PAUSE_MILLISECONDS = 60_000;
/** Room for some 800 pictures, so that a round over all events paints none of them twice. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
/** Nothing else runs while a picture is painted. Then the others have so many times as long, but no longer than this. */
const REST = { times: 3, maxMilliseconds: 2_000 } as const;
/** More than these wait for nothing that anybody would still look at. */
const MAX_RUNNING = 50;

/** What the pictures need from outside. */
export interface SharingOptions {
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Makes the store. Neither is the painter made nor an image fetched until a picture is asked for. */
export function createSharingPictures(
  images: Images,
  { sleep }: SharingOptions,
): SharingPictures {
  const memory = new LRUCache<string, Uint8Array<ArrayBuffer>>({
    maxSize: MAX_MEMORY_BYTES,
    sizeCalculation: (bytes) => bytes.length + 200,
  });
  const running = new Map<string, Promise<SharingPicture>>();
  /** Remembered failures: retrying a picture that always fails reloads Skia and holds up all others. */
  const failures = new LRUCache<string, Failure>({ max: 1_000, ttl: FAILURE_PAUSE_MILLISECONDS });
  const inTurn = createSlots(1);
  let painter: Promise<Painter> | null = null;
  let restsUntil = -Infinity;

  /** Paints, once the others have had their time: pictures in a row take a quarter of all. */
  async function atLeisure<T>(paint: () => Promise<T>): Promise<T> {
    const rest = restsUntil - performance.now();
    if (rest > 0) await sleep(rest);
    // While a picture is drawn nothing else runs.
    await nextTurn();
    const startedAt = performance.now();
    try {
      return await paint();
    } finally {
      const endedAt = performance.now();
      restsUntil = endedAt + Math.min(REST.times * (endedAt - startedAt), REST.maxMilliseconds);
    }
  }

  async function obtain(catalog: Catalog, event: Event, version: string): Promise<SharingPicture> {
    const facts = sharingFacts(event);
    const outcomeOf = (role: ImageRole) =>
      shows(facts, role) ? images.get(catalog, event.id, role) : "absent";
    const fetchImages = () => Promise.all([outcomeOf("logo"), outcomeOf("background")]);
    // Before its turn, so that a slow server of images holds up no other picture; what waits holds nothing.
    await fetchImages();
    return await inTurn(async () => {
      const [logo, background] = await fetchImages();
      const isWhole = logo !== "failed" && background !== "failed";
      const key = isWhole ? version : `${version} ${typeof logo} ${typeof background}`;
      const known = memory.get(key);
      if (known !== undefined) return { bytes: known, isWhole };
      painter ??= createPainter();
      try {
        const { paint, isOvergrown } = await painter;
        const files = {
          logo: typeof logo === "string" ? null : logo.bytes,
          background: typeof background === "string" ? null : background.bytes,
        };
        const bytes = await atLeisure(() => paint(facts, files));
        if (isOvergrown()) painter = null;
        memory.set(key, bytes);
        return { bytes, isWhole };
      } catch (error) {
        // Where WebAssembly has failed it is in no known state.
        painter = null;
        failures.set(version, { error });
        throw error;
      }
    });
  }

  return {
    async get(catalog, event) {
      const version = sharingVersion(catalog, event);
      const known = memory.get(version);
      if (known !== undefined) return { bytes: known, isWhole: true };
      const failure = failures.get(version);
      if (failure !== undefined) throw failure.error;
      if (!running.has(version) && running.size >= MAX_RUNNING) throw tooMany();
      const started = running.get(version) ?? obtain(catalog, event, version).finally(() => {
        running.delete(version);
      });
      running.set(version, started);
      return await started;
    },
  };
}

function tooMany(): PublicError {
  return new PublicError("service_unavailable", "There are too many pictures to paint at once.", {
    hint: "Ask for it again in a moment.",
    headers: { "retry-after": "10" },
  });
}

/** The address of an event's picture on this site; it changes when the picture does. */
export function sharingHref(catalog: Catalog, event: Event): string {
  return `/events/${encodeURIComponent(event.id)}/card?v=${sharingVersion(catalog, event)}`;
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

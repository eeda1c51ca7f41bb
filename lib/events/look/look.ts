/**
 * The look of a site: its logo and its font are read at the start, from files or from addresses. A page waits for
 * them for a moment at most, and is shown without a file that cannot be read.
 */

import type { Config } from "../../platform/config/config.ts";
import { showValue } from "../../platform/config/mistakes.ts";
import { digestOf } from "../../platform/digest.ts";
import { readBounded } from "../../platform/http/body.ts";
import { fetchFile } from "../pictures/fetch_file.ts";
import { type Site, siteOf } from "../site/site.ts";
import type { Log } from "../../platform/log.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import { type StartTimer, withTimeout } from "../../platform/timeout.ts";
import { MAX_FONT_BYTES, readFont } from "./font.ts";
import { MAX_LOGO_BYTES, readLogo } from "./logo.ts";

/** The look of a site. */
interface Look {
  /** The site as it is known now. */
  site(): Site;
  /** Starts every read that is due. Returns the promise that pages wait for during the first read, or null. */
  ready(): Promise<void> | null;
}

interface LookOptions {
  readonly fetch: typeof fetch;
  /** Null where no icons can be painted. */
  readonly pictures: object | null;
  /** The platform's cache, or null without one. */
  readonly openCache: (() => Promise<Cache>) | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly startLimit: StartTimer;
  readonly log: Pick<Log, "warn">;
}

/** A part of the look: a variable that names a file, and how the file is read. */
interface Part {
  readonly variable: "SITE_LOGO" | "SITE_FONT";
  readonly field: "logo" | "font";
  readonly maxBytes: number;
  readonly accept: string;
  /** The replacement on pages without it. */
  readonly instead: string;
  /** @throws {Error} with the reason if the file cannot be used. */
  readonly read: (file: Uint8Array<ArrayBuffer>) => Partial<Site>;
}

/** A part that is configured; `source` is the file's path or its address. */
interface ChosenPart extends Part {
  readonly source: string;
}

const PARTS: readonly Part[] = [
  {
    variable: "SITE_LOGO",
    field: "logo",
    maxBytes: MAX_LOGO_BYTES,
    accept: "image/svg+xml,image/png",
    instead: "so pages show the name instead",
    read: (file) => ({ logo: readLogo(file) }),
  },
  {
    variable: "SITE_FONT",
    field: "font",
    maxBytes: MAX_FONT_BYTES,
    accept: "font/woff2",
    instead: "so pages use the usual font",
    read: (file) => ({ font: readFont(file) }),
  },
];

/** The first pages wait for a file no longer than this. */
const PATIENCE_MILLISECONDS = 3_000;
/** The pause before a file at an address is requested again after a failure. */
const RETRY_MILLISECONDS = 10 * 60_000;
/** The time after which a file at an address is read again, by all isolates. */
const CURRENT_MILLISECONDS = DAY_MILLISECONDS;

/** Creates the look of a site. Nothing is read before `ready` is called. */
export function createLook(config: Config, options: LookOptions): Look {
  const { now, startLimit, log } = options;
  const chosen = PARTS.flatMap((part): ChosenPart[] => {
    const source = config[part.variable];
    return source === undefined ? [] : [{ ...part, source }];
  });
  /** The time of each part's next read; a file on the disk is read once. */
  const due = new Map(chosen.map((part) => [part, -Infinity]));
  const reported = new Set<ChosenPart>();
  let site: Site = { ...siteOf(config), hasPngIcons: options.pictures !== null };
  let attempt: Promise<void> | null = null;
  /** The start if a part was never read; Infinity if none is read again. */
  const nextDue = () => Math.min(...due.values());
  let waiting: Promise<void> | null = null;

  function report({ variable, source, field, instead }: ChosenPart, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const file = showValue(source) ?? "the file";
    const effect = site[field] === null ? instead : "so pages keep the file read before";
    log.warn(`${variable} cannot be used, ${effect}: ${reason} (${file})`, { variable, reason });
  }

  async function read(part: ChosenPart): Promise<void> {
    const show = (found: Partial<Site>) => {
      // The pages that were made with the same file stay as they are.
      if (found[part.field]?.version !== site[part.field]?.version) site = { ...site, ...found };
    };
    const startedAt = now();
    try {
      due.set(part, startedAt + await readPart(part, options, show));
    } catch (error) {
      due.set(part, isAddress(part) ? startedAt + RETRY_MILLISECONDS : Infinity);
      if (!reported.has(part)) report(part, error);
      reported.add(part);
    }
  }

  return {
    site: () => site,
    ready() {
      if (attempt === null && now() >= nextDue()) {
        const isFirst = nextDue() === -Infinity;
        const parts = [...due].filter(([, at]) => now() >= at).map(([part]) => part);
        attempt = Promise.all(parts.map(read)).then(() => void (attempt = null));
        if (isFirst) {
          waiting = withTimeout(PATIENCE_MILLISECONDS, attempt, () => {}, startLimit)
            .finally(() => waiting = null);
        }
      }
      return waiting;
    },
  };
}

function isAddress({ source }: ChosenPart): boolean {
  return /^https:\/\//i.test(source);
}

/**
 * Reads a part of the look. Returns the milliseconds until it is read again.
 *
 * @throws {Error} with the reason if its file cannot be used.
 */
async function readPart(
  part: ChosenPart,
  options: LookOptions,
  show: (found: Partial<Site>) => void,
): Promise<number> {
  const { source, maxBytes, accept } = part;
  if (!isAddress(part)) {
    show(part.read(await readFile(source, maxBytes)));
    return Infinity;
  }
  const cached = await readCached(part, options);
  // An old file is better than none.
  if (cached !== null) show(cached.found);
  if (cached !== null && cached.left > 0) return cached.left;
  const { fetch } = options;
  const file = await fetchFile(source, { fetch, trustedOrigins: new Set(), accept, maxBytes });
  show(part.read(file));
  await writeCached(part, file, options);
  return CURRENT_MILLISECONDS;
}

async function readFile(path: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = new Error(`it is larger than ${maxBytes} bytes`);
  try {
    const file = await Deno.open(path, { read: true });
    return await readBounded(file.readable, maxBytes, () => tooLarge);
  } catch (error) {
    if (error === tooLarge) throw error;
    if (error instanceof Deno.errors.NotFound) throw new Error("there is no such file");
    throw new Error(`the file cannot be read: ${String(error)}`, { cause: error });
  }
}

function cacheKey({ source }: ChosenPart): string {
  return `https://look.foyer.invalid/${digestOf(source)}`;
}

/**
 * The file that another isolate has read, and the milliseconds until it is read again; null if there is none, if it is
 * damaged, or if the cache fails.
 */
async function readCached(part: ChosenPart, { openCache, now }: LookOptions) {
  try {
    const response = await (await openCache?.())?.match(cacheKey(part));
    if (response === undefined) return null;
    const left = Number(response.headers.get("x-read-at")) + CURRENT_MILLISECONDS - now();
    // A time in the future comes from a wrong clock.
    return {
      found: part.read(await response.bytes()),
      left: left > CURRENT_MILLISECONDS ? 0 : left,
    };
  } catch {
    return null;
  }
}

async function writeCached(
  part: ChosenPart,
  file: Uint8Array<ArrayBuffer>,
  { openCache, now }: LookOptions,
): Promise<void> {
  try {
    const headers = { "x-read-at": String(now()) };
    await (await openCache?.())?.put(cacheKey(part), new Response(file, { headers }));
  } catch {
    // The next isolate fetches the file itself.
  }
}

/**
 * The branding of a site: its logo, its icon and its font are read at the start, from files or from addresses, and served
 * as they are. A page waits for them for a moment at most, and is shown without a file that cannot be read.
 */

import type { Config } from "../../platform/config/config.ts";
import { showValue } from "../../platform/config/shown.ts";
import { digestOf } from "../../platform/digest.ts";
import { readBounded } from "../../platform/http/body.ts";
import { fetchFile } from "../pictures/fetch_file.ts";
import { imageKind } from "../pictures/image_kind.ts";
import { type OwnFile, type Site, type SiteIcon, type SiteLogo, siteOf } from "./site.ts";
import type { Log } from "../../platform/log.ts";
import type { Platform } from "../../platform/platform.ts";
import { withTimeout } from "../../platform/timeout.ts";

interface BrandingOptions extends Pick<Platform, "fetch" | "resolveName" | "now" | "startLimit"> {
  readonly log: Pick<Log, "warn">;
}

/** A part of the branding: a variable that names a file, and how the file is checked. */
interface BrandingPart {
  readonly variable: "SITE_LOGO" | "SITE_LOGO_DARK" | "SITE_ICON" | "SITE_FONT";
  readonly maxBytes: number;
  readonly accept: string;
  /** The replacement on pages without it. */
  readonly instead: string;
  /** @throws {Error} with the reason if the file cannot be used. */
  readonly read: (file: Uint8Array<ArrayBuffer>) => Partial<Site>;
}

/** A part that is configured; `source` is the file's path or its address. */
interface ChosenPart extends BrandingPart {
  readonly source: string;
}

const LOGO = { maxBytes: 100 * 1024, accept: "image/svg+xml,image/png" } as const;
/** The least side of an icon, in pixels: what telephones show while they start a site. */
const MIN_ICON_SIDE = 512;

const PARTS: readonly BrandingPart[] = [
  {
    ...LOGO,
    variable: "SITE_LOGO",
    instead: "so pages show the name instead",
    read: (file) => ({ logo: readLogo("logo", file) }),
  },
  {
    ...LOGO,
    variable: "SITE_LOGO_DARK",
    instead: "so dark pages show SITE_LOGO",
    read: (file) => ({ logoDark: readLogo("logo-dark", file) }),
  },
  {
    variable: "SITE_ICON",
    maxBytes: 500 * 1024,
    accept: "image/png",
    instead: "so the icon is a letter",
    read: (file) => ({ icon: readIcon(file) }),
  },
  {
    variable: "SITE_FONT",
    maxBytes: 200 * 1024,
    accept: "font/woff2",
    instead: "so pages use the usual font",
    read: (file) => ({ font: readFont(file) }),
  },
];

/** The first pages wait for a file no longer than this. */
const PATIENCE_MILLISECONDS = 3_000;
/** The pause before a file at an address is requested again after a failure. */
const RETRY_MILLISECONDS = 10 * 60_000;

/** Creates the branding of a site. Nothing is read before `ready` is called. */
export function createBranding(config: Config, options: BrandingOptions) {
  const { now, startLimit, log } = options;
  let unread = PARTS.flatMap((part): ChosenPart[] => {
    const source = config[part.variable];
    return source === undefined ? [] : [{ ...part, source }];
  });
  /** When the unread parts are read next (epoch milliseconds); Infinity during a read, and when none is left. */
  let nextAt = unread.length === 0 ? Infinity : -Infinity;
  let site = siteOf(config);
  let waiting: Promise<void> | null = null;

  /** Reads a part. Returns whether to read it again later. */
  async function read(part: ChosenPart, isFirst: boolean): Promise<boolean> {
    const { variable, source, instead } = part;
    try {
      const file = await (isAddress(source) ? fetchPart(part, options) : readFile(part));
      site = { ...site, ...part.read(file) };
      return false;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const file = showValue(source) ?? "the file";
      const sentence = `${variable} cannot be used, ${instead}: ${reason} (${file})`;
      if (isFirst) log.warn(sentence, { variable, reason });
      return isAddress(source);
    }
  }

  async function readParts(isFirst: boolean): Promise<void> {
    nextAt = Infinity;
    const isLeft = await Promise.all(unread.map((part) => read(part, isFirst)));
    unread = unread.filter((_, at) => isLeft[at]);
    if (unread.length > 0) nextAt = now() + RETRY_MILLISECONDS;
  }

  return {
    /** The site as it is known now. */
    site: () => site,
    /** Starts a read that is due. Returns the promise that pages wait for during the first read, or null. */
    ready(): Promise<void> | null {
      if (now() < nextAt) return waiting;
      const isFirst = nextAt === -Infinity;
      const reading = readParts(isFirst);
      if (isFirst) {
        waiting = withTimeout(PATIENCE_MILLISECONDS, reading, () => {}, startLimit)
          .finally(() => waiting = null);
      }
      return waiting;
    },
  };
}

function isAddress(source: string): boolean {
  return /^https:\/\//i.test(source);
}

async function fetchPart({ source, accept, maxBytes }: ChosenPart, options: BrandingOptions) {
  const { fetch, resolveName } = options;
  return await fetchFile(source, {
    fetch,
    resolveName,
    trustedOrigins: new Set(),
    accept,
    maxBytes,
  });
}

async function readFile({ source, maxBytes }: ChosenPart): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = new Error(`it is larger than ${maxBytes} bytes`);
  try {
    const file = await Deno.open(source, { read: true });
    return await readBounded(file.readable, maxBytes, () => tooLarge);
  } catch (error) {
    if (error === tooLarge) throw error;
    if (error instanceof Deno.errors.NotFound) throw new Error("there is no such file");
    throw new Error(`the file cannot be read: ${String(error)}`, { cause: error });
  }
}

/** @param path the path of the file on this site. */
function ownFile(path: string, contentType: string, bytes: Uint8Array<ArrayBuffer>): OwnFile {
  const version = digestOf(bytes).slice(0, 7);
  return { contentType, bytes, version, href: `${path}?v=${version}` };
}

/** A logo by its first bytes; its box depends on whether it is wider than twice its height. */
function readLogo(name: string, file: Uint8Array<ArrayBuffer>): SiteLogo {
  const kind = imageKind(file);
  if (kind?.type === "image/png") {
    return { ...ownFile(`/${name}.png`, kind.type, file), isWide: kind.width > 2 * kind.height };
  }
  const [root] = /<svg\b[^>]*>/.exec(new TextDecoder().decode(file)) ?? [];
  if (root === undefined) throw new Error("it is neither SVG nor PNG");
  const box = /\bviewBox\s*=\s*["']([^"']*)/.exec(root)?.[1] ?? "";
  const [, , width = 1, height = 1] = box.trim().split(/[\s,]+/).map(Number);
  return { ...ownFile(`/${name}.svg`, "image/svg+xml", file), isWide: width > 2 * height };
}

function readIcon(file: Uint8Array<ArrayBuffer>): SiteIcon {
  const kind = imageKind(file);
  if (kind?.type !== "image/png") throw new Error("it is not a PNG file");
  const { width, height } = kind;
  if (width !== height || width < MIN_ICON_SIDE) {
    throw new Error(`it must be square, and at least ${MIN_ICON_SIDE} pixels wide`);
  }
  return { ...ownFile("/icon.png", kind.type, file), side: width };
}

function readFont(file: Uint8Array<ArrayBuffer>): OwnFile {
  const signature = String.fromCharCode(...file.subarray(0, 4));
  if (signature !== "wOF2") throw new Error("it is not a font in WOFF2");
  return ownFile("/fonts/site.woff2", "font/woff2", file);
}

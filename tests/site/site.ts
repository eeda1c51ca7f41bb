/** The site for tests: the service at its public door, whose pages are parsed as a browser does. */

import assert from "node:assert/strict";
import { createPictures } from "../../lib/events/pictures/picture_process.ts";
import type { StandInRecord } from "../../lib/sandbox/records.ts";
import type { ServicePlatform } from "../../lib/operate/services.ts";
import { type Foyer, NOON, row, startFoyer } from "../support/foyer.ts";
import { type HtmlElement, parseHtml } from "./html.ts";

export { BASE_URL, NOON, row } from "../support/foyer.ts";

/** Draws the pictures of a test file. */
export const PICTURES = createPictures({
  now: () => NOON,
  log: { warn: (...parts) => assert.fail(Deno.inspect(parts)) },
});

/** Images keep their size unless a test resizes them. */
const drawingsOnly: typeof PICTURES = async (version, job) =>
  job.facts.kind === "image" ? null : await PICTURES(version, job);

/** A page as a browser would see it. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  readonly all: readonly HtmlElement[];
}

/** A site, and the parts that a test controls. */
export interface Site extends Foyer {
  see(path: string): Promise<Seen>;
}

/** Opens a site over some records; `env` adds to its configuration, `platform` to its platform. */
export async function openSite(
  records: readonly StandInRecord[],
  env: Readonly<Record<string, string>> = {},
  platform: Partial<Pick<ServicePlatform, "pictures">> = { pictures: drawingsOnly },
): Promise<Site> {
  const foyer = await startFoyer({ records, env, ...platform });
  const get = foyer.answer;
  return {
    ...foyer,
    get,
    async see(path) {
      const response = await get(path, { headers: { accept: "text/html" } });
      const html = await response.text();
      return { status: response.status, headers: response.headers, html, all: parseHtml(html) };
    },
  };
}

/** What to look at if a path is not there. */
export function adviceFor(path: string): string {
  return path.endsWith(".md") ? ": is its page in TWINS of request_guard.ts?" : "";
}

/** A row of an event of one day, of some (`2026-11-20/2026-11-22`), or without an end (`2026-11-20/`). */
export function eventOn(name: string, days: string, cells: Record<string, unknown> = {}) {
  const [first, last = first] = days.split("/");
  return row({ "Name": name, "Start Date": first, "End Date": last || undefined, ...cells });
}

/** The cells of a whole theme. */
export const THEME_CELLS = {
  "Theme Text": "#ffffff",
  "Theme Accent": "#ffe14d",
  "Theme Logo Size": 72,
  "Theme Button Color": "#ffe14d",
  "Theme Button Text Color": "#2b0a5e",
  "Theme Button Border Radius": 6,
  "Theme Button Border Width": 2,
  "Theme Button Border Color": "#2b0a5e",
} as const;

/** The site for tests: the real app with its image store, over a stand-in store, without a port. */

import assert from "node:assert/strict";
import { Builder } from "fresh/dev";
import { createApp } from "../../app.ts";
import freshConfig from "../../fresh.config.ts";
import { parseConfig } from "../../lib/config.ts";
import { createPictures } from "../../lib/pictures/picture_process.ts";
import { createAirtableStandIn } from "../../lib/sandbox/airtable.ts";
import type { StandInRecord } from "../../lib/sandbox/records.ts";
import { createServices, type Platform } from "../../lib/services.ts";
import { skipPauses } from "../support/held_pauses.ts";
import { type HtmlElement, parseHtml } from "./html.ts";

/** The record store's address, and where the app believes to be. */
const STORE = "http://store.example";
export const BASE_URL = "https://foyer.example";
/** Noon in UTC of the tests' day. */
export const NOON = Date.parse("2026-11-21T12:00:00Z");

const attach = await new Builder(freshConfig).build({ snapshot: "memory" });

/** Makes the pictures of a test file, in one process that several tests share. */
export const PICTURES = createPictures({
  kv: await Deno.openKv(":memory:"),
  now: () => NOON,
  log: { warn: (...parts) => assert.fail(Deno.inspect(parts)) },
});

/** A page as a browser would see it. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  readonly all: readonly HtmlElement[];
}

/** A site, and what a test moves. */
export interface Site extends AsyncDisposable {
  get(path: string, init?: RequestInit): Promise<Response>;
  see(path: string): Promise<Seen>;
  readonly logged: string[];
  clock: { now: number };
}

/** Opens a site over some records; `env` adds to its configuration, `platform` to what comes from outside. */
export async function openSite(
  records: readonly StandInRecord[],
  env: Readonly<Record<string, string>> = {},
  platform: Partial<Pick<Platform, "pictures">> = {},
): Promise<Site> {
  const clock = { now: NOON };
  const logged: string[] = [];
  const log = (...parts: unknown[]) => void logged.push(Deno.inspect(parts));
  const store = createAirtableStandIn({
    records,
    token: "patTest.secret",
    baseId: "appTest",
    table: "Events",
    now: () => clock.now,
    origin: STORE,
    signingSecret: "test",
  });
  const config = parseConfig({
    AIRTABLE_API_URL: STORE,
    AIRTABLE_TOKEN: "patTest.secret",
    AIRTABLE_BASE_ID: "appTest",
    BASE_URL,
    ...env,
  });
  const kv = await Deno.openKv(":memory:");
  const whole = {
    // Images are shown as they are unless a test wants them smaller.
    pictures: { resize: () => Promise.resolve(null), paint: PICTURES.paint },
    ...platform,
    kv,
    analyticsKv: kv,
    openCache: null,
    fetch: (input: string | URL | Request, init?: RequestInit) => store.substitute(input, init),
    now: () => clock.now,
    sleep: skipPauses,
    log: { info: log, warn: log, error: log },
  };
  const services = createServices(config, whole);
  const app = createApp(services);
  await attach(app);
  const answer = app.handler();
  const get = (path: string, init?: RequestInit) => answer(new Request(`${BASE_URL}${path}`, init));
  return {
    get,
    async see(path) {
      const response = await get(path, { headers: { accept: "text/html" } });
      const html = await response.text();
      return { status: response.status, headers: response.headers, html, all: parseHtml(html) };
    },
    logged,
    clock,
    async [Symbol.asyncDispose]() {
      await services.ledger.flush();
      kv.close();
    },
  };
}

let made = 0;

/** A row of the store: a valid event unless `fields` says otherwise. */
export function row(fields: Record<string, unknown> = {}): StandInRecord {
  const id = String(fields["id"] ?? `rec${String(++made).padStart(14, "0")}`);
  const { id: _id, ...cells } = fields;
  return {
    id,
    createdTime: "2026-10-01T08:00:00.000Z",
    fields: {
      "Name": `Event ${id}`,
      "Start Date": "2026-12-01",
      "End Date": "2026-12-02",
      ...cells,
    },
  };
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

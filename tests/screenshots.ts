/**
 * `deno task screenshots`: the pictures of the README, and those of further pages to look at in `.data/screenshots`,
 * taken in the packaged Chromium of `deno task dev`, with its sample events.
 */

import { fileURLToPath } from "node:url";
import type { CDPSession, Page } from "playwright-core";
import { startChromium } from "./support/chromium.ts";
import { startServer } from "../bench/server.ts";

const QUALITY = 70;
const FURTHER_FOLDER = ".data/screenshots";
const LAPTOP = { width: 1440, height: 900 };
const TELEPHONE = { width: 390, height: 844 };
/** A laptop's window at 400 %. */
const ENLARGED = { width: 320, height: 256 };
/** An invented organisation, as the README says. */
const HARBOUR = {
  SITE_NAME: "Harbour Arts",
  SITE_TAGLINE: "Concerts and workshops by the water.",
  SITE_COLOR: "#0a7d5b",
  SITE_LOGO: "lib/sandbox/data/harbour/logo.svg",
  SITE_LINKS: '{"Membership":"https://example.org/membership"}',
};
/** Pages that nobody sees first: what a search finds, other views, and what is beside the events. */
const FURTHER = {
  none: "/?q=nothing+has+these+words",
  one: "/?q=symfonycon",
  few: "/?q=rust&status=upcoming,ended",
  many: "/?format=online",
  list: "/?view=list",
  past: "/?status=ended",
  event: "/events/react-day-berlin",
  follow: "/follow",
  account: "/account",
  documents: "/docs",
  status: "/status",
  missing: "/events/there-is-no-such-event",
} as const;
/** Tables that no sample shows: an empty one, and one of 600 current events, the first of which have unusual names. */
const UNUSUAL = [
  "An evening whose name says all that there is to say about an evening, and more. ".repeat(3)
    .trim(),
  "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
  "ملتقى البرمجة في القاهرة",
  "כנס המפתחים השנתי",
];
const TABLES = {
  empty: [],
  many: Array.from({ length: 600 }, (_, at) => {
    const day = dayAfter(at in UNUSUAL ? 0 : at % 30);
    const name = UNUSUAL[at] ?? `Evening ${at}`;
    return { id: `recMany${String(at).padStart(10, "0")}`, name, startDate: day, endDate: day };
  }),
};
/** The home page at four sizes and once dark, the reference, and the desk; then the further pages. */
const SITES: readonly Site[] = [
  {
    env: HARBOUR,
    shots: {
      home: { path: "/", viewport: LAPTOP },
      "home-dark": { path: "/", viewport: LAPTOP, colorScheme: "dark" },
      "home-tablet": { path: "/", viewport: { width: 1024, height: 768 } },
      "home-telephone": { path: "/", viewport: TELEPHONE },
      "home-small": { path: "/", viewport: { width: 320, height: 640 } },
    },
  },
  { env: {}, shots: { reference: { path: "/api/v1/docs#get-api-v1-events", viewport: LAPTOP } } },
  { env: {}, shots: { desk: { path: "/desk", viewport: LAPTOP, operator: "Olga" } } },
  { env: HARBOUR, folder: FURTHER_FOLDER, shots: furtherShots() },
  ...Object.entries(TABLES).map(([name, events]) => ({
    env: { ...HARBOUR, EVENTS_FILE: writeTable(events) },
    folder: FURTHER_FOLDER,
    shots: lookedAt(`table-${name}`, "/"),
  })),
];

await using browser = await startChromium();
for (const { env, shots, folder: name = "screenshots" } of SITES) {
  const folder = fileURLToPath(new URL(`../${name}`, import.meta.url));
  await Deno.mkdir(folder, { recursive: true });
  await using foyer = await startServer(() => ["dev.ts"], {
    env: (port) => ({ PORT: String(port), HOST: "127.0.0.1", KV_PATH: ":memory:", ...env }),
    isQuiet: true,
  });
  for (const [name, { path, operator, isPrinted, ...look }] of Object.entries(shots)) {
    const page = await browser.newPage(look);
    if (operator !== undefined) await signIn(page, foyer.origin, operator);
    const origin = operator === undefined ? foyer.origin : new URL(page.url()).origin;
    await page.goto(`${origin}${path}`, { waitUntil: "networkidle" });
    if (isPrinted) await page.emulateMedia({ media: "print" });
    const session = await page.context().newCDPSession(page);
    await Deno.writeFile(`${folder}/${name}.webp`, await takePicture(session));
  }
}

/** A site of `dev`, and the pages that are looked at. */
interface Site {
  readonly env: Readonly<Record<string, string>>;
  /** Unless they are for the README. */
  readonly folder?: string;
  readonly shots: Readonly<Record<string, Shot>>;
}

/** A page, and how it is looked at. */
interface Shot {
  readonly path: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme?: "dark";
  /** The stand-in's person who signs in first. */
  readonly operator?: string;
  /** Whether it is shown as on paper. */
  readonly isPrinted?: boolean;
}

/** Each further page on a laptop, on a telephone and in the dark; some at 400 %, and printed. */
function furtherShots(): Record<string, Shot> {
  const shots = Object.entries(FURTHER).flatMap(([name, path]) =>
    Object.entries(lookedAt(name, path))
  );
  const others = [["home", "/"], ["event", FURTHER.event]].flatMap((
    [name = "", path = ""],
  ): [string, Shot][] => [
    [`${name}-enlarged`, { path, viewport: ENLARGED }],
    [`${name}-printed`, { path, viewport: { width: 720, height: 1000 }, isPrinted: true }],
  ]);
  return Object.fromEntries([...shots, ...others]);
}

/** A page on a laptop, on a telephone and in the dark. */
function lookedAt(name: string, path: string): Record<string, Shot> {
  return {
    [name]: { path, viewport: LAPTOP },
    [`${name}-telephone`]: { path, viewport: TELEPHONE },
    [`${name}-dark`]: { path, viewport: TELEPHONE, colorScheme: "dark" },
  };
}

/** A day after today: `YYYY-MM-DD`. */
function dayAfter(days: number): string {
  return new Date(Date.now() + (1 + days) * 86_400_000).toISOString().slice(0, 10);
}

/** Writes a table as a file of events; returns its path. */
function writeTable(events: readonly unknown[]): string {
  const path = Deno.makeTempFileSync({ suffix: ".json" });
  Deno.writeTextFileSync(path, JSON.stringify(events));
  return path;
}

/** Signs in, and sends requests with a key, so that the desk has something to show. */
async function signIn(page: Page, origin: string, person: string): Promise<void> {
  // The identity provider sends browsers back to BASE_URL.
  await page.goto(`${origin.replace("127.0.0.1", "localhost")}/account/sign-in`);
  await page.getByRole("button", { name: person }).click();
  await page.getByLabel("Name").first().fill("laptop");
  await page.getByRole("button", { name: "Create a key" }).click();
  const [key] = /foyer_\w{51}/.exec(await page.locator("main").innerText()) ?? [];
  for (const query of ["tides", "bread", "", "solder"]) {
    const headers = { "authorization": `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify(query === "" ? {} : { query });
    const init = { method: "POST", headers, body };
    await (await fetch(`${origin}/proxy/v1/websearch/search`, init)).bytes();
  }
}

/** Playwright itself writes PNG and JPEG only; WebP is a third of their size. */
async function takePicture(session: CDPSession): Promise<Uint8Array> {
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality: QUALITY,
  });
  return Uint8Array.fromBase64(data);
}

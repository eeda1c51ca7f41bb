/**
 * The events and their cards as a browser holds them, so that a filter need not ask for what has come before.
 * The list is the API's, and which events fit is found by the function that the server finds them by; cards
 * are the server's own elements. What is not at hand, or too old, is left to the server. Runs in browsers.
 */

import type { Event } from "../events/mod.ts";
import {
  buildProgramme,
  isSmall,
  pageOf,
  type Programme,
  type ProgrammePage,
} from "./programme.ts";
import { EVERYTHING, type Selection, selectionHref } from "./programme_query.ts";
import { MAX_LAG_MILLISECONDS } from "../events/browser.ts";

/** The whole list in the order that the server's own begins with. */
const LIST = "/api/v1/events?sort=startDate&order=asc";
/** The pages that show each event's poster, and the small card of each that is over. */
const SHELVES: readonly Selection[] = [
  { ...EVERYTHING, sort: "startDate" },
  { ...EVERYTHING, statuses: ["ended"] },
];
/** Above this the stock costs more bytes than asking the server for each filter. */
const MAX_EVENTS = 2_000;
/** How long to wait for an idle moment: whoever reaches for the filters may be about to use them. */
const IDLE_MILLISECONDS = 100;
/** After an attempt to fill the stock nothing is tried for so long. */
const PAUSE_MILLISECONDS = 30_000;

/** What answers a selection; the cards are those of the page's groups, group by group. */
export interface Arranged {
  readonly programme: Programme;
  readonly page: ProgrammePage;
  readonly cards: readonly (readonly Element[])[];
}

/** Events and cards at hand. */
interface Stock {
  /** Takes in the cards that are under a node. */
  keep(root: ParentNode): void;
  /** Fetches what is missing or too old, while nothing else is to be done; false if nothing had to be. */
  fill(): Promise<boolean>;
  /** The answer to a selection; null if it is not at hand. */
  arrange(selection: Selection): Arranged | null;
}

/**
 * Makes a stock that ends with a signal.
 *
 * @param total how many events there are.
 * @param takeLooks told of the rules that the cards of a document are coloured by.
 */
export function createStock(
  total: number,
  takeLooks: (document: Document) => void,
  signal: AbortSignal,
): Stock {
  const cards = new Map<string, Element>();
  let events: readonly Event[] = [];
  // By `Date.now()`, since `performance.now()` stands still while a computer sleeps.
  let goodUntil = 0;
  let nextTryAt = 0;

  function keep(root: ParentNode, isNewer = true): void {
    for (const card of root.querySelectorAll("li:is(.card, .past)")) {
      const href = card.querySelector("h3 a")?.getAttribute("href");
      const name = cardName(card.classList.contains("past"), href ?? "");
      if (isNewer || !cards.has(name)) cards.set(name, card);
    }
  }

  async function fetchAll(): Promise<void> {
    const startedAt = Date.now();
    const response = await fetch(LIST, { cache: "no-cache", priority: "low", signal });
    if (!response.ok) return;
    const { data } = await response.json() as { data: readonly Event[] };
    const isOld = events.length > 0 || startedAt > performance.timeOrigin + MAX_LAG_MILLISECONDS;
    const version = response.headers.get("etag") ?? "";
    for (const shelf of SHELVES) {
      for (let href: string | null = selectionHref(shelf); href !== null;) {
        await idle();
        const part = await askForPart(href, signal, version);
        if (part === null) return;
        // Cards that came with a recent page are as good, and have their images already.
        keep(part.document, isOld);
        takeLooks(part.document);
        href = part.document.querySelector("a[rel=next]")?.getAttribute("href") ?? null;
      }
    }
    events = data;
    goodUntil = startedAt + 1_000 * maxAgeSeconds(response);
    await idle();
    // Looks for words once, so that their texts are made ready for it.
    buildProgramme(events, { ...EVERYTHING, text: "a" });
  }

  return {
    keep,
    async fill() {
      const now = Date.now();
      if (total > MAX_EVENTS || savesData() || now < goodUntil || now < nextTryAt) return false;
      nextTryAt = now + PAUSE_MILLISECONDS;
      await idle();
      // Until it succeeds, whatever is wanted is asked of the server, which says what is wrong.
      await fetchAll().catch(() => {});
      return true;
    },
    arrange(selection) {
      if (Date.now() >= goodUntil) return null;
      const programme = buildProgramme(events, selection);
      const page = pageOf(programme, selection.from);
      const found = page.groups.map((group) =>
        group.events.map(({ slug }) => cards.get(cardName(isSmall(group), `/events/${slug}`)))
      );
      const isWhole = (list: (Element | undefined)[]): list is Element[] =>
        !list.includes(undefined);
      return found.every(isWhole) ? { programme, page, cards: found } : null;
    },
  };
}

/** What a page shows, without the page around it. */
export interface Part {
  readonly document: Document;
  /** How many events fit. */
  readonly count: number;
}

/**
 * What the server shows at an address, without the page around it; null if it does not answer so.
 *
 * @param version makes browsers keep one answer for each.
 */
export function askForPart(
  href: string,
  signal: AbortSignal,
  version = "",
): Promise<Part | null> {
  return new Promise((resolve) => {
    const asked = new XMLHttpRequest();
    // The one parser of documents that Trusted Types leave alone: what it makes never runs.
    asked.responseType = "document";
    const part = `part${version === "" ? "" : `=${encodeURIComponent(version)}`}`;
    asked.open("GET", `${href}${href.includes("?") ? "&" : "?"}${part}`);
    const stop = () => asked.abort();
    signal.addEventListener("abort", stop);
    // Comes after success, failure and abort alike.
    asked.onloadend = () => {
      signal.removeEventListener("abort", stop);
      const document = asked.status === 200 ? asked.responseXML : null;
      const count = document?.querySelector<HTMLMetaElement>("meta[name=count]")?.content;
      resolve(document && count !== undefined ? { document, count: Number(count) } : null);
    };
    asked.send();
  });
}

function cardName(isSmall: boolean, href: string): string {
  return `${isSmall ? "small" : "poster"} ${href}`;
}

function maxAgeSeconds({ headers }: Response): number {
  return Number(/max-age=(\d+)/.exec(headers.get("cache-control") ?? "")?.[1] ?? 0);
}

/** Whether the visitor asked for few bytes. */
function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData ?? false;
}

/** A moment in which the browser has nothing else to do, if one comes soon. */
function idle(): Promise<void> {
  return new Promise((resolve) => {
    if (!("requestIdleCallback" in globalThis)) setTimeout(resolve, IDLE_MILLISECONDS);
    else requestIdleCallback(() => resolve(), { timeout: IDLE_MILLISECONDS });
  });
}

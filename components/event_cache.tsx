/**
 * A cache of the events and their cards in the browser, so that a filter needs no request. The list comes from the
 * API, the cards are the server's own elements, and the server's own function selects the events. A selection that
 * is missing or stale is requested from the server.
 */

import { render } from "preact";
import type { Event } from "../lib/events/mod.ts";
import { MAX_LAG_MILLISECONDS } from "../lib/events/browser.ts";
import { buildProgramme } from "../lib/site/browser_later.ts";
import { EVERYTHING, type Programme, type Selection, selectionHref } from "../lib/site/browser.ts";
import { fetchPart } from "./fetch_part.ts";
import { Wall } from "./Wall.tsx";

/** The whole list, in the order in which the server's `buildProgramme` gets it. */
const LIST = "/api/v1/events?sort=startDate&order=asc";
/** Together, the pages of these selections have every element of every event. */
const SELECTIONS: readonly Selection[] = [
  // The strip, then lines and posters of upcoming events, and lines and small cards of past ones.
  EVERYTHING,
  { ...EVERYTHING, sort: "name" },
  { ...EVERYTHING, sort: "name", view: "cards" },
  { ...EVERYTHING, statuses: ["ended"] },
  { ...EVERYTHING, statuses: ["ended"], view: "cards" },
];
/** The selector of an event's element, by the kind of its group. */
const ELEMENTS = { strip: ".strip-tile", poster: ".card", row: ".line", small: ".past" } as const;
/** Above this the cache costs more bytes than a request for each filter. */
const MAX_EVENTS = 2_000;
/** The longest wait for an idle moment. It is short, because the visitor is about to use the filters. */
const IDLE_MILLISECONDS = 100;
/** The pause between two attempts to fill the cache. */
const PAUSE_MILLISECONDS = 30_000;

/** A cache as {@linkcode createEventCache} makes it. */
export type EventCache = ReturnType<typeof createEventCache>;

/**
 * Creates a cache; `signal` aborts its requests.
 *
 * @param total the number of all events.
 * @param adoptLooks adds the rules that colour the cards of a document to the page.
 */
export function createEventCache(
  total: number,
  adoptLooks: (document: Document) => void,
  signal: AbortSignal,
) {
  const cards = new Map<string, Element>();
  let events: readonly Event[] = [];
  // `Date.now()`, since `performance.now()` stops while a computer sleeps.
  let goodUntil = 0;
  let nextTryAt = 0;

  /** Adds the cards below a node. */
  function addCards(root: ParentNode, isNewer = true): void {
    for (const [kind, selector] of Object.entries(ELEMENTS)) {
      for (const card of root.querySelectorAll(`li${selector}`)) {
        const name = cardName(kind, card.querySelector("h3 a")?.getAttribute("href") ?? "");
        if (isNewer || !cards.has(name)) cards.set(name, card);
      }
    }
  }

  async function fetchAll(): Promise<void> {
    const startedAt = Date.now();
    const response = await fetch(LIST, { cache: "no-cache", priority: "low", signal });
    if (!response.ok) return;
    const { data } = await response.json() as { data: readonly Event[] };
    const isOld = events.length > 0 || startedAt > performance.timeOrigin + MAX_LAG_MILLISECONDS;
    const version = response.headers.get("etag") ?? "";
    for (const selection of SELECTIONS) {
      for (let href: string | null = selectionHref(selection); href !== null;) {
        await idle();
        const part = await fetchPart(href, signal, version);
        if (part === null) return;
        // A recent page's own cards are kept: they are current, and their images are loaded.
        addCards(part.document, isOld);
        adoptLooks(part.document);
        href = part.document.querySelector("a[rel=next]")?.getAttribute("href") ?? null;
      }
    }
    events = data;
    goodUntil = startedAt + 1_000 * maxAgeSeconds(response);
    await idle();
    // A first search prepares the events' texts for the next ones.
    buildProgramme(events, { ...EVERYTHING, text: "a" });
  }

  return {
    addCards,
    /** Fetches what is missing or stale while the browser is idle; false if nothing is. */
    async fill(): Promise<boolean> {
      const now = Date.now();
      if (total > MAX_EVENTS || savesData() || now < goodUntil || now < nextTryAt) return false;
      nextTryAt = now + PAUSE_MILLISECONDS;
      await idle();
      // Until an attempt succeeds, each selection is requested from the server, which reports the error.
      await fetchAll().catch(() => {});
      return true;
    },
    /**
     * The page of a selection, and a function that makes its elements below the filters; each card moves there from
     * where it is. Null if the cache lacks any of it.
     */
    get(selection: Selection) {
      if (Date.now() >= goodUntil) return null;
      const programme = buildProgramme(events, selection);
      const found = programme.groups.map((group) =>
        group.events.map(({ slug }) => cards.get(cardName(group.kind, `/events/${slug}`)))
      );
      const isWhole = (list: (Element | undefined)[]): list is Element[] =>
        !list.includes(undefined);
      if (!found.every(isWhole)) return null;
      return { programme, build: () => buildWall(programme, selection, found) };
    },
  };
}

function buildWall(
  programme: Programme,
  selection: Selection,
  cards: readonly (readonly Element[])[],
): Iterable<Element> {
  const wall = document.createElement("main");
  render(
    <Wall
      programme={programme}
      selection={selection}
      fillList={(group, list) => list.append(...cards[programme.groups.indexOf(group)] ?? [])}
    />,
    wall,
  );
  return wall.children;
}

function cardName(kind: string, href: string): string {
  return `${kind} ${href}`;
}

function maxAgeSeconds({ headers }: Response): number {
  return Number(/max-age=(\d+)/.exec(headers.get("cache-control") ?? "")?.[1] ?? 0);
}

/** Whether the visitor asked the browser to save data. */
function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData ?? false;
}

/** Waits for a moment in which the browser is idle, if one comes soon. */
function idle(): Promise<void> {
  return new Promise((resolve) => {
    if (!("requestIdleCallback" in globalThis)) setTimeout(resolve, IDLE_MILLISECONDS);
    else requestIdleCallback(() => resolve(), { timeout: IDLE_MILLISECONDS });
  });
}

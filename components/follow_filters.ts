/**
 * The filters with a script: they rearrange the cards at once if the browser has them, and otherwise fetch the
 * part of the page that differs. If that fails, the browser loads the page.
 */

import type { Dispatch, StateUpdater } from "preact/hooks";
import {
  type Counts,
  EVERYTHING,
  pageTitle,
  parseSelection,
  type Programme,
  type Selection,
  selectionHref,
} from "../lib/site/browser.ts";
import type { EventCache } from "./event_cache.tsx";
import { fetchPart } from "./fetch_part.ts";

/** The pause after which typing counts as done: the server is asked, the address set, the count announced. */
const TYPING_MILLISECONDS = 200;

/** The selection, and how many events match it. */
export interface Shown extends Counts {
  readonly selection: Selection;
  /** Whether the count is about to change, while the visitor types or a response is awaited. */
  readonly isPending: boolean;
}

/** Handles the filters; returns a function that stops doing so. */
export function followFilters(
  filters: HTMLElement,
  { total, siteName }: { readonly total: number; readonly siteName: string },
  setShown: Dispatch<StateUpdater<Shown>>,
): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let cache: EventCache | null = null;
  const field = filters.querySelector<HTMLInputElement>("[name=q]");
  const days = filters.querySelectorAll<HTMLInputElement>("[type=date]");
  let selection = parseSelection(location.search);
  /** The address of the shown selection. The location follows it when the visitor stops typing. */
  let shown = location.pathname + location.search;
  let asking = new AbortController();
  let typing: ReturnType<typeof setTimeout> | undefined;

  /** Replaces everything that follows the filters, and the words above them. */
  function put(
    { title, greeting }: Pick<Programme, "title" | "greeting">,
    groups: Iterable<Element>,
  ): void {
    for (const [selector, text] of [["h1", title], [".lede", greeting]] as const) {
      const element = document.querySelector(`.hello ${selector}`);
      if (element !== null) element.textContent = text;
    }
    document.title = pageTitle(title, siteName);
    while (filters.nextElementSibling !== null) filters.nextElementSibling.remove();
    filters.parentElement?.append(...groups);
  }

  /** Shows an address, and records it in the history as `remember` says. */
  async function show(href: string, remember: "pushState" | "replaceState" | null): Promise<void> {
    stopWaiting();
    const wanted = selectionOf(href);
    if (field !== null && textOf(field) !== wanted.text) field.value = wanted.text;
    for (const day of days) {
      const value = wanted[day.name as "from" | "to"] ?? "";
      if (day.value !== value) day.value = value;
    }
    const cached = cache?.get(wanted) ?? null;
    if (cached === null) {
      // The next choice builds on this one, however late its response comes.
      selection = wanted;
      setShown((shown) => ({ ...shown, selection, isPending: true }));
      const { signal } = asking = new AbortController();
      const part = await fetchPart(href, signal);
      if (signal.aborted) return;
      if (part === null) return location.assign(href);
      cache?.addCards(part.document);
      adoptLooks(part.document);
      const [title = "", greeting = ""] = ["h1", ".lede"].map((selector) =>
        part.document.querySelector(selector)?.textContent ?? undefined
      );
      put({ title, greeting }, part.document.querySelectorAll("main > *"));
      report(wanted, part, false);
      void fill();
    } else {
      put(cached.programme, cached.build());
      report(wanted, cached.programme, false);
    }
    if (remember !== null) history[remember](null, "", href);
    shown = href;
  }

  /** Shows the events that match the typed text: at once if the cache has them, else when the typing stops. */
  function showTyped(): void {
    stopWaiting();
    const href = typedHref();
    const wanted = selectionOf(href);
    const cached = cache?.get(wanted) ?? null;
    if (cached === null) {
      typing = setTimeout(() => void show(href, "replaceState"), TYPING_MILLISECONDS);
      return;
    }
    put(cached.programme, cached.build());
    report(wanted, cached.programme, true);
    typing = setTimeout(() => {
      report(wanted, cached.programme, false);
      history.replaceState(null, "", href);
      shown = href;
    }, TYPING_MILLISECONDS);
  }

  function report(wanted: Selection, { count, past }: Counts, isPending: boolean): void {
    selection = wanted;
    setShown({ selection, count, past, isPending });
    document.dispatchEvent(new Event("foyer:shown"));
  }

  /** Loads the cache and fills it, then marks the filters; tests wait for the mark. */
  async function fill(): Promise<void> {
    // Without its code, each selection is requested from the server.
    const module = await import("./event_cache.tsx").catch(() => null);
    if (module === null) return;
    if (cache === null) {
      cache = module.createEventCache(total, adoptLooks, signal);
      cache.addCards(document);
    }
    if (!await cache.fill()) return;
    filters.toggleAttribute("data-cached", cache.get(selection) !== null);
  }

  function stopWaiting(): void {
    clearTimeout(typing);
    asking.abort();
  }

  /** The address of the form, or of a filter's link with the typed text, which may be newer than the link's. */
  function hrefOf(field: HTMLInputElement | null, rest: Selection = selection): string {
    return selectionHref({ ...rest, text: field === null ? "" : textOf(field), skip: 0 });
  }

  /** The address of the form: its text and its days. */
  function typedHref(): string {
    const typed = [...days].map(({ name, value }) => [name, value || null]);
    const href = hrefOf(field, { ...selection, ...Object.fromEntries(typed) });
    // Days in the wrong order are not part of any address.
    return selectionHref(selectionOf(href));
  }

  filters.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const isOwn = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    // A link to another page is not a filter.
    if (link === null || !isOwn || link.pathname !== location.pathname) return;
    event.preventDefault();
    const isReset = link.classList.contains("reset");
    // This link disappears, and would take the focus with it.
    if (isReset) field?.focus();
    void show(
      isReset ? selectionHref(EVERYTHING) : hrefOf(field, selectionOf(link.href)),
      "pushState",
    );
  }, { signal });
  filters.addEventListener("submit", (event) => {
    event.preventDefault();
    const href = typedHref();
    void show(href, href === shown ? "replaceState" : "pushState");
  }, { signal });
  filters.addEventListener("input", showTyped, { signal });
  // Most visitors never filter, so nothing is fetched before they reach for the filters.
  for (const interest of ["pointerover", "focusin"]) {
    filters.addEventListener(interest, fill, { signal });
  }
  addEventListener("popstate", () => {
    const address = location.pathname + location.search;
    if (address !== shown) void show(address, null);
  }, { signal });
  // A request that navigation aborts must not reload this page.
  addEventListener("pagehide", stopWaiting, { signal });
  // The runtime may have claimed this entry of the history, and would reload the page on the way back to it.
  history.replaceState(null, "");
  // The visitor may have reached for the filters before the script ran.
  if (filters.matches(":hover, :focus-within")) void fill();
  return () => ending.abort();
}

function selectionOf(href: string): Selection {
  return parseSelection(new URL(href, location.href).search);
}

/** The typed text as an address has it. */
function textOf({ name, value }: HTMLInputElement): string {
  return parseSelection(String(new URLSearchParams([[name, value]]))).text;
}

/** Adds the looks of events that were not on the page; its policy allows style sheets that its own script makes. */
function adoptLooks(part: Document): void {
  const rules = part.querySelector<HTMLMetaElement>("meta[name=looks]")?.content ?? "";
  for (const rule of rules.split(/(?<=\})/)) {
    if (adopted.has(rule)) continue;
    adopted.add(rule);
    if (looks === null) document.adoptedStyleSheets.push(looks = new CSSStyleSheet());
    looks.insertRule(rule);
  }
}

let looks: CSSStyleSheet | null = null;
const adopted = new Set<string>([""]);

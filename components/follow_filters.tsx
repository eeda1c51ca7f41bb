/**
 * What the filters do with a script: they rearrange the cards at once where these are at hand, and else fetch
 * what differs in the answer; whatever fails is left to the browser, which then loads the page.
 */

import { render } from "preact";
import type { Dispatch, StateUpdater } from "preact/hooks";
import {
  type Arranged,
  askForPart,
  createStock,
  EVERYTHING,
  greetingOf,
  PARAMETERS,
  parseSelection,
  type Selection,
  selectionHref,
} from "../lib/site/browser.ts";
import { Wall } from "./Wall.tsx";

/** After so long without a letter the typing counts as done: the server is asked, the address set, the count read out. */
const TYPING_MILLISECONDS = 200;

/** What is chosen, and how many events are left. */
export interface Shown {
  readonly selection: Selection;
  readonly count: number;
  /** Whether the count is about to change: somebody types, or the answer is on its way. */
  readonly isPending: boolean;
}

/** Takes the filters over; returns the function that leaves them to the browser again. */
export function followFilters(
  filters: HTMLElement,
  total: number,
  setShown: Dispatch<StateUpdater<Shown>>,
): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const stock = createStock(total, adoptLooks, signal);
  const field = filters.querySelector<HTMLInputElement>(`[name=${PARAMETERS.text}]`);
  let selection = parseSelection(location.search);
  /** The address of what is shown, which the location follows when somebody stops typing. */
  let shown = location.pathname + location.search;
  let asking = new AbortController();
  let typing: ReturnType<typeof setTimeout> | undefined;

  /** Shows an address. `remember` says how: as a new step, in place of this one, or not at all. */
  async function show(href: string, remember: "pushState" | "replaceState" | null): Promise<void> {
    stopWaiting();
    const wanted = selectionOf(href);
    // The field says what is asked for; while somebody types, it does so already.
    if (field !== null && textOf(field) !== wanted.text) field.value = wanted.text;
    const arranged = stock.arrange(wanted);
    if (arranged === null) {
      // The next choice is made on top of this one, however late its answer comes.
      selection = wanted;
      setShown(({ count }) => ({ selection, count, isPending: true }));
      const { signal } = asking = new AbortController();
      const part = await askForPart(href, signal);
      if (signal.aborted) return;
      if (part === null) return location.assign(href);
      stock.keep(part.document);
      putPart(filters, part.document);
      tell(wanted, part.count, false);
      void fill();
    } else {
      putArranged(filters, arranged, wanted);
      tell(wanted, arranged.programme.count, false);
    }
    if (remember !== null) history[remember](null, "", href);
    shown = href;
  }

  /** Shows what was typed until now: at once where it is at hand, else when the typing stops. */
  function showTyped(): void {
    stopWaiting();
    const href = hrefOf(field);
    const wanted = selectionOf(href);
    const arranged = stock.arrange(wanted);
    if (arranged === null) {
      typing = setTimeout(() => void show(href, "replaceState"), TYPING_MILLISECONDS);
      return;
    }
    const { count } = arranged.programme;
    putArranged(filters, arranged, wanted);
    tell(wanted, count, true);
    typing = setTimeout(() => {
      tell(wanted, count, false);
      history.replaceState(null, "", href);
      shown = href;
    }, TYPING_MILLISECONDS);
  }

  function tell(wanted: Selection, count: number, isPending: boolean): void {
    selection = wanted;
    setShown({ selection, count, isPending });
    document.dispatchEvent(new Event("foyer:shown"));
  }

  /** Fetches what is not at hand; whoever waits for that sees it at the filters. */
  async function fill(): Promise<void> {
    if (!await stock.fill()) return;
    filters.toggleAttribute("data-at-hand", stock.arrange(selection) !== null);
  }

  function stopWaiting(): void {
    clearTimeout(typing);
    asking.abort();
  }

  /** Where the form leads; or a link of the filters, whose words may be older than those in the field. */
  function hrefOf(field: HTMLInputElement | null, rest: Selection = selection): string {
    return selectionHref({ ...rest, text: field === null ? "" : textOf(field), from: 0 });
  }

  filters.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const isOwn = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    // A link that leads to another program, such as a calendar, is no filter.
    if (link === null || !isOwn || link.origin !== location.origin) return;
    event.preventDefault();
    const isWayOut = link.classList.contains("reset");
    // This link disappears, and the focus with it.
    if (isWayOut) field?.focus();
    void show(
      isWayOut ? selectionHref(EVERYTHING) : hrefOf(field, selectionOf(link.href)),
      "pushState",
    );
  }, { signal });
  filters.addEventListener("submit", (event) => {
    event.preventDefault();
    const href = hrefOf(field);
    void show(href, href === shown ? "replaceState" : "pushState");
  }, { signal });
  filters.addEventListener("input", showTyped, { signal });
  // Most visitors never filter: nothing is fetched for them.
  for (const interest of ["pointerover", "focusin"]) {
    filters.addEventListener(interest, fill, { signal });
  }
  addEventListener("popstate", () => {
    const address = location.pathname + location.search;
    // A step within the page changes nothing.
    if (address !== shown) void show(address, null);
  }, { signal });
  // A request that is cut off by leaving must not lead back from where the visitor goes.
  addEventListener("pagehide", stopWaiting, { signal });
  stock.keep(document);
  // The visitor may have reached for the filters before the script was here.
  if (filters.matches(":hover, :focus-within")) void fill();
  return () => ending.abort();
}

function selectionOf(href: string): Selection {
  return parseSelection(new URL(href, location.href).search);
}

/** What is typed, as an address would have it. */
function textOf({ name, value }: HTMLInputElement): string {
  return parseSelection(String(new URLSearchParams([[name, value]]))).text;
}

/** Shows what the server has answered. */
function putPart(filters: HTMLElement, part: Document): void {
  adoptLooks(part);
  put(filters, part.querySelector(".lede")?.textContent ?? "", part.querySelectorAll("main > *"));
}

/** Shows cards that were at hand. */
function putArranged(
  filters: HTMLElement,
  { programme, page, cards }: Arranged,
  selection: Selection,
): void {
  const wall = document.createElement("main");
  render(
    <Wall
      programme={programme}
      page={page}
      selection={selection}
      hang={(group, list) => list.append(...cards[page.groups.indexOf(group)] ?? [])}
    />,
    wall,
  );
  put(filters, greetingOf(programme, selection), wall.children);
}

/** Replaces everything that follows the filters. */
function put(filters: HTMLElement, greeting: string, groups: Iterable<Element>): void {
  const lede = document.querySelector(".lede");
  if (lede !== null) lede.textContent = greeting;
  while (filters.nextElementSibling !== null) filters.nextElementSibling.remove();
  filters.parentElement?.append(...groups);
}

/** The rules of events that were not on the page; its policy allows what a script of its own makes. */
function adoptLooks(part: Document): void {
  const rules = part.querySelector<HTMLMetaElement>("meta[name=looks]")?.content ?? "";
  for (const rule of rules.split(/(?<=\})/)) {
    if (adopted.has(rule)) continue;
    adopted.add(rule);
    looks ??= adoptSheet();
    looks.insertRule(rule);
  }
}

let looks: CSSStyleSheet | null = null;
const adopted = new Set<string>([""]);

function adoptSheet(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  return sheet;
}

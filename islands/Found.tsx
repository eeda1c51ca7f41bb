/**
 * How many events are left; and filters that need no reload. A link or the form of the filters fetches the
 * same address that it leads to, and what differs in the answer takes its place on the page: the server
 * alone knows what a filter means. Whatever fails is left to the browser, which then loads the page.
 */

import { useEffect, useState } from "preact/hooks";

/** The parameter of the words, and the name of their field. */
const TEXT = "q";
/** Whoever types is not interrupted at every letter. */
const TYPING_MILLISECONDS = 200;

/** The number; `count` is the server's, and each answer brings the next one. */
export default function Found({ count }: { count: number }) {
  const [shown, setShown] = useState(count);
  useEffect(() => {
    const filters = document.querySelector<HTMLElement>(".filters");
    return filters === null ? undefined : followFilters(filters, setShown);
  }, []);
  return (
    <p class="count" role="status">
      <strong>{shown}</strong> {shown === 1 ? "event" : "events"}
    </p>
  );
}

/** Takes the filters over; gives the way to leave them to the browser again. */
function followFilters(filters: HTMLElement, setShown: (count: number) => void): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let request: XMLHttpRequest | null = null;
  let typing: ReturnType<typeof setTimeout> | undefined;
  const field = filters.querySelector<HTMLInputElement>(`[name=${TEXT}]`);
  const address = () => location.pathname + location.search;
  let shown = address();

  /** Shows an address. `remember` says how: as a new step, in place of this one, or not at all. */
  function show(href: string, remember: "pushState" | "replaceState" | null): void {
    clearTimeout(typing);
    request?.abort();
    // The field says what is asked for; while somebody types, it does so already.
    const text = new URL(href, location.href).searchParams.get(TEXT) ?? "";
    if (field !== null && field.value.trim() !== text.trim()) field.value = text;
    const asked = request = new XMLHttpRequest();
    // The one parser of documents that Trusted Types leave alone: what it makes never runs.
    asked.responseType = "document";
    asked.open("GET", `${href}${href.includes("?") ? "&" : "?"}part`);
    asked.onload = () => {
      const answer = asked.status === 200 ? asked.responseXML : null;
      if (answer === null || !replaceProgramme(filters, answer)) return location.assign(href);
      if (remember !== null) history[remember](null, "", href);
      shown = address();
      setShown(Number(answer.querySelector(".count strong")?.textContent));
      document.dispatchEvent(new Event("foyer:shown"));
    };
    asked.onerror = () => location.assign(href);
    asked.send();
  }

  filters.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const isOwn = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    // What leads to another program is none of the filters.
    if (link === null || !isOwn || link.origin !== location.origin) return;
    event.preventDefault();
    const isWayOut = link.classList.contains("reset");
    show(isWayOut ? link.href : withText(link.href, field?.value ?? ""), "pushState");
  }, { signal });
  filters.addEventListener("submit", (event) => {
    event.preventDefault();
    const href = formHref(filters);
    show(href, href === shown ? "replaceState" : "pushState");
  }, { signal });
  filters.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => show(formHref(filters), "replaceState"), TYPING_MILLISECONDS);
  }, { signal });
  addEventListener("popstate", () => {
    // A step within the page changes nothing.
    if (address() === shown) return;
    show(address(), null);
  }, { signal });
  // A request that is cut off by leaving must not lead back from where the visitor goes.
  addEventListener("pagehide", () => request?.abort(), { signal });
  return () => ending.abort();
}

/** Where the form leads. */
function formHref(filters: HTMLElement): string {
  return hrefOf([...filters.querySelectorAll("input")].map(({ name, value }) => [name, value]));
}

/** Where a filter leads with words that the page it stands on may not know yet. */
function withText(href: string, text: string): string {
  const rest = [...new URL(href).searchParams].filter(([name]) => name !== TEXT);
  return hrefOf([[TEXT, text], ...rest]);
}

function hrefOf(pairs: string[][]): string {
  const query = new URLSearchParams(pairs.filter(([, value = ""]) => value.trim() !== ""));
  return query.size === 0 ? "/" : `/?${query}`.replaceAll("%2C", ",");
}

/** Puts in what the answer has; false if it is not the page that was expected. */
function replaceProgramme(filters: HTMLElement, answer: Document): boolean {
  const found = answer.querySelector(".filters");
  if (found === null) return false;
  const focused = links(filters).findIndex((link) => link === document.activeElement);
  adoptLooks(answer.querySelector<HTMLMetaElement>("meta[name=looks]")?.content ?? "");
  document.querySelector(".lede")?.replaceWith(...answer.querySelectorAll(".lede"));
  for (const name of [".chip-row", ".sorts", ".subscribe"]) {
    filters.querySelector(name)?.replaceWith(...found.querySelectorAll(name));
  }
  filters.querySelector(".reset")?.remove();
  filters.querySelector(".found")?.append(...found.querySelectorAll(".reset"));
  for (const input of filters.querySelectorAll("[type=hidden]")) input.remove();
  filters.querySelector("form")?.append(...found.querySelectorAll("[type=hidden]"));
  while (filters.nextSibling !== null) filters.nextSibling.remove();
  let next = found.nextSibling;
  while (next !== null) {
    const after = next.nextSibling;
    filters.parentElement?.append(next);
    next = after;
  }
  // The same choice keeps the focus; one that is gone gives it to the first thing of the filters.
  if (focused !== -1) (links(filters)[focused] ?? filters.querySelector("input"))?.focus();
  return true;
}

function links(filters: HTMLElement): HTMLElement[] {
  return [...filters.querySelectorAll("a")];
}

/** The colours of events that were not on the page; its policy allows what a script of its own makes. */
function adoptLooks(rules: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  document.adoptedStyleSheets = [sheet];
}

/**
 * Changes the filters of the home page in place: fetches the page that a filter leads to, and shows its content here.
 * Without this script, each of their links and their form loads a page.
 */

import { useEffect } from "preact/hooks";
import { enter, useOwnHistory } from "../components/shared/history.ts";
import { closeMenus } from "../components/shared/menus.ts";

/** The pause after which typing counts as done. */
const TYPING_MILLISECONDS = 200;

/** The parts of the page that change in place; what follows the last one is replaced. */
const PARTS = [".hello", ".filters", ".results"] as const;

/** How an address becomes one of the history. */
type Remember = "pushState" | "replaceState" | null;

/** Handles the filters; renders nothing itself. */
export default function FiltersInPlace() {
  useOwnHistory();
  useEffect(() => {
    const filters = document.querySelector<HTMLElement>(".filters");
    const results = document.querySelector<HTMLElement>(".results");
    const form = filters?.querySelector("form");
    if (filters && results && form) followFilters(filters, results, form);
  }, []);
  return null;
}

function followFilters(filters: HTMLElement, results: HTMLElement, form: HTMLFormElement): void {
  /** The rules of the shown events' themes: the page's policy allows style sheets that its own script makes. */
  const rules = new CSSStyleSheet();
  document.adoptedStyleSheets.push(rules);
  let shown = location.pathname + location.search;
  /** The requests so far. Each waits for those before it, because their responses change the links and the form. */
  let requests = Promise.resolve();
  let typing: ReturnType<typeof setTimeout> | undefined;
  /** Counts Back and Forward. A request from before one of them changes nothing. */
  let turn = 0;
  /** Whether a field holds what no request has sent yet. */
  let isEdited = false;
  let isLeaving = false;

  /** Shows the events of an address. If they cannot be fetched, the browser loads the page. */
  async function show(
    href: string,
    remember: Remember,
    isTyped: boolean,
    begun: number,
  ): Promise<void> {
    const count = results.querySelector(".count");
    if (href === shown) return count?.removeAttribute("aria-busy");
    count?.setAttribute("aria-busy", "true");
    const page = await fetchPage(href);
    // A request that navigation aborts must not lead the visitor back.
    if (isLeaving || begun !== turn) return;
    const fresh = PARTS.map((name) => page?.content.querySelector(name));
    // Another page may answer, and without events there are no filters.
    if (!page || !fresh.every((each) => each instanceof Element)) return location.assign(href);
    shown = page.address;
    rules.replaceSync(page.rules);
    document.title = page.content.title;
    const focused = document.activeElement;
    for (const [at, name] of PARTS.entries()) {
      const old = document.querySelector(name);
      if (old !== null && fresh[at] !== undefined) update(old, fresh[at]);
    }
    while (results.nextElementSibling !== null) results.nextElementSibling.remove();
    results.after(...page.content.querySelectorAll(".results ~ *"));
    // A chosen value that was removed takes its link with it.
    if (focused?.isConnected === false) {
      const next = filters.querySelector<HTMLElement>(".chosen a") ??
        form.querySelector<HTMLElement>("[type=search]");
      next?.focus();
    }
    if (!isTyped && !isEdited) {
      for (const field of fieldsOf(form)) field.value = field.defaultValue;
    }
    if (remember !== null) enter(remember, shown);
  }

  /** Requests an address, which is read when the requests before it are done. */
  function request(hrefOf: () => string, remember: Remember, isTyped = false): void {
    const begun = turn;
    requests = requests.then(async () => {
      if (begun === turn) await show(hrefOf(), remember, isTyped, begun);
    });
  }

  function requestForm(remember: Remember): void {
    clearTimeout(typing);
    const readForm = () => {
      isEdited = false;
      return addressOf(form);
    };
    request(readForm, remember, true);
  }

  const follow = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const isOwn = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    // A link to another page is not a filter.
    if (link === null || !isOwn || link.pathname !== location.pathname) return;
    event.preventDefault();
    // The response to the typed text adds it to the link, and a link that removes it comes after it.
    if (isEdited) requestForm("replaceState");
    request(() => link.pathname + link.search, "pushState");
  };
  filters.addEventListener("click", follow);
  results.addEventListener("click", follow);
  filters.addEventListener("submit", (event) => {
    event.preventDefault();
    requestForm("pushState");
  });
  filters.addEventListener("input", () => {
    isEdited = true;
    clearTimeout(typing);
    typing = setTimeout(() => requestForm("replaceState"), TYPING_MILLISECONDS);
  });
  closeMenus();
  addEventListener("popstate", () => {
    clearTimeout(typing);
    isEdited = false;
    turn++;
    requests = Promise.resolve();
    request(() => location.pathname + location.search, null);
  });
  addEventListener("pagehide", () => isLeaving = true);
  addEventListener("pageshow", () => isLeaving = false);
}

/** The address that a form leads to, without its empty fields. */
function addressOf(form: HTMLFormElement): string {
  const given = [...new FormData(form)].map(([name, value]) => [name, String(value)])
    .filter(([, value]) => value !== "");
  return given.length === 0 ? "/" : `/?${new URLSearchParams(given)}`;
}

function fieldsOf(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.elements].filter((field): field is HTMLInputElement =>
    field instanceof HTMLInputElement && field.type !== "hidden"
  );
}

/** A page that was fetched. */
interface FetchedPage {
  readonly content: Document;
  /** The rules of its events' themes. */
  readonly rules: string;
  /** Its canonical address. */
  readonly address: string;
}

/** Fetches a page; null if there is none. */
async function fetchPage(href: string): Promise<FetchedPage | null> {
  try {
    const response = await fetch(href);
    if (!response.ok) return null;
    const html = await response.text();
    // Chromium judges the style elements of a page that a script parses by the policy of the script's own page.
    const content = await parse(html.replaceAll(/<style[^]*?<\/style>/g, ""));
    if (content === null) return null;
    const rules = /<style id="themes">([^<]*)/.exec(html)?.[1] ?? "";
    const twin = content.querySelector("link[type='text/markdown']")?.getAttribute("href");
    return { content, rules, address: twin?.replace("/index.md", "/") ?? href };
  } catch {
    // Without a connection, the browser explains it.
    return null;
  }
}

/** Parses a page, whose scripts never run. Trusted Types allow no other parser of documents. */
function parse(html: string): Promise<Document | null> {
  return new Promise((resolve) => {
    const address = URL.createObjectURL(new Blob([html], { type: "text/html;charset=utf-8" }));
    const request = new XMLHttpRequest();
    request.responseType = "document";
    request.open("GET", address);
    // Occurs after success and failure alike.
    request.onloadend = () => {
      URL.revokeObjectURL(address);
      resolve(request.responseXML);
    };
    request.send();
  });
}

/**
 * Makes an element equal to another, and keeps those of its elements that have an equal: the focus, open menus and the
 * text in fields stay, and screen readers announce what changed.
 */
function update(old: Element, fresh: Element): void {
  for (const { name } of [...old.attributes]) {
    if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  let next = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    let equal = next;
    while (equal !== null && keyOf(equal) !== keyOf(node)) equal = equal.nextSibling;
    if (equal === null) {
      old.insertBefore(node, next);
      continue;
    }
    while (next !== null && next !== equal) next = removed(next);
    if (equal instanceof Element && node instanceof Element) update(equal, node);
    else if (equal.nodeValue !== node.nodeValue) equal.nodeValue = node.nodeValue;
    next = equal.nextSibling;
  }
  while (next !== null) next = removed(next);
}

/** Removes a node, and returns the one after it. */
function removed(node: ChildNode): ChildNode | null {
  const next = node.nextSibling;
  node.remove();
  return next;
}

/** The key that two equal nodes share. A value of a list has its text, so that its link never leads elsewhere. */
function keyOf(node: Node): string {
  if (!(node instanceof Element)) return node.nodeName;
  const { localName, id, textContent } = node;
  return [localName, id, node.getAttribute("name"), localName === "li" ? textContent : ""].join();
}

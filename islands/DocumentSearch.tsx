/**
 * The search of the documents: a form that the server answers. With a script the results show while the visitor
 * types, as a combobox with a list (WAI-ARIA 1.2): the arrow keys choose, Enter opens, Escape closes.
 */

import { useEffect, useRef, useState } from "preact/hooks";
import { type FoundSection, MAX_SEARCH_LENGTH } from "../lib/operate/browser.ts";

/** The pause after which the server is asked. */
const TYPING_MILLISECONDS = 120;

/** The results for some words; null before anything was typed, and after Escape. */
type Found = { readonly words: string; readonly sections: readonly FoundSection[] } | null;

/** The form; `search` is the search that the page shows. */
export default function DocumentSearch({ search }: { readonly search: string }) {
  const [words, setWords] = useState(search);
  const [found, setFound] = useState<Found>(null);
  const [active, setActive] = useState(-1);
  // Without a script it is a plain field, and says so.
  const [hasScript, setHasScript] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const asking = useRef(new AbortController());
  useEffect(() => setHasScript(true), []);
  const wanted = words.replace(/\s+/g, " ").trim();

  useEffect(() => {
    setActive(-1);
    if (wanted === "" || wanted === search) return setFound(null);
    const ending = asking.current = new AbortController();
    const typing = setTimeout(async () => {
      // If a search fails, the form still works, and its page states the error.
      const sections = await findSections(wanted, ending.signal).catch(() => null);
      if (!ending.signal.aborted) setFound(sections && { words: wanted, sections });
    }, TYPING_MILLISECONDS);
    return () => {
      clearTimeout(typing);
      ending.abort();
    };
  }, [wanted]);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const sections = found?.sections ?? [];
  const isOpen = found !== null;

  /** Closes the list, also for results that have not arrived yet. */
  function close(): void {
    asking.current.abort();
    setFound(null);
    setActive(-1);
  }

  function press(event: KeyboardEvent): void {
    if (!isOpen || event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && sections.length > 0) {
      event.preventDefault();
      // The field itself counts as one more place.
      const places = sections.length + 1;
      setActive((active + 1 + step + places) % places - 1);
    } else if (event.key === "Escape") {
      event.preventDefault();
      close();
    } else if (event.key === "Enter" && active >= 0) {
      event.preventDefault();
      list.current?.querySelectorAll("a")[active]?.click();
    }
  }

  return (
    <search
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) close();
      }}
    >
      <form action="/docs" method="get">
        <label class="hidden" for="q">Search the documents</label>
        <input
          id="q"
          type="search"
          name="q"
          defaultValue={search}
          placeholder="Search"
          maxLength={MAX_SEARCH_LENGTH}
          autoComplete="off"
          {...hasScript && {
            "role": "combobox",
            "aria-autocomplete": "list",
            "aria-expanded": sections.length > 0,
            "aria-controls": "hits",
          }}
          aria-activedescendant={active < 0 ? undefined : `hit-${active}`}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
          onKeyDown={press}
        />
        <button type="submit">Search</button>
      </form>
      {/* A press on a result must not take the focus from the field, which would close the list. */}
      <div class={isOpen ? "hits" : "hidden"} onMouseDown={(event) => event.preventDefault()}>
        <p class={sections.length > 0 ? "hidden" : undefined} role="status">
          {found !== null && inWords(found)}
        </p>
        {hasScript && (
          <div id="hits" role="listbox" aria-label="Results" ref={list}>
            {sections.map(({ href, title, within, excerpt }, at) => (
              <a
                key={href}
                id={`hit-${at}`}
                href={href}
                role="option"
                tabIndex={-1}
                aria-selected={at === active ? "true" : "false"}
                onClick={close}
              >
                <strong>{title}</strong>
                {within !== "" && <small>{within}</small>}
                <small>{excerpt}</small>
              </a>
            ))}
          </div>
        )}
      </div>
    </search>
  );
}

async function findSections(words: string, signal: AbortSignal): Promise<readonly FoundSection[]> {
  const response = await fetch(`/docs/search.json?${new URLSearchParams({ q: words })}`, {
    signal,
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return await response.json();
}

function inWords({ words, sections: { length } }: NonNullable<Found>): string {
  if (length === 0) return `No section contains all of these words: “${words}”.`;
  return `${length} ${length === 1 ? "result" : "results"}. Choose with the arrow keys.`;
}

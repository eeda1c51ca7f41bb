/**
 * The search through the documents: titles, headings and text, with the parameters and error codes in it. A
 * section matches if it contains every word, or a synonym of it; a typo in a longer word is forgiven.
 */

import MiniSearch, { type Query, type SearchResult } from "minisearch";
import { memoize } from "../../platform/memoize.ts";
import { type Document, isForOperators } from "./library.ts";
import { sectionsOf } from "./render.ts";

/** A longer search is cut to this length. */
export const MAX_SEARCH_LENGTH = 100;

/** A section that a search found. */
export interface FoundSection {
  /** Its path and anchor. */
  readonly href: string;
  readonly title: string;
  /** The title of the document around it; "" for the document itself. */
  readonly within: string;
  /** The text around the first word. */
  readonly excerpt: string;
}

const MAX_HITS = 20;
const EXCERPT_BEFORE = 60;
const EXCERPT_LENGTH = 200;
/** The weight of a word by its place in a section; `within` is the title of the document around it. */
const WEIGHTS = { title: 16, names: 8, within: 6, text: 4, samples: 1 } as const;
const SYNONYM_WEIGHT = 0.5;
/** The weight of what is written for operators, who are few, and of the page on which members get their keys. */
const OPERATORS_WEIGHT = 0.5;
const ACCOUNT_WEIGHT = 4;
/** A shorter word is found only whole. */
const MIN_BEGINNING = 3;
/** From this length on, a fifth of a word's letters may be wrong. */
const MIN_FUZZY = 5;
const FUZZY = 0.2;
/** Words of a question that say nothing about the answer. */
const EMPTY_WORDS = new Set(
  "a an and are be can do does get how i in is it many much my not of should the there to was what where who why you"
    .split(" "),
);

/** Every section of some documents, with its words. */
const indexOf = memoize((documents: readonly Document[]) => {
  const sections = documents.flatMap((document) =>
    sectionsOf(document.markdown).map((section) => ({
      ...section,
      href: section.id === "" ? document.address : `${document.address}#${section.id}`,
      // The title of the document itself is in `title`.
      within: section.id === "" ? "" : document.title,
      weight: isForOperators(document)
        ? OPERATORS_WEIGHT
        : document.name === "account"
        ? ACCOUNT_WEIGHT
        : 1,
    }))
  );
  const index = new MiniSearch<typeof sections[number]>({
    idField: "href",
    fields: Object.keys(WEIGHTS),
    storeFields: ["title", "within", "text", "samples", "weight"],
  });
  index.addAll(sections);
  return index;
});

/** The matching sections, the best first. The index of a list of documents is kept as long as the list. */
export function searchDocuments(
  documents: readonly Document[],
  search: string,
): readonly FoundSection[] {
  const typed = search.slice(0, MAX_SEARCH_LENGTH).toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const all = [...new Set(typed)];
  const telling = all.filter((word) => !EMPTY_WORDS.has(word));
  const words = telling.length > 0 ? telling : all;
  if (words.length === 0) return [];
  const hits = indexOf(documents).search(
    { combineWith: "AND", queries: words.map(queryOf) },
    {
      boost: WEIGHTS,
      prefix: (term) => term.length >= MIN_BEGINNING,
      fuzzy: (term) => term.length >= MIN_FUZZY && FUZZY,
      boostDocument: (_href, _term, stored) => Number(stored?.["weight"]),
    },
  );
  return hits.slice(0, MAX_HITS).map((hit) => ({
    href: String(hit.id),
    title: String(hit["title"]),
    within: String(hit["within"]),
    excerpt: excerptOf(hit, words),
  }));
}

/** A word, or any of its synonyms, all of whose words must then be there. */
function queryOf(word: string): Query {
  const synonyms = (SYNONYMS.get(word) ?? []).map((synonym): Query => ({
    combineWith: "AND",
    queries: synonym.split(" "),
    boostTerm: () => SYNONYM_WEIGHT,
  }));
  return { combineWith: "OR", queries: [word, ...synonyms] };
}

/** The words around the first that was found, in the text or else in the samples. */
function excerptOf({ match, ...hit }: SearchResult, words: readonly string[]): string {
  for (const place of ["text", "samples"] as const) {
    const text = String(hit[place]);
    const lower = text.toLowerCase();
    const at = [...words, ...Object.keys(match)].map((word) => lower.indexOf(word))
      .find((found) => found >= 0);
    if (at !== undefined) return excerptAt(text, at);
  }
  return excerptAt(String(hit["text"]), 0);
}

/** The words around a position. */
function excerptAt(text: string, at: number): string {
  const from = at <= EXCERPT_BEFORE ? 0 : text.indexOf(" ", at - EXCERPT_BEFORE) + 1;
  const end = text.length - from <= EXCERPT_LENGTH
    ? text.length
    : text.lastIndexOf(" ", from + EXCERPT_LENGTH);
  return `${from > 0 ? "… " : ""}${text.slice(from, end)}${end < text.length ? " …" : ""}`;
}

/** Words that readers type, and what the documents have instead. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries({
  auth: ["authorization", "api key"],
  breaking: ["new version"],
  budget: ["daily limit", "spending"],
  category: ["projecttypes", "projecttype"],
  changelog: ["versioning"],
  color: ["colour"],
  cost: ["charged"],
  design: ["styling", "theme"],
  docker: ["container"],
  exa: ["web search"],
  gdpr: ["issuer subject"],
  host: ["installing", "server"],
  ical: ["calendar"],
  llm: ["decision", "models"],
  log: ["sign"],
  login: ["sign"],
  monitoring: ["metrics", "watch"],
  multiple: ["several"],
  outage: ["fails"],
  pagination: ["limit", "cursor"],
  picture: ["image"],
  price: ["charged", "costs"],
  quota: ["daily limit", "rate limit"],
  setup: ["installing", "configuration"],
  showing: ["missing"],
  streaming: ["stream"],
  subscribe: ["feed", "calendar"],
  tag: ["projecttypes", "projecttype"],
  throttle: ["rate limit"],
  token: ["api key"],
  upgrade: ["update"],
}));

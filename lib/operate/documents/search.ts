/**
 * The search through the documents: titles, headings and text, with the parameters and error codes in it. A
 * section matches if it contains every word, or a synonym of it.
 */

import { type FoundSection, MAX_SEARCH_LENGTH } from "./found_section.ts";
import { memoize } from "../../platform/memoize.ts";
import type { Document } from "./library.ts";
import { type Section, sectionsOf } from "./render.ts";

const MAX_HITS = 20;
const EXCERPT_BEFORE = 60;
const EXCERPT_LENGTH = 200;
/** The weight of a word by its place in a section; a whole word counts twice, a synonym half. */
const WORTH = { title: 16, names: 8, text: 4, samples: 1 } as const;
/** The weight of a word in the document's title, for each of its sections. */
const DOCUMENT_WORTH = 6;

const PLACES = ["title", "names", "text", "samples"] as const;

type Searchable = ReturnType<typeof searchable>;
/** The places of a section, in which a search looks for words. */
type Places = Readonly<Record<typeof PLACES[number], Searchable>>;

/** The sections of a document. */
const sectionsIn = memoize((document: Document) =>
  sectionsOf(document.markdown).map((section) => ({
    section,
    places: {
      title: searchable(section.title),
      names: searchable(section.names),
      text: searchable(section.text),
      samples: searchable(section.samples),
    },
  }))
);

/** The matching sections, the best first. */
export function searchDocuments(
  documents: readonly Document[],
  search: string,
): readonly FoundSection[] {
  const typed = search.slice(0, MAX_SEARCH_LENGTH).toLowerCase().split(/\s+/);
  const words = [...new Set(typed)].filter((word) => word !== "").map((word) => ({
    word: searchable(word),
    others: synonymsOf(word).map(searchable),
  }));
  if (words.length === 0) return [];
  const hits = documents.flatMap((document) => {
    const title = searchable(document.title);
    return sectionsIn(document).flatMap(({ section, places }) => {
      const worthOf = (word: Searchable) =>
        PLACES.reduce(
          (sum, place) => sum + WORTH[place] * countOf(places[place], word),
          DOCUMENT_WORTH * countOf(title, word),
        );
      const worths = words.map(({ word, others }) =>
        Math.max(worthOf(word), ...others.map((other) => worthOf(other) / 2))
      );
      if (worths.includes(0)) return [];
      const worth = worths.reduce((sum, each) => sum + each, 0);
      return [{ document, section, places, worth }];
    });
  });
  const all = words.flatMap(({ word, others }) => [word, ...others]);
  return hits.toSorted((a, b) => b.worth - a.worth).slice(0, MAX_HITS)
    .map(({ document, section, places }) => ({
      href: section.id === "" ? document.address : `${document.address}#${section.id}`,
      title: section.title,
      within: section.id === "" ? "" : document.title,
      excerpt: excerptOf(section, places, all),
    }));
}

/** 0 if a text lacks a word, 1 if it has the word within another one, 2 if it has the whole word. */
function countOf({ text, words }: Searchable, word: Searchable): number {
  if (!text.includes(word.text)) return 0;
  return words.includes(word.words) ? 2 : 1;
}

/** A text in lower case, and its words with a space around each: prepared once, so that a search of any words is quick. */
function searchable(text: string) {
  const lower = text.toLowerCase();
  return { text: lower, words: ` ${lower.split(/[^\p{L}\p{N}_]+/u).join(" ").trim()} ` };
}

/** The words around the first of these words, in the text or else in the samples. */
function excerptOf(
  section: Section,
  places: Places,
  words: readonly Searchable[],
): string {
  for (const place of ["text", "samples"] as const) {
    const { text } = places[place];
    const at = words.map((word) => text.indexOf(word.text)).find((found) => found >= 0);
    if (at !== undefined) return excerptAt(section[place], at);
  }
  return excerptAt(section.text, 0);
}

/** The words around a position. */
function excerptAt(text: string, at: number): string {
  const from = at <= EXCERPT_BEFORE ? 0 : text.indexOf(" ", at - EXCERPT_BEFORE) + 1;
  const end = text.length - from <= EXCERPT_LENGTH
    ? text.length
    : text.lastIndexOf(" ", from + EXCERPT_LENGTH);
  return `${from > 0 ? "… " : ""}${text.slice(from, end)}${end < text.length ? " …" : ""}`;
}

/** Words that readers type, and the words that the documents use instead. */
const SYNONYMS: readonly (readonly [typed: string, used: readonly string[]])[] = [
  ["category topic tag", ["projectTypes", "projectType"]],
  ["filter", ["projectType"]],
  ["games", ["Gamedev"]],
  ["when", ["startDate", "endDate"]],
  ["where venue city", ["location"]],
  ["search", ["websearch"]],
  ["exa", ["web search"]],
  ["llm", ["decision", "models"]],
  ["token password secret login", ["API key"]],
  ["auth", ["Authorization", "API key"]],
  ["price", ["charged", "costs"]],
  ["money", ["spending", "charged"]],
  ["budget", ["daily limit", "spending"]],
  ["quota", ["daily limit", "rate limit"]],
  ["throttle", ["rate limit"]],
  ["ical webcal", ["calendar"]],
  ["subscribe", ["feed", "calendar"]],
  ["newsletter", ["feed"]],
  ["picture photo", ["image"]],
  ["color", ["colour"]],
  ["design", ["styling", "theme"]],
  ["install", ["deploy", "configuration"]],
  ["setup", ["configuration", "first hour"]],
  ["host", ["deploy", "machine"]],
  ["monitoring", ["metrics", "watch"]],
  ["outage", ["fails"]],
  ["pagination", ["limit", "cursor"]],
  ["changelog", ["versioning"]],
  ["breaking", ["new version"]],
];
/** A shorter beginning would match too many words. */
const MIN_LENGTH = 3;

/**
 * The synonyms of a word in lower case, or of the words that it begins, since a search may end within a word.
 */
function synonymsOf(word: string): readonly string[] {
  if (word.length < MIN_LENGTH) return [];
  const singular = word.replace(/(?:ies|s)$/, (end) => end === "ies" ? "y" : "");
  const isMeant = (typed: string) => typed.startsWith(word) || typed === singular;
  return SYNONYMS.filter(([typed]) => typed.split(" ").some(isMeant))
    .flatMap(([, used]) => used.map((each) => each.toLowerCase()));
}

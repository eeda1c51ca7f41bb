/**
 * The search through the documents: their titles, headings and text, where the parameters and error codes stand. A
 * section matches if it contains every word, or another word for it.
 */

import { type FoundSection, MAX_SEARCH_LENGTH } from "./browser.ts";
import type { Document } from "./library.ts";
import { type Section, sectionsOf } from "./render.ts";
import { synonymsOf } from "./synonyms.ts";

/** A section that matches. */
export interface Hit {
  readonly document: Document;
  readonly section: Section;
  /** The path and anchor of the section. */
  readonly href: string;
  /** The text around the first word. */
  readonly excerpt: string;
}

const MAX_HITS = 20;
const EXCERPT_BEFORE = 60;
const EXCERPT_LENGTH = 200;
/** What a word counts by its place in a section; a whole word counts twice, another word for it half. */
const WORTH = { title: 16, names: 8, text: 4, samples: 1 } as const;
/** What a word in the document's title counts for each of its sections. */
const DOCUMENT_WORTH = 6;

/** A section, and the same in lower case. */
interface Lowered {
  readonly section: Section;
  readonly lower: Section;
}

const PLACES = ["title", "names", "text", "samples"] as const;
const lowered = new WeakMap<Document, readonly Lowered[]>();

/** The matching sections, the best first. */
export function searchDocuments(documents: readonly Document[], search: string): readonly Hit[] {
  const words = search.slice(0, MAX_SEARCH_LENGTH).toLowerCase().split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => ({ word, others: synonymsOf(word) }));
  if (words.length === 0) return [];
  const hits = documents.flatMap((document) => {
    const title = document.title.toLowerCase();
    return read(document).flatMap(({ section, lower }) => {
      const worthOf = (word: string) =>
        PLACES.reduce(
          (sum, place) => sum + WORTH[place] * countOf(lower[place], word),
          DOCUMENT_WORTH * countOf(title, word),
        );
      const worths = words.map(({ word, others }) =>
        Math.max(worthOf(word), ...others.map((other) => worthOf(other) / 2))
      );
      if (worths.includes(0)) return [];
      const worth = worths.reduce((sum, each) => sum + each, 0);
      const href = section.id === "" ? document.address : `${document.address}#${section.id}`;
      const all = words.flatMap(({ word, others }) => [word, ...others]);
      return [{ document, section, href, excerpt: excerptOf(section, lower, all), worth }];
    });
  });
  return hits.toSorted((a, b) => b.worth - a.worth).slice(0, MAX_HITS);
}

/** The hits as the search while typing shows them. */
export function foundSections(hits: readonly Hit[]): readonly FoundSection[] {
  return hits.map(({ document, section: { id, title }, href, excerpt }) => (
    { href, title, within: id === "" ? "" : document.title, excerpt }
  ));
}

/** 0 if a text lacks a word, 1 if it has the word within another one, 2 if it has the whole word. */
function countOf(text: string, word: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isLetter(text[at - 1]) && !isLetter(text[at + word.length])) return 2;
    count = 1;
  }
  return count;
}

function isLetter(character = " "): boolean {
  return /[\p{L}\p{N}_]/u.test(character);
}

function read(document: Document): readonly Lowered[] {
  let known = lowered.get(document);
  if (known === undefined) {
    known = sectionsOf(document.markdown).map((section) => ({
      section,
      lower: {
        id: section.id,
        title: section.title.toLowerCase(),
        names: section.names.toLowerCase(),
        text: section.text.toLowerCase(),
        samples: section.samples.toLowerCase(),
      },
    }));
    lowered.set(document, known);
  }
  return known;
}

/** The words around the first of these words, in the text or else in the samples. */
function excerptOf(section: Section, lower: Section, words: readonly string[]): string {
  for (const place of ["text", "samples"] as const) {
    const at = words.map((word) => lower[place].indexOf(word)).find((found) => found >= 0);
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

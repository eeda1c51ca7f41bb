/** The search through the documents: a section matches if it contains every word. */

import type { Document } from "./library.ts";
import { type Section, sectionsOf } from "./render.ts";

/** A section that matches. */
export interface Hit {
  readonly document: Document;
  readonly section: Section;
  /** The path and anchor of the section. */
  readonly href: string;
  /** The text around the first word. */
  readonly excerpt: string;
}

/** A longer search is cut to this length. */
export const MAX_SEARCH_LENGTH = 100;
const MAX_HITS = 20;
const EXCERPT_BEFORE = 60;
const EXCERPT_LENGTH = 200;

const sections = new WeakMap<Document, readonly Section[]>();

/** The matching sections; those with the most words in their heading come first. */
export function searchDocuments(documents: readonly Document[], search: string): readonly Hit[] {
  const words = search.slice(0, MAX_SEARCH_LENGTH).toLowerCase().split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const hits = documents.flatMap((document) =>
    read(document).flatMap((section) => {
      const heading = `${document.title} ${section.title}`.toLowerCase();
      const text = section.text.toLowerCase();
      if (!words.every((word) => heading.includes(word) || text.includes(word))) return [];
      const inTitle = words.filter((word) => section.title.toLowerCase().includes(word)).length;
      const href = section.id === "" ? document.address : `${document.address}#${section.id}`;
      const at = words.map((word) => text.indexOf(word)).find((place) => place >= 0) ?? 0;
      return [{ document, section, href, excerpt: excerptAt(section.text, at), inTitle }];
    })
  );
  return hits.toSorted((a, b) => b.inTitle - a.inTitle).slice(0, MAX_HITS);
}

function read(document: Document): readonly Section[] {
  let known = sections.get(document);
  if (known === undefined) sections.set(document, known = sectionsOf(document.markdown));
  return known;
}

/** The words around a position. */
function excerptAt(text: string, at: number): string {
  const from = at <= EXCERPT_BEFORE ? 0 : text.indexOf(" ", at - EXCERPT_BEFORE) + 1;
  const end = text.length - from <= EXCERPT_LENGTH
    ? text.length
    : text.lastIndexOf(" ", from + EXCERPT_LENGTH);
  return `${from > 0 ? "… " : ""}${text.slice(from, end)}${end < text.length ? " …" : ""}`;
}

// Finds pages by words in common.

import PAGES from "./data/pages.json" with { type: "json" };
import { overlap, sentencesOf, wordsOf } from "./words.ts";

/** A page: a short text in whole sentences, written for the sandbox. */
export type Page = typeof PAGES[number];

/** A page and how well it fits, from 0 to 1. */
export interface Hit {
  readonly page: Page;
  readonly score: number;
}

/** Which pages may be found; an absent part excludes none. */
export interface Filter {
  /** Hosts with their subdomains, or with a path as in `sandbox.example/cooking`. */
  readonly includeDomains?: readonly string[] | undefined;
  readonly excludeDomains?: readonly string[] | undefined;
  readonly startPublishedDate?: string | undefined;
  readonly endPublishedDate?: string | undefined;
  /** Texts that a page must have, or must not. */
  readonly includeText?: readonly string[] | undefined;
  readonly excludeText?: readonly string[] | undefined;
}

/** Reads the corpus once. */
export function createPageIndex() {
  const indexed = PAGES.map((page) => ({
    page,
    words: new Set(wordsOf(`${page.title} ${page.text}`)),
    titleWords: new Set(wordsOf(page.title)),
  }));
  /** The fewer pages have a word, the more it says. */
  const weight = (word: string) => 1 / (1 + indexed.filter(({ words }) => words.has(word)).length);
  const byUrl = new Map(PAGES.map((page) => [page.url, page]));

  return {
    /**
     * The best first; after the matching ones, others in a fixed order, because a search by meaning always finds pages.
     */
    rank(question: string, filter: Filter): Hit[] {
      const wanted = new Map<string, number>();
      for (const word of wordsOf(question)) {
        wanted.set(word, (wanted.get(word) ?? 0) + weight(word));
      }
      // A sort keeps the order of equals, so the same question always gives the same list.
      return indexed.filter(({ page }) => passes(page, filter))
        .map(({ page, words, titleWords }) => ({
          page,
          score: round(0.7 * overlap(wanted, words) + 0.3 * overlap(wanted, titleWords)),
        }))
        .sort((a, b) => b.score - a.score);
    },
    /** The page of an address or id. */
    get: (url: string) => byUrl.get(url.replace(/\/$/, "")),
    /** The first pages beside a page, as the targets of its links. */
    subpages({ url }: Page, count: number): Page[] {
      const folder = url.slice(0, url.lastIndexOf("/") + 1);
      return PAGES.filter((other) => other.url !== url && other.url.startsWith(folder))
        .slice(0, count);
    },
  };
}

/** The sentences of a text that fit a question best, in the order of the text. */
export function bestSentences(text: string, question: string, count: number): Sentence[] {
  const wanted = new Map(wordsOf(question).map((word) => [word, 1]));
  return sentencesOf(text)
    .map((sentence, place) => ({
      sentence,
      place,
      score: round(overlap(wanted, new Set(wordsOf(sentence)))),
    }))
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, count)
    .sort((a, b) => a.place - b.place);
}

/** A sentence and how well it fits, from 0 to 1. */
interface Sentence {
  readonly sentence: string;
  readonly score: number;
}

function passes({ url, title, text, publishedDate }: Page, filter: Filter): boolean {
  const { includeDomains, excludeDomains, startPublishedDate, endPublishedDate } = filter;
  if (includeDomains?.length && !includeDomains.some((domain) => isUnder(url, domain))) {
    return false;
  }
  if (excludeDomains?.some((domain) => isUnder(url, domain))) return false;
  const published = Date.parse(publishedDate);
  if (startPublishedDate && published < Date.parse(startPublishedDate)) return false;
  if (endPublishedDate && published > Date.parse(endPublishedDate)) return false;
  const has = (wanted: string) => `${title} ${text}`.toLowerCase().includes(wanted.toLowerCase());
  return (filter.includeText ?? []).every(has) && !(filter.excludeText ?? []).some(has);
}

function isUnder(url: string, domain: string): boolean {
  const { hostname, pathname } = new URL(url);
  const [host = "", ...folders] = domain.toLowerCase().replace(/^https?:\/\//, "")
    .replace(/\/$/, "").split("/");
  const isOfHost = hostname === host || hostname.endsWith(`.${host}`);
  return isOfHost && `${pathname}/`.startsWith(["", ...folders, ""].join("/"));
}

function round(score: number): number {
  return Math.round(score * 1000) / 1000;
}

/** The search that was probably meant, in place of one that finds nothing. */

import { fold, spellings } from "../../platform/fold.ts";
import { memoize } from "../../platform/memoize.ts";
import { nearbyName } from "../../platform/nearest.ts";
import { forEachInSlices } from "../../platform/timeout.ts";
import { searchedText } from "../match.ts";
import type { Event } from "../model.ts";

/** More words than this are not corrected: each is compared with all words of the events. */
const MAX_CORRECTED = 6;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** The words of the first events of a list, which are collected between requests, or when they are needed. */
const vocabularyOf = memoize((_events: readonly Event[]) => ({
  words: new Set<string>(),
  until: 0,
}));
type Vocabulary = ReturnType<typeof vocabularyOf>;

function collect(vocabulary: Vocabulary, event: Event, at: number): void {
  if (at < vocabulary.until) return;
  for (const word of searchedText(event).match(WORD) ?? []) vocabulary.words.add(word);
  vocabulary.until = at + 1;
}

/** Prepares the searches of events, then the corrections of their words, in slices. */
export async function prepareWords(events: readonly Event[]): Promise<void> {
  await forEachInSlices(events, searchedText);
  const vocabulary = vocabularyOf(events);
  await forEachInSlices(events, (event, at) => collect(vocabulary, event, at));
}

/** The words of a search, those that no event has replaced by the nearest ones; null if none is near, or all are right. */
export function correctWords(text: string, events: readonly Event[]): string | null {
  const typed = fold(text).split(" ").filter((word) => word !== "");
  const vocabulary = vocabularyOf(events);
  events.forEach((event, at) => collect(vocabulary, event, at));
  const known = [...vocabulary.words];
  const isKnown = (word: string) =>
    spellings(word).some((spelling) => known.some((each) => each.includes(spelling)));
  let corrected = 0;
  const words = typed.map((word) => {
    if (isKnown(word)) return word;
    return ++corrected > MAX_CORRECTED ? null : nearbyName(word, known);
  });
  return corrected === 0 || words.includes(null) ? null : words.join(" ");
}

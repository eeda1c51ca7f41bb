/** What somebody may have meant. */

import { closest, distance } from "fastest-levenshtein";

/** Typos, not other words: half of a name wrong is another name. */
const MAX_DISTANCE = 3;

/** Names the nearest of the known words if it is near, else all of them. */
export function suggest(given: string, known: readonly string[]): string {
  const nearest = closest(given, known);
  const far = distance(given, nearest);
  if (far <= MAX_DISTANCE && far <= nearest.replaceAll("-", "").length / 2) {
    return `did you mean ${nearest}?`;
  }
  return `expected one of ${known.join(", ")}`;
}

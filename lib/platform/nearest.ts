/** Finds the name that was probably meant by one that does not exist. */

import { distance } from "fastest-levenshtein";

/**
 * The name with the fewest edits from a text; of several, the one that has the longest beginning in common with it,
 * since a finger slips more often than a word begins wrongly: `limt` is `limit`, and not `list`.
 *
 * @returns null if there are no names. Whether the edits are few enough is the caller's decision.
 */
export function nearestName(
  text: string,
  names: readonly string[],
): { readonly name: string; readonly edits: number } | null {
  let nearest: { readonly name: string; readonly edits: number } | null = null;
  for (const name of names) {
    const edits = distance(text, name);
    const isNearer = nearest === null || edits < nearest.edits ||
      edits === nearest.edits && commonLength(text, name) > commonLength(text, nearest.name);
    if (isNearer) nearest = { name, edits };
  }
  return nearest;
}

/** Within two edits, a shorter text is near to too many names. */
const LONG_NAME = 4;

/** The nearest name within two edits of a text, or within one of a short text; null if there is none. */
export function nearbyName(text: string, names: readonly string[]): string | null {
  const most = text.length < LONG_NAME ? 1 : 2;
  const near = names.filter(({ length }) => Math.abs(length - text.length) <= most);
  const nearest = nearestName(text, near);
  return nearest !== null && nearest.edits <= most ? nearest.name : null;
}

/** The number of characters with which both texts begin. */
function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** Typed text, cut to the length that fits where it is shown. */

import { withoutDirections } from "../../platform/text.ts";

/** No card has room for a longer name; the event's page shows all of it. */
export const MAX_NAME_LENGTH = 300;
/** No card has room for a longer place. */
export const MAX_PLACE_LENGTH = 90;

/** A name cut between characters to the length of a card. */
export function shortName(name: string, length = MAX_NAME_LENGTH): string {
  if (name.length <= length) return name;
  const cut = name.slice(0, length);
  // The last one may be half of a pair.
  return `${cut.replace(/[\ud800-\udbff]$/, "").trimEnd()}…`;
}

/** A text as one line of at most `length` characters and an ellipsis, in one direction. */
export function oneLine(text: string, length: number): string {
  // Cut first: a text may be very long.
  const line = withoutDirections(text.slice(0, 8 * length), true).replace(/\s+/g, " ").trim();
  return shortName(line, length);
}

/** Text that people typed, made short enough for where it is shown. */

/** Characters that would turn the direction of what follows them in a title bar or a shared card. */
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** No card has room for more; the event's page has all of it. */
export const MAX_NAME_LENGTH = 300;
/** The same of a place. */
export const MAX_PLACE_LENGTH = 90;

/** A name short enough for a card, cut between characters. */
export function shortName(name: string, length = MAX_NAME_LENGTH): string {
  if (name.length <= length) return name;
  const cut = name.slice(0, length);
  // The last one may be half of a pair.
  return `${cut.replace(/[\ud800-\udbff]$/, "").trimEnd()}…`;
}

/** A text as one line of at most `length` characters and an ellipsis, in one direction. */
export function oneLine(text: string, length: number): string {
  // Cut first: a text may be very long.
  const line = text.slice(0, 8 * length).replace(BIDI_CONTROLS, "").replace(/\s+/g, " ").trim();
  return shortName(line, length);
}

/** Typed text, cut to the length that fits where it is shown. */

/** Characters that would change the direction of the text after them in a title bar or a shared card. */
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
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
  const line = text.slice(0, 8 * length).replace(BIDI_CONTROLS, "").replace(/\s+/g, " ").trim();
  return shortName(line, length);
}

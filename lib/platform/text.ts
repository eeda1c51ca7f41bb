/** Text from outside: the characters that may be stored and shown. */

/**
 * Controls except tab and line feed, surrogates, and noncharacters: HTML (section 13.2.3.5), XML and iCalendar
 * (RFC 5545, section 3.3.11) forbid them all.
 */
// deno-lint-ignore no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Cs}\p{Noncharacter_Code_Point}]/gu;
/** Control, format and line characters: they break tables and logs, control terminals, and disguise texts. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/u;

/** A text without the characters that no format allows. */
export function withoutForbidden(text: string): string {
  return text.replace(FORBIDDEN, "");
}

/** Signs that reverse the direction of what follows them, beyond the text that has them (Unicode, UAX 9). */
const OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/gu;
/** The marks of direction, which act on their neighbours. */
const MARKS_OF_DIRECTION = /[\u200e\u200f\u061c]/gu;

/** A text without the signs that reverse what stands after it; of a short one, without marks of direction too. */
export function withoutDirections(text: string, isShort: boolean): string {
  const plain = text.replace(OVERRIDES, "");
  return isShort ? plain.replace(MARKS_OF_DIRECTION, "") : plain;
}

/** Whether every character of a text has a shape on one line of a terminal. */
export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text);
}

/** A text with something printable in place of each character that is not: `\u{2028}`, unless `replace` says other. */
export function makePrintable(text: string, replace = escaped): string {
  return text.replaceAll(new RegExp(UNPRINTABLE, "gu"), replace);
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** Longer texts are shortened in a sentence. */
const MAX_QUOTED = 60;

/** A text from outside in quotes for a sentence: short, on one line, every character visible. */
export function quoted(text: string): string {
  return makePrintable(
    JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text),
  );
}

/** A number with separators of thousands: `2,000`. */
export function grouped(count: number): string {
  return count.toLocaleString("en");
}

/** A number with its noun: `1 record`, `2,000 records`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** The words that a visitor typed into a search field, as one line of at most `length` characters. */
export function searchText(typed: string | null, length: number): string {
  const line = withoutForbidden((typed ?? "").toWellFormed().replace(/\s+/g, " ")).trim();
  // The last character may be half of a pair.
  return line.slice(0, length).toWellFormed();
}

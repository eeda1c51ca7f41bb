/**
 * The readers of cells, by the kind of value that an event needs. Each takes the values of a cell
 * ({@linkcode unwrapCell}) and understands what people type; what it returns is strict.
 */

import type { EventImage } from "../../model.ts";
import { fold } from "../../../platform/fold.ts";
import { withoutDirections, withoutForbidden } from "../../../platform/text.ts";
import { CellError, type CellValue, inReport, isButton, isFile } from "./cell.ts";
import { EVENT_FORMATS, type EventFormat, PROJECT_TYPES, type ProjectType } from "../../values.ts";
import { MONTHS } from "../../words.ts";

/** Reads the values of a cell that has some; `note` reports a part that is left out. */
type Reader<T> = (values: readonly CellValue[], note: (reason: string) => void) => T | undefined;

/** Airtable's own limit of a long text cell is 100,000 characters; a file could hold anything. */
const MAX_PROSE_LENGTH = 131_072;
/** A name, a place or a colour: a longer one is a mistake. */
const MAX_TEXT_LENGTH = 2_000;
const MAX_URL_LENGTH = 8_192;
const MAX_MOMENT_LENGTH = 60;
const MAX_LIST_LENGTH = 100;

function expected(what: string, values: readonly CellValue[]): CellError {
  return new CellError(`expected ${what}, got ${inReport(values)}`);
}

/** The text of one value; buttons are their labels. */
function textOf(value: CellValue): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (isButton(value)) return value.label;
  throw expected("text", [value]);
}

/** A text of at most so many characters; several texts are joined. */
const textUpTo = (length: number, joint: string): Reader<string> => (values) => {
  const joined = [...new Set(values.map(textOf))].join(joint);
  const plain = withoutForbidden(joined.toWellFormed().replaceAll("\r\n", "\n")).trim();
  const text = withoutDirections(plain, joint === ", ").trim();
  if (text.length > length) throw new CellError(`longer than ${length} characters`);
  return text === "" ? undefined : text;
};

/** A name is needed, so a longer one is cut. */
const readName: Reader<string> = (values, note) => {
  const name = textUpTo(Infinity, ", ")(values, note);
  if (name === undefined || name.length <= MAX_TEXT_LENGTH) return name;
  note(`longer than ${MAX_TEXT_LENGTH} characters: the event is shown with its beginning`);
  return name.slice(0, MAX_TEXT_LENGTH - 1).toWellFormed().replace(/\ufffd$/, "").trim() + "…";
};

/** The one value of a cell. Of several different ones the first is used, and reported. */
function oneOfSeveral(values: readonly CellValue[], note: (reason: string) => void): CellValue {
  const [first = ""] = values;
  if (values.some((value) => value !== first)) {
    note(`several values: the first is used, ${inReport(first)}`);
  }
  return first;
}

const readNumber: Reader<number> = (values, note) => {
  const value = oneOfSeveral(values, note);
  // "1,200" may be either number.
  const isText = typeof value === "string" &&
    /^\s*\d+(?:\.\d+|,\d{1,2})?\s*(?:px)?\s*$/i.test(value);
  const number = isText ? Number.parseFloat(value.replace(",", ".")) : value;
  if (typeof number === "number" && number >= 0 && number <= 10_000) return number;
  throw expected("a number from 0 to 10000", values);
};

const YES = new Set(["true", "yes", "y", "1", "x", "on", "checked", "✓", "✔", "✅", "☑"]);
const NO = new Set(["false", "no", "n", "0", "off", "unchecked", "-", "✗", "❌"]);

const readBoolean: Reader<boolean> = (values, note) => {
  const value = oneOfSeveral(values, note);
  if (typeof value === "boolean") return value;
  const word = typeof value === "object"
    ? ""
    : String(value).replace("\ufe0f", "").trim().toLowerCase();
  if (YES.has(word)) return true;
  if (NO.has(word)) return false;
  throw expected("true or false", values);
};

/** A word of an enumeration without case, spaces, hyphens and "only". */
function wordOf(text: string): string {
  return fold(text).replaceAll(/[^\p{L}\p{N}]/gu, "").replace(/^only|only$/g, "");
}

/** The words of an enumeration: a formula or a single text has several in one value. */
function wordsIn(values: readonly CellValue[]): string[] {
  return values.flatMap((value) => textOf(value).split(/[,;\n/|&+•()]|\s(?:and|or)\s/i))
    .map((word) => word.trim()).filter((word) => word !== "");
}

const FORMAT_WORDS: ReadonlyMap<string, EventFormat> = new Map([
  ...EVENT_FORMATS.map((format) => [wordOf(format), format] as const),
  ...["onsite", "offline", "physical", "facetoface", "irl"].map((word) =>
    [word, "in-person"] as const
  ),
  ...["virtual", "remote", "digital"].map((word) => [word, "online"] as const),
  ...["hybrid", "mixed"].map((word) => [word, "both"] as const),
]);

const readFormat: Reader<EventFormat> = (values, note) => {
  const given = wordsIn(values);
  const known = new Set(given.flatMap((word) => FORMAT_WORDS.get(wordOf(word)) ?? []));
  const what = `${EVENT_FORMATS.join(", ")} or nothing`;
  if (known.size === 0) throw expected(what, values);
  const unknown = given.filter((word) => !FORMAT_WORDS.has(wordOf(word)));
  if (unknown.length > 0) note(`expected ${what}, got ${inReport(unknown)}, which is left out`);
  // A field of several choices, in which both are chosen.
  const [only = "both"] = known;
  return known.size === 1 ? only : "both";
};

const readBackgroundType: Reader<"color" | "image"> = (values, note) => {
  const word = wordOf(textOf(oneOfSeveral(values, note)));
  if (["color", "colour"].includes(word)) return "color";
  if (["image", "picture", "photo"].includes(word)) return "image";
  throw expected("color, image", values);
};

const TYPE_WORDS = new Map<string, ProjectType>([
  ...PROJECT_TYPES.map((type) => [wordOf(type), type] as const),
  ...[["website", "Websites"], ["web", "Websites"]] as const,
  ...[["gamedevelopment", "Gamedev"], ["games", "Gamedev"], ["game", "Gamedev"]] as const,
  ["electronic", "Electronics"],
]);

const readProjectTypes: Reader<ProjectType[]> = (values, note) => {
  const given = wordsIn(values);
  if (given.length > MAX_LIST_LENGTH) {
    throw new CellError(`more than ${MAX_LIST_LENGTH} of them`);
  }
  const unknown = given.filter((word) => !TYPE_WORDS.has(wordOf(word)));
  if (unknown.length > 0) {
    const what = PROJECT_TYPES.join(", ");
    note(`expected ${what}, got ${inReport(unknown)}, which is left out`);
  }
  return [...new Set(given.flatMap((word) => TYPE_WORDS.get(wordOf(word)) ?? []))];
};

/** An address without a scheme, as people type it: a name with a dot and an ending of letters, and what follows it. */
const BARE_HOST =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+(?!(?:pdf|png|jpe?g|gif|webp|avif|heic|svg|html?|txt|docx?|xlsx?|pptx?)$)\p{L}{2,}\.?(?::\d+)?(?:[/?#]\S*)?$/iu;
/** An address that is published as it was typed (RFC 3986); anything else is published as it is parsed. */
const PLAIN_ADDRESS = /^https?:\/\/(?![^/?#]*@)[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/i;
/** Addresses within a text, such as a link of Markdown. */
const ADDRESSES = /https?:\/\/[^\s<>()"\]]+/gi;

/**
 * The http(s) address of a text without user and password; null if it has none. A text with one address in it, such as
 * `[Tickets](https://…)`, stands for that.
 */
function addressOf(typed: string): string | null {
  // Some people paste an address behind the scheme that a form suggests.
  const text = withoutForbidden(typed.toWellFormed()).trim()
    .replace(/^(?:https?:\/\/)+(?=https?:\/\/)/i, "");
  if (text.length > MAX_URL_LENGTH) return null;
  const isBare = BARE_HOST.test(text);
  // Another scheme; a port looks like one.
  if (!isBare && /^(?!https?:)[a-z][a-z\d+.-]*:\S/i.test(text)) return null;
  const whole = text.startsWith("//") ? `https:${text}` : isBare ? `https://${text}` : text;
  const [only, ...others] = /\s|^[^h]/i.test(whole)
    ? new Set(text.match(ADDRESSES)?.map((each) => each.replace(/[.,;:!?]+$/, "")))
    : new Set([whole]);
  if (only === undefined || others.length > 0 || !URL.canParse(only)) return null;
  const url = new URL(only);
  const isPlain = /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  if (!isPlain || url.hostname === "") return null;
  const address = PLAIN_ADDRESS.test(only) ? only : url.href;
  return address.length > MAX_URL_LENGTH ? null : address;
}

const readAddress: Reader<string> = (values, note) => {
  const value = oneOfSeveral(values, note);
  if (isFile(value)) {
    throw new CellError("expected an address, got a file, whose address ends after two hours");
  }
  const typed = isButton(value) ? value["url"] : value;
  // A button whose formula gives nothing.
  if (typed === null) return undefined;
  const address = typeof typed === "string" ? addressOf(typed) : null;
  if (address !== null) {
    const isCut = typeof typed === "string" && /^\s*https?:\S*\s+\S/i.test(typed);
    if (isCut) note(`a space in an address: what follows is left out, ${inReport(typed)}`);
    return address;
  }
  throw expected("an http:// or https:// address without user and password", values);
};

/** The types of files that browsers show. */
const SHOWN_TYPES =
  /^image\/(?:(?:x-)?png|p?jpe?g|gif|webp|avif|svg\+xml|x-icon|vnd\.microsoft\.icon|bmp)\s*(?:;|$)/i;
const SHOWN_NAMES = /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp)$/i;

/** Whether browsers show a file. Without a type and a name it may be anything, and is tried. */
function isShown({ type, filename }: Readonly<Record<string, unknown>>): boolean {
  if (typeof type === "string" && type !== "" && type !== "application/octet-stream") {
    return SHOWN_TYPES.test(type);
  }
  return typeof filename !== "string" || !/\.\w+$/.test(filename) || SHOWN_NAMES.test(filename);
}

/** The address of the largest thumbnail that Airtable offers of a file, for those that browsers do not show. */
function thumbnailOf(file: Readonly<Record<string, unknown>>): string | null {
  const { thumbnails } = file;
  if (typeof thumbnails !== "object" || thumbnails === null) return null;
  const found = Object.values(thumbnails).flatMap((each) => {
    const { url, width, height } = each ?? {};
    const isSized = typeof width === "number" && typeof height === "number";
    return typeof url === "string" ? [{ url, size: isSized ? width * height : 0 }] : [];
  });
  return found.toSorted((a, b) => b.size - a.size)[0]?.url ?? null;
}

/** The first file that browsers show, else the largest thumbnail of the first file that has any. */
const readImage: Reader<EventImage> = (values) => {
  for (const value of values.filter((each) => !isFile(each) || isShown(each))) {
    const typed = isFile(value) || isButton(value) ? value["url"] : value;
    const url = typeof typed === "string" ? addressOf(typed) : null;
    if (url !== null) return { attachmentId: isFile(value) ? value.id : null, url };
  }
  for (const file of values.filter(isFile)) {
    const url = addressOf(thumbnailOf(file) ?? "");
    if (url !== null) return { attachmentId: file.id, url };
  }
  throw expected("a picture that browsers show (PNG, JPEG, GIF, WebP, AVIF, SVG)", values);
};

/** A time of day, or two, may follow a day, which is then that day wherever the reader is. */
const REST = String
  .raw`(?:[T\s,]+\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\.\d+)?\s*(?:[ap]\.?m\.?)?(?:\s*[-–]\s*\d{1,2}[:.]\d{2}\s*(?:[ap]\.?m\.?)?)?)?$`;
/** Days as people type them, where one reading is possible. */
const DAYS: readonly (readonly [RegExp, (...parts: string[]) => readonly (string | number)[]])[] = [
  [new RegExp(String.raw`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})${REST}`), (y, m, d) => [y, m, d]],
  [new RegExp(String.raw`^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})${REST}`), (d, m, y) => [y, m, d]],
  [new RegExp(String.raw`^(\d{1,2})[/-]\1[/-](\d{4})${REST}`), (d, y) => [y, d, d]],
  [/^(\d{4})年(\d{1,2})月(\d{1,2})日/, (y, m, d) => [y, m, d]],
  // The day above 12 tells which number is the month.
  [
    new RegExp(String.raw`^(1[3-9]|2\d|3[01])[/-](\d{1,2})[/-](\d{4})${REST}`),
    (d, m, y) => [y, m, d],
  ],
  [
    new RegExp(String.raw`^(\d{1,2})[/-](1[3-9]|2\d|3[01])[/-](\d{4})${REST}`),
    (m, d, y) => [y, m, d],
  ],
  [
    new RegExp(
      String
        .raw`^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?(\d{1,2})(?:st|nd|rd|th)?\.?[\s-]+([a-z]{3,9})\.?,?[\s-]+(\d{4})${REST}`,
      "i",
    ),
    (d, m, y) => [y, monthOf(m), d],
  ],
  [
    new RegExp(
      String
        .raw`^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})${REST}`,
      "i",
    ),
    (m, d, y) => [y, monthOf(m), d],
  ],
];

function monthOf(name: string): number {
  return MONTHS.findIndex((month) => month.toLowerCase().startsWith(name.toLowerCase())) + 1;
}

/** The second day of a range such as "1–3 December 2026" or "December 1 - 3, 2026". */
const RANGE = /(?<=^(?:[a-z]+\.?\s+)?\d{1,2})\.?\s*[–—-]\s*\d{1,2}(?=\.?,?\s+[a-z\d])/i;
/** The remarks that may stand behind a day: words in brackets, and the letters of a zone behind a time. */
const REMARK = /\s*\([^)]*\)$|(?<=\d:\d{2}(?:\s?[ap]m)?)\s+[A-Z]{2,5}$/;

/** @throws {RangeError} for a text that is no day, or a day that does not exist. */
function dayIn(typed: string): string {
  const text = typed.replace(REMARK, "").replace(RANGE, "");
  for (const [pattern, partsOf] of DAYS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const [year = 0, month = 0, day = 0] = partsOf(...match.slice(1).map(String)).map(Number);
    return Temporal.PlainDate.from({ year, month, day }, { overflow: "reject" }).toString();
  }
  throw new RangeError("no day");
}

/**
 * Whether a text names an instant: a day and a time with an offset, and perhaps with its zone. The minutes of an offset
 * behind a space would be the end of a time ("18:00-22:00"), and no zone is farther from UTC than 14 hours.
 */
const INSTANT =
  /^[+-]?\d{4,6}-\d{2}-\d{2}(?:T|\s(?=\S*:\d{2}:|\S*Z$))\d\S*(?:Z|[+-](?:0\d|1[0-4])(?::?\d{2})?)(?:\[[^\]]*\])*$/i;

/** Reads a cell with a time or a day in it; `read` throws if the text is neither. */
const moment =
  (example: string, read: (text: string) => string): Reader<string> => (values, note) => {
    const typed = oneOfSeveral(values, note);
    // Pasted days have invisible signs around them.
    const text = typeof typed === "string" ? typed.replace(/\p{Cf}/gu, "").trim() : "";
    if (text === "" || text.length > MAX_MOMENT_LENGTH) throw expected(example, values);
    let value: string;
    try {
      value = read(text);
    } catch {
      throw expected(example, values);
    }
    if (RANGE.test(text)) note(`several days: the first is used, ${value}`);
    // Outside these years a date has not the four digits of the API, and does not sort as text.
    if (value >= "1900" && value < "3000") return value;
    throw new CellError(`expected a year from 1900 to 2999, got ${inReport(text)}`);
  };

/** A day; an instant (a column with a time) counts as its day in the organisation's time zone. */
const dayReader = (timeZone: string) =>
  moment(
    "a day that exists, such as 2026-03-12",
    (text) =>
      INSTANT.test(text)
        ? Temporal.Instant.from(text).toZonedDateTimeISO(timeZone).toPlainDate().toString()
        : dayIn(text),
  );

/** An instant; a day, and a time without an offset, are those of the organisation's time zone. */
const instantReader = (timeZone: string) =>
  moment("an instant such as 2026-03-12T09:00:00Z", (text) => {
    const instant = INSTANT.test(text)
      ? Temporal.Instant.from(text)
      : /^\d{4}-\d{2}-\d{2}T\d/.test(text)
      ? Temporal.PlainDateTime.from(text).toZonedDateTime(timeZone).toInstant()
      : Temporal.PlainDate.from(dayIn(text)).toZonedDateTime(timeZone).toInstant();
    return new Date(instant.epochMilliseconds).toISOString();
  });

/**
 * The readers by kind. They throw a {@linkcode CellError}.
 *
 * @param timeZone IANA zone of days and of times without an offset.
 */
export const createReaders = (timeZone: string) => ({
  name: readName,
  text: textUpTo(MAX_TEXT_LENGTH, ", "),
  prose: textUpTo(MAX_PROSE_LENGTH, "\n\n"),
  address: readAddress,
  number: readNumber,
  image: readImage,
  instant: instantReader(timeZone),
  day: dayReader(timeZone),
  boolean: readBoolean,
  format: readFormat,
  backgroundType: readBackgroundType,
  projectTypes: readProjectTypes,
});

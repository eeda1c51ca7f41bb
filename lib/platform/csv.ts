/** Tables as RFC 4180 has them, and as spreadsheets write and copy them. */

/** A table that cannot be read. The message says what to do, for the person who saved it. */
export class TableError extends Error {
  override name = "TableError";
}

interface CsvRecord {
  /** The line on which it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The sentence about a text whose encoding was guessed. */
export const GUESSED =
  "The file is not UTF-8, so its letters were guessed: look at a name with an accent.";

const SAVE_AS_UTF8 = "Save it as “CSV UTF-8 (comma delimited)”, or copy its cells.";
/**
 * Signs of Windows-1252 that stand within no word of a western European language: the text is in another encoding, such
 * as that of Central Europe (`£ukasz` for Łukasz) or of MS-DOS (`M„rz`), or lost letters when it was saved (`?ukasz`).
 */
const FOREIGN =
  /\p{L}[\u0080-\u009f\u00a1-\u00a9\u00ab-\u00b6\u00b8-\u00bf‚ƒ„…†‡ˆ‰‹›•˜™×÷?]\p{L}|[\u0080-\u009f£³¹¿¥¼½¾?]\p{L}|\ufffd/u;
/** Words of which most letters lie beyond ASCII are of another script: `Èâàí` is Иван. */
const FOREIGN_WORD = /(?<!\p{L})[\u00c0-\u00ff]{4,}/u;

/**
 * The text of a file that a spreadsheet saved: UTF-8, UTF-16 ("Unicode text"), Windows-1252 (Excel's "CSV") or Mac OS
 * Roman ("CSV (Macintosh)", which alone ends its lines with a carriage return). For the last two `isGuessed` is true,
 * because other encodings of one byte for each letter, such as Czech ones, can look like them.
 *
 * @throws {TableError} for a file that is no text, or in an encoding that cannot be told.
 */
export function decodeTable(
  bytes: Uint8Array<ArrayBuffer>,
): { readonly text: string; readonly isGuessed: boolean } {
  const starts = (...expected: number[]) => expected.every((byte, at) => bytes[at] === byte);
  if (starts(0x50, 0x4b) || starts(0xd0, 0xcf, 0x11, 0xe0)) {
    throw new TableError(`The file is a workbook, and not CSV. ${SAVE_AS_UTF8}`);
  }
  // Without a byte order mark, every second byte of an ASCII text is zero.
  if (starts(0xff, 0xfe) || bytes[1] === 0) {
    return { text: decode(bytes, "utf-16le"), isGuessed: false };
  }
  if (starts(0xfe, 0xff) || bytes[0] === 0) {
    return { text: decode(bytes, "utf-16be"), isGuessed: false };
  }
  try {
    return { text: decode(bytes, "utf-8"), isGuessed: false };
  } catch {
    const isMacintosh = bytes.includes(0x0d) && !bytes.includes(0x0a);
    const text = decode(bytes, isMacintosh ? "macintosh" : "windows-1252");
    const letters = text.match(/\p{L}/gu)?.length ?? 0;
    const foreign = text.match(/[\u00c0-\u00ff]/g)?.length ?? 0;
    if (!FOREIGN.test(text) && !FOREIGN_WORD.test(text) && foreign * 2 <= letters) {
      return { text, isGuessed: true };
    }
    throw new TableError(`The letters of the file cannot be told. ${SAVE_AS_UTF8}`);
  }
}

function decode(bytes: Uint8Array<ArrayBuffer>, encoding: string): string {
  const text = new TextDecoder(encoding, { fatal: encoding === "utf-8" }).decode(bytes);
  if (!text.includes("\0")) return text;
  throw new TableError(`The file is no text. ${SAVE_AS_UTF8}`);
}

/** The signs between cells: a spreadsheet takes what its region has. */
const SEPARATORS = [",", ";", "\t"];

/**
 * Parses a table into its records. The cells are parted by what a first line such as `sep=;` names, which only Excel
 * writes and reads; else by the comma, semicolon or tab that parts the first record into most cells. Records without
 * any text, and a byte order mark, are left out. Lines end with a line feed, a carriage return or both.
 *
 * @throws {TableError} for a quote that is never closed.
 */
export function* parseCsv(text: string): Generator<CsvRecord> {
  const source = text.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
  const [hint = "", named] = /^"?sep=([,;\t|])"?\n/i.exec(source) ?? [];
  const separator = named ?? chooseSeparator(source);
  const cell = cellBefore(separator);
  let [line, startedAt] = hint === "" ? [1, 1] : [2, 2];
  let cells: string[] = [];
  for (let at = hint.length; at <= source.length; at = cell.lastIndex) {
    cell.lastIndex = at;
    const [whole = "", quoted, unclosed, rest = "", end] = cell.exec(source) ?? [];
    if (unclosed !== undefined) {
      throw new TableError(`line ${line}: a quote is opened that is never closed`);
    }
    cells.push((quoted ?? "").replaceAll('""', '"') + rest);
    line += whole.split("\n").length - 1;
    if (end === separator) continue;
    if (cells.some((each) => each.trim() !== "")) yield { line: startedAt, cells };
    [cells, startedAt] = [[], line];
    if (end === "") break;
  }
}

/** A cell, perhaps in quotes, and what ends it. */
function cellBefore(separator: string): RegExp {
  const end = separator === "|" ? "\\|" : separator;
  return new RegExp(`(?:"((?:[^"]|"")*)"|(")(?![^]*"))?([^${end}\\n]*)(${end}|\\n|$)`, "y");
}

function chooseSeparator(source: string): string {
  const counts = SEPARATORS.map((separator) => {
    const cell = cellBefore(separator);
    let count = 0;
    for (let end: string | undefined = separator; end === separator; count++) {
      end = cell.exec(source)?.[4];
    }
    return count;
  });
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ",";
}

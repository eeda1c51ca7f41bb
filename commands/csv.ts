/** Tables as CSV (RFC 4180), safe to open in a spreadsheet. */

/** A cell: text that may come from anybody, a number as we print it, or nothing. */
export type Cell = string | { readonly number: string } | null;

/** What a spreadsheet takes for the beginning of a formula, wide forms and spaces before it included. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/** Rows as lines that end with CRLF, the last one too. */
export function renderCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(renderCell).join(",")}\r\n`).join("");
}

function renderCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return cell.number;
  // The apostrophe makes it text in every spreadsheet; programs that read the file see it.
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  // An empty text is quoted, so that it is not taken for nothing.
  return text === "" || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

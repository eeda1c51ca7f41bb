/** Tables as RFC 4180 has them, and as spreadsheets write and copy them. */

/**
 * Parses a table into its records, each with the line on which it begins. Commas part its cells, or semicolons or tabs
 * if the first line has no comma. Empty lines and a byte order mark are left out. A quote that is never closed ends
 * with the text.
 */
export function parseCsv(text: string) {
  const source = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const [head = ""] = source.split("\n", 1);
  const separator = [",", ";", "\t"].find((each) => head.includes(each)) ?? ",";
  // A cell, perhaps in quotes, and what ends it.
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)(?:"|$))?([^${separator}\\n]*)(${separator}|\\n|$)`,
    "y",
  );
  const records: { readonly line: number; readonly cells: readonly string[] }[] = [];
  let [line, startedAt] = [1, 1];
  let cells: string[] = [];
  for (let at = 0; at <= source.length; at = cell.lastIndex) {
    cell.lastIndex = at;
    const [whole = "", quoted = "", rest = "", end] = cell.exec(source) ?? [];
    cells.push(quoted.replaceAll('""', '"') + rest);
    line += whole.split("\n").length - 1;
    if (end === separator) continue;
    if (cells.length > 1 || cells[0]?.trim() !== "") records.push({ line: startedAt, cells });
    [cells, startedAt] = [[], line];
    if (end === "") break;
  }
  return records;
}

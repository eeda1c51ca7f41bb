/** Tables as RFC 4180 has them. */

/** A record, and the line on which it begins. */
interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Parses a table; empty lines and a byte order mark are left out. A quote that is never closed ends with the text. */
export function parseCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  let [line, startedAt] = [1, 1];
  let cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  const endRecord = () => {
    cells.push(cell);
    if (cells.length > 1 || cell.trim() !== "") records.push({ line: startedAt, cells });
    [cells, cell] = [[], ""];
  };
  const source = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  for (let at = 0; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === "\n") line++;
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (source.charAt(at + 1) === '"') cell += source.charAt(++at);
      else isQuoted = false;
    } else if (character === '"' && cell === "") isQuoted = true;
    else if (character === ",") {
      cells.push(cell);
      cell = "";
    } else if (character === "\n") {
      endRecord();
      startedAt = line;
    } else cell += character;
  }
  endRecord();
  return records;
}

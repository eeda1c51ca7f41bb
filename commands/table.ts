/** Plain tables, aligned with spaces, without colours or rules, so that `awk` can read them. */

/** The rows as lines with aligned columns, two spaces apart. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from(
    { length: columns },
    (_, column) => Math.max(...rows.map((row) => width(row[column] ?? ""))),
  );
  return rows.map((row) => row.map((cell, column) => pad(cell, widths[column] ?? 0)).join("  "))
    .map((line) => line.trimEnd());
}

function pad(cell: string, to: number): string {
  return cell + " ".repeat(to - width(cell));
}

/** In user-perceived characters; wide ones count as one. */
function width(cell: string): number {
  return [...new Intl.Segmenter().segment(cell)].length;
}

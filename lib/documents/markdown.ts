/** Writing markdown (CommonMark 0.31): escaped text never becomes a heading, a link or code. */

/** Characters with a meaning anywhere in a line. */
const INLINE = /[\\`*_{}[\]<>|~&]/g;
/** Starts of a list, a heading or a rule. */
const LEADING_MARK = /^[-+=#]/;
const LEADING_NUMBER = /^(\d+)([.)])/;
// deno-lint-ignore no-control-regex -- the pattern removes them
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** A text on one line, shown as typed. */
export function escapeText(text: string): string {
  return text.toWellFormed().replace(CONTROLS, "").replace(/\s+/g, " ").trim()
    .replace(INLINE, "\\$&")
    .replace(LEADING_MARK, "\\$&")
    .replace(LEADING_NUMBER, "$1\\$2");
}

/** A text of several lines: an empty line ends a paragraph, other line breaks are kept. */
export function escapeParagraphs(text: string): string {
  return text.split(/\n\s*\n/).map((paragraph) =>
    paragraph.split("\n").map(escapeText).filter((line) => line !== "").join("\\\n")
  ).filter((paragraph) => paragraph !== "").join("\n\n");
}

/** A link; no character of the text or address ends it early. */
export function link(text: string, href: string): string {
  const address = href.replace(/[\s<>\\]/g, encodeURIComponent).replace(/[()]/g, "\\$&");
  return `[${escapeText(text)}](${address})`;
}

/** Joins blocks by empty lines, without the empty blocks. */
export function blocks(...parts: readonly (string | null)[]): string {
  return `${parts.filter((part) => part !== null && part !== "").join("\n\n")}\n`;
}

/** A list with one line for each item. */
export function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

/** A table; a cell is one line of markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

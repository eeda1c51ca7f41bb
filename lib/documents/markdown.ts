/** Writing markdown: people's own words never turn into headings, links or code (CommonMark 0.31). */

import { withoutForbidden } from "../text.ts";

/** Characters that mean something anywhere in a line. */
const INLINE = /[\\`*_{}[\]<>|~&]/g;
/** What means something at the start of a line: a list, a heading, a rule. */
const LEADING_MARK = /^[-+=#]/;
const LEADING_NUMBER = /^(\d+)([.)])/;

/** A text on one line, which markdown shows as it was typed. */
export function escapeText(text: string): string {
  return withoutForbidden(text.toWellFormed().replace(/\s+/g, " ")).trim()
    .replace(INLINE, "\\$&")
    .replace(LEADING_MARK, "\\$&")
    .replace(LEADING_NUMBER, "$1\\$2");
}

/** A text of several lines: empty ones part paragraphs, the others stay lines. */
export function escapeParagraphs(text: string): string {
  return text.split(/\n\s*\n/).map((paragraph) =>
    paragraph.split("\n").map(escapeText).filter((line) => line !== "").join("\\\n")
  ).filter((paragraph) => paragraph !== "").join("\n\n");
}

/** A link; its address stays one whatever is in it. */
export function link(text: string, href: string): string {
  const address = href.replace(/[\s<>\\]/g, encodeURIComponent).replace(/[()]/g, "\\$&");
  return `[${escapeText(text)}](${address})`;
}

/** Blocks with an empty line between them; empty ones are left out. */
export function blocks(...parts: readonly (string | null)[]): string {
  return `${parts.filter((part) => part !== null && part !== "").join("\n\n")}\n`;
}

/** A list, one line each. */
export function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

/** A table; its cells are markdown of one line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

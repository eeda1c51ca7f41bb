/** Writing markdown (CommonMark 0.31). */

import { escapeText } from "./escape.ts";

/** A link; no character of the text or address ends it early. */
export function link(text: string, href: string): string {
  const address = href.replace(/[\s<>\\]/g, encodeURIComponent).replace(/[()]/g, "\\$&");
  return `[${escapeText(text)}](${address})`;
}

/** An address for readers away from the site: a path of the site gets the site's origin. */
export function absolute(href: string, baseUrl: string): string {
  return href.startsWith("/") ? `${baseUrl}${href}` : href;
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

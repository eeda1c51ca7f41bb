/**
 * Text from outside in XML, HTML and markdown: none of it becomes markup. The values of calendars are escaped where their
 * lines are written (`lib/events/feeds/internal/calendar.ts`).
 */

import { withoutForbidden } from "./text.ts";

// XML

/** Everything except the characters of XML 1.0, section 2.2 (`Char`), lone surrogates included. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
/**
 * Hexadecimal as the RSS profile advises; a bare CR would be read as LF (XML 1.0, section 2.11),
 * and in an attribute a line feed or tab as a space (section 3.3.3).
 */
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&#x26;",
  "<": "&#x3C;",
  ">": "&#x3E;",
  '"': "&#x22;",
  "\t": "&#x9;",
  "\n": "&#xA;",
  "\r": "&#xD;",
};

/** A text without the characters that XML forbids. */
export function withoutForbiddenXml(text: string): string {
  return text.replace(NOT_XML, "");
}

/** Character data of an element; the text is one that `withoutForbiddenXml` returned. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>\n\r]/g, (character) => ESCAPES[character] ?? character);
}

/** The value of an attribute in double quotes; the text is one that `withoutForbiddenXml` returned. */
export function escapeAttribute(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}

// HTML

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** The content of an element, and the value of an attribute in double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** A text with its lines as HTML that displays it unchanged. */
export function htmlOf(text: string): string {
  return text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character)
    .replaceAll("\n", "<br>");
}

// Markdown (CommonMark 0.31)

/** Characters with a meaning anywhere in a line. */
const INLINE = /[\\`*_{}[\]<>|~&]/g;
/** Starts of a list, a heading, a rule, or the second line of a table. */
const LEADING_MARK = /^[-+=#:]/;
const LEADING_NUMBER = /^(\d+)([.)])/;

/** A text on one line, shown as typed. */
export function escapeText(text: string): string {
  return escapeBeginning(escapeInline(text).trim());
}

/** A part of a line, shown as typed. */
export function escapeInline(text: string): string {
  return withoutForbidden(text.toWellFormed().replace(/\s+/g, " ")).replace(INLINE, "\\$&");
}

/** A line of markdown whose first signs are no list, heading or rule. */
export function escapeBeginning(line: string): string {
  return line.replace(LEADING_MARK, "\\$&").replace(LEADING_NUMBER, "$1\\$2");
}

/** The notation of iCalendar: content lines (RFC 5545, section 3.1) and the values in them. */

import { withoutForbidden } from "../text.ts";

/** Octets of a line without its end. */
const MAX_OCTETS = 75;
/** Programs may take any of these for the end of a line. */
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
const IS_ASCII = /^[ -~]*$/;

/** A content line with its end, folded so that no character is split. */
export function contentLine(name: string, value: string | number): string {
  const line = `${name}:${value}`;
  if (IS_ASCII.test(line)) {
    // The space that begins a continuation is one of its octets.
    const continued = line.slice(MAX_OCTETS).match(/.{1,74}/g) ?? [];
    return `${[line.slice(0, MAX_OCTETS), ...continued].join("\r\n ")}\r\n`;
  }
  let folded = "";
  let octets = 0;
  for (const character of line) {
    const size = octetsOf(character);
    if (octets + size > MAX_OCTETS) {
      folded += "\r\n ";
      octets = 1;
    }
    folded += character;
    octets += size;
  }
  return `${folded}\r\n`;
}

/** A value of the type TEXT; forbidden characters are left out. */
export function textValue(text: string): string {
  return withoutForbidden(text.replace(LINE_ENDS, "\n"))
    .replace(/[\\;,]/g, "\\$&").replaceAll("\n", "\\n");
}

/** A value of the type DATE. */
export function dateValue(date: string): string {
  return date.replaceAll("-", "");
}

/** The day after a date, as a value of the type DATE. */
export function dayAfter(date: string): string {
  return dateValue(Temporal.PlainDate.from(date).add({ days: 1 }).toString());
}

/** Epoch milliseconds as a value of the type DATE-TIME in UTC, in whole seconds. */
export function instantValue(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString().replace(/\.\d+|[-:]/g, "");
}

function octetsOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

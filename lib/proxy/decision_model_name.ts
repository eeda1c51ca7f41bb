/**
 * The model's name in decisions. Callers say `decision-<version>`; the provider may have its own
 * prefix for the same versions. Only the bytes of the name change on the way, nothing else does.
 */

import { createJsonScanner } from "./json_scan.ts";

const OUR_PREFIX = "decision";
const MODEL = ["model"];
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The request as the provider reads it: every top-level `model` of the form `decision-x` becomes
 * `<prefix>-x`. Without one, `<prefix>-latest` is put in as the first member, and a null, which
 * stands for none, is replaced by it. Any other value stays as it is: the provider judges it.
 *
 * @param bytes the JSON text of an object.
 */
export function toProvider(
  bytes: Uint8Array<ArrayBuffer>,
  prefix: string,
): Uint8Array<ArrayBuffer> {
  const latest = `${prefix}-latest`;
  const values = modelsOf(bytes);
  if (values.length === 0) return insertFirst(bytes, `"model":${JSON.stringify(latest)}`);
  return replace(
    bytes,
    values.flatMap(({ start, end }) => {
      const value = valueOf(bytes.subarray(start, end));
      const name = value === null ? latest : renamed(value, OUR_PREFIX, prefix);
      return name === null ? [] : [{ start, end, text: JSON.stringify(name) }];
    }),
  );
}

/**
 * The answer as the caller reads it: every top-level `model` of the form `<prefix>-x` becomes
 * `decision-x`; an answer without one stays as it is, whether or not it is JSON.
 */
export function toCaller(
  bytes: Uint8Array<ArrayBuffer>,
  prefix: string,
): Uint8Array<ArrayBuffer> {
  return replace(
    bytes,
    modelsOf(bytes).flatMap(({ start, end }) => {
      const name = renamed(valueOf(bytes.subarray(start, end)), prefix, OUR_PREFIX);
      return name === null ? [] : [{ start, end, text: JSON.stringify(name) }];
    }),
  );
}

/** A name of the provider's list as callers write it; one that is not of the form `<prefix>-x` stays as it is. */
export function callersName(name: string, prefix: string): string {
  return renamed(name, prefix, OUR_PREFIX) ?? name;
}

/** New text for the bytes from `start` to before `end`. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function modelsOf(bytes: Uint8Array) {
  const scanner = createJsonScanner([MODEL], Infinity);
  scanner.push(bytes);
  return scanner.end().matches(MODEL);
}

/** The scalar that the bytes are the JSON text of; undefined if they are none. */
function valueOf(raw: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(raw));
  } catch {
    // Not JSON, or an object or array, of which only the bracket was noted: no model's name.
    return undefined;
  }
}

/** The name under the other prefix; null if the value is no name of the first. */
function renamed(value: unknown, from: string, to: string): string | null {
  if (typeof value !== "string" || !value.startsWith(`${from}-`)) return null;
  return to + value.slice(from.length);
}

function insertFirst(bytes: Uint8Array<ArrayBuffer>, member: string): Uint8Array<ArrayBuffer> {
  const brace = bytes.indexOf(OPEN_BRACE);
  if (brace === -1) return bytes;
  const start = brace + 1;
  const isEmpty = bytes[skipSpace(bytes, start)] === CLOSE_BRACE;
  return replace(bytes, [{ start, end: start, text: isEmpty ? member : `${member},` }]);
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while ([0x20, 0x09, 0x0a, 0x0d].includes(bytes[at] ?? 0)) at++;
  return at;
}

/** The bytes with the changes, which are in order; the very same bytes if there are none. */
function replace(
  bytes: Uint8Array<ArrayBuffer>,
  changes: readonly Change[],
): Uint8Array<ArrayBuffer> {
  if (changes.length === 0) return bytes;
  const texts = changes.map(({ text }) => encoder.encode(text));
  const growth = changes.map(({ start, end }, index) => (texts[index]?.length ?? 0) - end + start);
  const result = new Uint8Array(growth.reduce((sum, each) => sum + each, bytes.length));
  let read = 0;
  let written = 0;
  const write = (part: Uint8Array) => {
    result.set(part, written);
    written += part.length;
  };
  changes.forEach(({ start, end }, index) => {
    write(bytes.subarray(read, start));
    write(texts[index] ?? new Uint8Array());
    read = end;
  });
  write(bytes.subarray(read));
  return result;
}

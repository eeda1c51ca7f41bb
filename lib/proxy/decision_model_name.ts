/**
 * The model's name in decisions. Callers write `decision-<version>`; the provider may use another prefix.
 * Only the bytes of the name change.
 */

import { joinBytes } from "../platform/bytes.ts";
import { parseJson } from "../platform/json.ts";
import { endOfText, QUOTE } from "./request_json.ts";

const OUR_PREFIX = "decision";
const SPACE = 0x20;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const BETWEEN = encoder.encode(",:");
const OPENING = encoder.encode("{[");
const CLOSING = encoder.encode("}]");

/**
 * The request with the provider's model name: every top-level `model` of the form `decision-x` becomes
 * `<prefix>-x`. A null becomes `<prefix>-latest`; an absent model is added as the first member with that value.
 * The provider judges any other value.
 *
 * @param bytes the JSON text of an object that is not empty.
 */
export function toProvider(
  bytes: Uint8Array<ArrayBuffer>,
  prefix: string,
): Uint8Array<ArrayBuffer> {
  const latest = `${prefix}-latest`;
  const models = findModels(bytes);
  if (models.length > 0) {
    return replace(
      bytes,
      models,
      (model) => model === null ? latest : renamed(model, OUR_PREFIX, prefix),
    );
  }
  const start = bytes.indexOf("{".charCodeAt(0)) + 1;
  const added = encoder.encode(`"model":${JSON.stringify(latest)},`);
  return joinBytes([bytes.subarray(0, start), added, bytes.subarray(start)]);
}

/**
 * The response with the caller's model name: every top-level `model` of the form `<prefix>-x` becomes
 * `decision-x`. Any other response stays unchanged.
 */
export function toCaller(bytes: Uint8Array<ArrayBuffer>, prefix: string): Uint8Array<ArrayBuffer> {
  return replace(bytes, findModels(bytes), (model) => renamed(model, prefix, OUR_PREFIX));
}

/** The caller's name of a listed model; one that is not of the form `<prefix>-x` stays unchanged. */
export function callersName(name: string, prefix: string): string {
  return renamed(name, prefix, OUR_PREFIX) ?? name;
}

/** The name with the other prefix; null for a value without the first one. */
function renamed(value: unknown, from: string, to: string): string | null {
  if (typeof value !== "string" || !value.startsWith(`${from}-`)) return null;
  return to + value.slice(from.length);
}

/** The place of a value in bytes. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The value of each top-level member `model` of a JSON object; of a container, its bracket alone. */
function findModels(bytes: Uint8Array): Span[] {
  const models: Span[] = [];
  let depth = 0;
  /** The name whose value comes next. */
  let name: Span | null = null;
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    const byte = bytes[start] ?? 0;
    end = endOfToken(bytes, start);
    if (byte <= SPACE || BETWEEN.includes(byte)) continue;
    if (CLOSING.includes(byte)) {
      depth--;
      continue;
    }
    if (depth === 1 && name === null) name = { start, end };
    else if (depth === 1 && name !== null) {
      if (valueAt(bytes, name) === "model") models.push({ start, end });
      name = null;
    }
    if (OPENING.includes(byte)) depth++;
  }
  return models;
}

/** The end of the string, number, literal or single character that begins at a place. */
function endOfToken(bytes: Uint8Array, start: number): number {
  if (bytes[start] === QUOTE) return endOfText(bytes, start) + 1;
  let end = start;
  while (isPlain(bytes[end] ?? SPACE)) end++;
  return Math.max(end, start + 1);
}

/** Whether a byte is of a number or a literal. */
function isPlain(byte: number): boolean {
  return byte > SPACE && byte !== QUOTE && !BETWEEN.includes(byte) && !OPENING.includes(byte) &&
    !CLOSING.includes(byte);
}

/** The value of some bytes; undefined if they are not JSON. */
function valueAt(bytes: Uint8Array, { start, end }: Span): unknown {
  return parseJson(decoder.decode(bytes.subarray(start, end)));
}

/**
 * The bytes with other names in place of some values, which are in order; the very same bytes if nothing changes.
 *
 * @param nameOf the name for a value; null keeps the value.
 */
function replace(
  bytes: Uint8Array<ArrayBuffer>,
  spans: readonly Span[],
  nameOf: (value: unknown) => string | null,
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let read = 0;
  for (const { start, end } of spans) {
    const name = nameOf(valueAt(bytes, { start, end }));
    if (name === null) continue;
    parts.push(bytes.subarray(read, start), encoder.encode(JSON.stringify(name)));
    read = end;
  }
  return read === 0 ? bytes : joinBytes([...parts, bytes.subarray(read)]);
}

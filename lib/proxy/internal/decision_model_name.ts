/**
 * The model's name in decisions. Callers write `decision-<version>`; the provider may use another prefix.
 * Only the bytes of the name change.
 */

import { joinBytes } from "../../platform/bytes.ts";
import { parseJson } from "../../platform/json.ts";
import { endOfText, QUOTE } from "../request_json.ts";

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
  let isNamed = false;
  const changed = replaceModels(bytes, (model) => {
    isNamed = true;
    return model === null ? latest : renamed(model, OUR_PREFIX, prefix);
  });
  if (isNamed) return changed;
  const start = bytes.indexOf("{".charCodeAt(0)) + 1;
  const added = encoder.encode(`"model":${JSON.stringify(latest)},`);
  return joinBytes([bytes.subarray(0, start), added, bytes.subarray(start)]);
}

/**
 * The response with the caller's model name: every top-level `model` of the form `<prefix>-x` becomes
 * `decision-x`. Any other response stays unchanged.
 */
export function toCaller(bytes: Uint8Array<ArrayBuffer>, prefix: string): Uint8Array<ArrayBuffer> {
  return replaceModels(bytes, (model) => renamed(model, prefix, OUR_PREFIX));
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

/**
 * A JSON object's bytes with other names in place of its top-level members `model`; the very same bytes if nothing
 * changes.
 *
 * @param nameOf the name for a value (undefined for a container); null keeps the value.
 */
function replaceModels(
  bytes: Uint8Array<ArrayBuffer>,
  nameOf: (value: unknown) => string | null,
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let read = 0;
  let depth = 0;
  /** The name whose value comes next. */
  let member: { readonly name: unknown } | null = null;
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    const byte = bytes[start] ?? 0;
    end = endOfToken(bytes, start);
    if (byte <= SPACE || BETWEEN.includes(byte)) continue;
    if (CLOSING.includes(byte)) {
      depth--;
      continue;
    }
    const valueOf = () => parseJson(decoder.decode(bytes.subarray(start, end)));
    if (depth === 1 && member === null) member = { name: valueOf() };
    else if (depth === 1) {
      const name = member?.name === "model" ? nameOf(valueOf()) : null;
      member = null;
      if (name !== null) {
        parts.push(bytes.subarray(read, start), encoder.encode(JSON.stringify(name)));
        read = end;
      }
    }
    if (OPENING.includes(byte)) depth++;
  }
  return read === 0 ? bytes : joinBytes([...parts, bytes.subarray(read)]);
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

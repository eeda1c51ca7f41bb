/** The caller's JSON body: parsed by RFC 8259, and refused with the first fault that the engine names. */

import { PublicError } from "../platform/http/errors.ts";
import { isObject, type JsonObject, jsonTypeOf, nameOfType } from "../platform/json.ts";

/** Deeper bodies are refused: the decision provider fails on them (500 at about 1,000 levels). */
export const MAX_DEPTH = 256;
const BOM = [0xef, 0xbb, 0xbf];
const HINT = "Send one JSON object, such as {}, in UTF-8.";

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses a request's body. The last one of several members with the same name counts, as in both providers'
 * parsers; `__proto__` is an ordinary name.
 *
 * @throws {PublicError} `bad_request` for a body that is empty, starts with a byte order mark
 *   (RFC 8259, section 8.1), is not UTF-8 or not JSON, or exceeds the bounds of {@linkcode requireBounds};
 *   `validation_failed` for a JSON value that is not an object.
 */
export function parseRequestJson(
  bytes: Uint8Array<ArrayBuffer>,
  maxValues = Infinity,
): JsonObject {
  if (bytes.length === 0) throw refusal("The body is empty.");
  if (BOM.every((byte, index) => bytes[index] === byte)) {
    throw refusal("The body starts with a byte order mark.", "Send the JSON text without it.");
  }
  requireBounds(bytes, maxValues);
  let text;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw refusal("The body is not valid UTF-8.", "Send the JSON text in UTF-8.", cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const fault = cause instanceof Error ? faultIn(cause.message) : null;
    throw refusal(`The body is not valid JSON${fault === null ? "" : `: ${fault}`}.`, HINT, cause);
  }
  if (isObject(value)) return value;
  const message = `The body must be an object, such as {}, not ${nameOfType(jsonTypeOf(value))}.`;
  const field = "body";
  throw new PublicError("validation_failed", message, { field, errors: [{ field, message }] });
}

function refusal(message: string, hint = HINT, cause?: unknown): PublicError {
  return new PublicError("bad_request", message, { hint, cause });
}

/**
 * Checks the depth and the number of values before the parse, which takes most of a second for a megabyte of brackets
 * or names. The depth is that of the open brackets outside of strings; the commas and brackets are about the values.
 *
 * @throws {PublicError} `bad_request` for JSON that is nested deeper than 256 levels, or has too many values.
 */
export function requireBounds(bytes: Uint8Array, maxValues: number): void {
  let [depth, values] = [0, 0];
  for (let at = 0; at < bytes.length && depth <= MAX_DEPTH && values <= maxValues; at++) {
    // Twice as fast as comparisons: most bytes are none of these.
    switch (bytes[at]) {
      case QUOTE:
        at = endOfText(bytes, at);
        break;
      case COMMA:
        values++;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        depth++;
        values++;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
    }
  }
  if (depth > MAX_DEPTH) {
    throw refusal("The body is nested too deeply.", `Send at most ${MAX_DEPTH} levels.`);
  }
  if (values > maxValues) {
    throw refusal("The body has too many values.", `Send at most ${maxValues}.`);
  }
}

/** The place of the quote that ends the text which another begins; the end of the bytes if none does. */
export function endOfText(bytes: Uint8Array, start: number): number {
  let end = start + 1;
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  return Math.min(end, bytes.length);
}

/** The byte of `"`. */
export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The part of V8's message that repeats no more than one character of the body; null for an unknown message. */
function faultIn(message: string): string | null {
  const [, fault, line, column] = PLACED.exec(message) ?? [];
  if (fault !== undefined) return `${fault} at line ${line}, column ${column}`;
  return UNPLACED.exec(message)?.[0] ?? null;
}

/** A message that quotes the body ends otherwise: `Unexpected token 'x', "…" is not valid JSON`. */
const PLACED = /^(.+?)(?: in JSON)? at position \d+ \(line (\d+) column (\d+)\)$/s;
const UNPLACED = /^Unexpected (?:token '[!-~]'|end)/;

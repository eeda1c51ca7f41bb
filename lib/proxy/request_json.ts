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
 *   (RFC 8259, section 8.1), is not UTF-8 or not JSON, or is nested deeper than 256 levels;
 *   `validation_failed` for a JSON value that is not an object.
 */
export function parseRequestJson(bytes: Uint8Array<ArrayBuffer>): JsonObject {
  if (bytes.length === 0) throw refusal("The body is empty.");
  if (BOM.every((byte, index) => bytes[index] === byte)) {
    throw refusal("The body starts with a byte order mark.", "Send the JSON text without it.");
  }
  const value = parseText(decode(bytes));
  if (isDeeper(value, MAX_DEPTH)) {
    const hint = `Send at most ${MAX_DEPTH} levels.`;
    throw refusal("The body is nested too deeply.", hint);
  }
  if (isObject(value)) return value;
  const message = `The body must be an object, such as {}, not ${nameOfType(jsonTypeOf(value))}.`;
  const field = "body";
  throw new PublicError("validation_failed", message, { field, errors: [{ field, message }] });
}

function refusal(message: string, hint = HINT): PublicError {
  return new PublicError("bad_request", message, { hint });
}

/** Whether a value has more levels of arrays and objects than so many. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const each of value) if (isDeeper(each, levels - 1)) return true;
  } else {
    // All members are its own: JSON gives no object another prototype.
    for (const name in value) if (isDeeper(Reflect.get(value, name), levels - 1)) return true;
  }
  return false;
}

function decode(bytes: Uint8Array<ArrayBuffer>): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new PublicError("bad_request", "The body is not valid UTF-8.", {
      hint: "Send the JSON text in UTF-8.",
      cause: error,
    });
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const fault = error instanceof Error ? faultIn(error.message) : null;
    const what = fault === null ? "" : `: ${fault}`;
    throw new PublicError("bad_request", `The body is not valid JSON${what}.`, {
      hint: HINT,
      cause: error,
    });
  }
}

/** The part of V8's message that repeats no more than one character of the body; null for an unknown message. */
function faultIn(message: string): string | null {
  const [, fault, line, column] = PLACED.exec(message) ?? [];
  if (fault !== undefined) return `${fault} at line ${line}, column ${column}`;
  return UNPLACED.exec(message)?.[0] ?? null;
}

/** A message that quotes the body ends otherwise: `Unexpected token 'x', "…" is not valid JSON`. */
const PLACED = /^(.+?)(?: in JSON)? at position \d+ \(line (\d+) column (\d+)\)$/s;
const UNPLACED = /^Unexpected (?:token '[!-~]'|end)/;

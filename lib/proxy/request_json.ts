/** The caller's JSON body: parsed by RFC 8259, and refused with the place of its first fault. */

import { PublicError } from "../platform/http/errors.ts";
import { isObject, type JsonObject, jsonTypeOf, nameOfType } from "../platform/json.ts";

/** Deeper bodies are refused: the decision provider fails on them (500 at about 1,000 levels). */
export const MAX_DEPTH = 256;
/** A fault is looked for in this part of a body, so that a large one with a fault costs little. */
const SEARCHED_LENGTH = 64 * 1024;
/** Longer than any escape or word, so that none which begins in that part is cut. */
const MAX_TOKEN_LENGTH = 64;
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
  if (isDeeper(value, MAX_DEPTH)) throw tooDeep();
  if (isObject(value)) return value;
  const message = `The body must be an object, such as {}, not ${nameOfType(jsonTypeOf(value))}.`;
  const field = "body";
  throw new PublicError("validation_failed", message, { field, errors: [{ field, message }] });
}

function refusal(message: string, hint = HINT): PublicError {
  return new PublicError("bad_request", message, { hint });
}

function tooDeep(cause?: unknown): PublicError {
  const hint = `Send at most ${MAX_DEPTH} levels.`;
  return new PublicError("bad_request", "The body is nested too deeply.", { hint, cause });
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
    // The engine's message may repeat the body, and often does not name the place.
    const fault = findFault(text.slice(0, SEARCHED_LENGTH + MAX_TOKEN_LENGTH));
    if (fault === "depth") throw tooDeep(error);
    const what = fault === null
      ? `its fault is after the first ${SEARCHED_LENGTH} characters`
      : `${fault.what} at ${placeOf(text, fault.at)}`;
    throw new PublicError("bad_request", `The body is not valid JSON: ${what}.`, {
      hint: HINT,
      cause: error,
    });
  }
}

/** The fault of a text, and its place. */
interface Fault {
  readonly at: number;
  readonly what: string;
}

const SPACE = /[ \t\n\r]*/y;
const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** The characters that end the plain part of a string. */
const STRING_STOP = /["\\]|[^ -\uffff]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const VALUE = "a value";
const NAME = "a name in double quotes";
const COLON = "a colon";
const AFTER = "a comma";

/**
 * The first fault of a text that is not JSON, found without recursion; null if it is not in the part that is searched,
 * `"depth"` if the text is nested too deeply before it.
 */
function findFault(text: string): Fault | "depth" | null {
  /** The closing brackets that are still missing, outermost first. */
  const open: string[] = [];
  let expected = VALUE;
  let mayClose = false;
  for (let at = 0;;) {
    at = endOf(SPACE, text, at);
    if (at > SEARCHED_LENGTH) return null;
    if (open.length > MAX_DEPTH) return "depth";
    const char = text.charAt(at);
    const closing = open.at(-1);
    if (mayClose && char !== "" && char === closing) {
      open.pop();
      [expected, at] = [AFTER, at + 1];
    } else if (expected === AFTER && char === "," && closing !== undefined) {
      [expected, mayClose, at] = [closing === "}" ? NAME : VALUE, false, at + 1];
    } else if (expected === COLON && char === ":") {
      [expected, at] = [VALUE, at + 1];
    } else if (expected === VALUE && (char === "{" || char === "[")) {
      open.push(char === "{" ? "}" : "]");
      [expected, mayClose, at] = [char === "{" ? NAME : VALUE, true, at + 1];
    } else if ((expected === VALUE || expected === NAME) && char === '"') {
      const end = passString(text, at);
      if (typeof end !== "number") return end;
      [expected, mayClose, at] = [expected === NAME ? COLON : AFTER, expected === VALUE, end];
    } else if (expected === VALUE && endOf(WORD, text, at) > at) {
      [expected, mayClose, at] = [AFTER, true, endOf(WORD, text, at)];
    } else {
      const what = `${sayExpected(expected, mayClose, closing)}, got ${show(text, at)}`;
      return { at, what };
    }
  }
}

/** The index after the string that starts at `start`, or the string's fault. */
function passString(text: string, start: number): number | Fault {
  for (let at = start + 1;;) {
    STRING_STOP.lastIndex = at;
    const stop = STRING_STOP.exec(text);
    if ((stop?.index ?? text.length) > SEARCHED_LENGTH) return text.length;
    if (stop === null) return { at: start, what: "a string is not closed" };
    if (stop[0] === '"') return stop.index + 1;
    at = endOf(ESCAPE, text, stop.index);
    if (at > stop.index) continue;
    const what = stop[0] === "\\" ? "an unknown escape" : `an unescaped ${show(text, stop.index)}`;
    return { at: stop.index, what: `a string holds ${what}` };
  }
}

function sayExpected(expected: string, mayClose: boolean, closing: string | undefined): string {
  if (expected === AFTER && closing === undefined) return "expected the end";
  return `expected ${expected}${mayClose ? ` or "${closing}"` : ""}`;
}

/** One readable character of the body; more could show a secret. */
function show(text: string, at: number): string {
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (at === text.length) return "the end";
  if (char === '"') return "a quote";
  if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(char)) return `"${char}"`;
  return `U+${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The index after a sticky pattern's match at `at`; `at` without a match. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** A place as editors show it: lines and columns from 1, columns in characters. */
function placeOf(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.match(/\r\n?|\n/g)?.length ?? 0;
  const start = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
  const column = before.slice(start).replaceAll(/[\ud800-\udbff][\udc00-\udfff]/g, "-").length;
  return `line ${line + 1}, column ${column + 1}`;
}

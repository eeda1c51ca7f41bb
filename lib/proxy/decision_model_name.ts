/**
 * The model's name in decisions. Callers write `decision-<version>`; the provider may use another prefix.
 * Only the bytes of the name change.
 */

import { collectBytes } from "../platform/http/body.ts";
import { parseJson } from "../platform/json.ts";

const OUR_PREFIX = "decision";
const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_BRACE, CLOSE_BRACE] = [0x7b, 0x7d];
/** Set in a brace, clear in a square bracket. */
const BRACE_BIT = 0x20;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

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
  if (models.length === 0) {
    const start = bytes.indexOf(OPEN_BRACE) + 1;
    return replace(bytes, [{ start, end: start }], () => `"model":${JSON.stringify(latest)},`);
  }
  return replace(bytes, models, (model) => {
    const name = model === null ? latest : renamed(model, OUR_PREFIX, prefix);
    return name && JSON.stringify(name);
  });
}

/**
 * The response with the caller's model name: every top-level `model` of the form `<prefix>-x` becomes
 * `decision-x`. Any other response stays unchanged.
 */
export function toCaller(
  bytes: Uint8Array<ArrayBuffer>,
  prefix: string,
): Uint8Array<ArrayBuffer> {
  return replace(bytes, findModels(bytes), (model) => {
    const name = renamed(model, prefix, OUR_PREFIX);
    return name && JSON.stringify(name);
  });
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
  let isName = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      if (depth === 1 && isName && valueOf(bytes, { start: at, end }) === "model") {
        let start = end;
        while (isSpace(bytes[start]) || bytes[start] === COLON) start++;
        models.push({ start, end: endOfScalar(bytes, start) });
      }
      isName = false;
      at = end - 1;
    } else if (byte === COMMA) isName = true;
    else if ((byte | BRACE_BIT) === OPEN_BRACE) {
      depth++;
      isName = true;
    } else if ((byte | BRACE_BIT) === CLOSE_BRACE) depth--;
  }
  return models;
}

/** The index after the string that begins at `start`: after a quote that an even number of backslashes precedes. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1;; at++) {
    at = bytes.indexOf(QUOTE, at);
    if (at === -1) return bytes.length;
    let first = at;
    while (bytes[first - 1] === BACKSLASH) first--;
    if ((at - first) % 2 === 0) return at + 1;
  }
}

function endOfScalar(bytes: Uint8Array, start: number): number {
  if (bytes[start] === QUOTE) return endOfString(bytes, start);
  let end = start + 1;
  while (
    end < bytes.length && !isSpace(bytes[end]) && bytes[end] !== COMMA && bytes[end] !== CLOSE_BRACE
  ) {
    end++;
  }
  return end;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function valueOf(bytes: Uint8Array, { start, end }: Span): unknown {
  return parseJson(decoder.decode(bytes.subarray(start, end)));
}

/**
 * The bytes with other text in place of some spans, which are in order; the very same bytes if nothing changes.
 *
 * @param textOf the new text for a span's JSON value; null keeps the span.
 */
function replace(
  bytes: Uint8Array<ArrayBuffer>,
  spans: readonly Span[],
  textOf: (value: unknown) => string | null,
): Uint8Array<ArrayBuffer> {
  const result = collectBytes();
  let read = 0;
  for (const span of spans) {
    const text = textOf(valueOf(bytes, span));
    if (text === null) continue;
    result.push(bytes.subarray(read, span.start));
    result.push(encoder.encode(text));
    read = span.end;
  }
  if (read === 0) return bytes;
  result.push(bytes.subarray(read));
  return result.take();
}

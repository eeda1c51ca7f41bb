/**
 * The model's name in decisions. Callers write `decision-<version>`; the provider may use another prefix.
 * Only the bytes of the name change.
 */

import { collectBytes } from "../platform/http/body.ts";
import { parseJson } from "../platform/json.ts";
import { JsonScanner } from "./json_scan.ts";

const OUR_PREFIX = "decision";
const MODEL = ["model"];
const PATHS = [MODEL];
const OPEN_BRACE = 0x7b;

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
  const models = modelsOf(bytes);
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
 * `decision-x`. Any other response stays unchanged, even if it is not JSON.
 */
export function toCaller(
  bytes: Uint8Array<ArrayBuffer>,
  prefix: string,
): Uint8Array<ArrayBuffer> {
  return replace(bytes, modelsOf(bytes), (model) => {
    const name = renamed(model, prefix, OUR_PREFIX);
    return name && JSON.stringify(name);
  });
}

/** The caller's name of a listed model; one that is not of the form `<prefix>-x` stays unchanged. */
export function callersName(name: string, prefix: string): string {
  return renamed(name, prefix, OUR_PREFIX) ?? name;
}

function modelsOf(bytes: Uint8Array) {
  const scanner = new JsonScanner(PATHS, Infinity);
  scanner.push(bytes);
  return scanner.matches(MODEL);
}

/** The name with the other prefix; null for a value without the first one. */
function renamed(value: unknown, from: string, to: string): string | null {
  if (typeof value !== "string" || !value.startsWith(`${from}-`)) return null;
  return to + value.slice(from.length);
}

/**
 * The bytes with other text in place of some spans, which are in order; the very same bytes if nothing changes.
 *
 * @param textOf the new text for a span's JSON value; null keeps the span.
 */
function replace(
  bytes: Uint8Array<ArrayBuffer>,
  spans: readonly { readonly start: number; readonly end: number }[],
  textOf: (value: unknown) => string | null,
): Uint8Array<ArrayBuffer> {
  const result = collectBytes();
  let read = 0;
  for (const { start, end } of spans) {
    const text = textOf(parseJson(decoder.decode(bytes.subarray(start, end))));
    if (text === null) continue;
    result.push(bytes.subarray(read, start));
    result.push(encoder.encode(text));
    read = end;
  }
  if (read === 0) return bytes;
  result.push(bytes.subarray(read));
  return result.take();
}

/**
 * Stored values as JSON. A value that JSON lacks is written as an object with one member, whose name begins with `$`.
 * No stored object has such a member.
 */

import { isObject } from "../../platform/json.ts";

/** An amount has a few digits. A million of them would take long to read. */
const BIGINT = /^-?\d{1,1000}$/;

/**
 * The JSON text of a value.
 *
 * @throws {TypeError} for a value that nothing stores, such as a `Date` or `NaN`.
 */
export function encodeValue(value: unknown): string {
  return JSON.stringify(toJson(value));
}

/**
 * The value of a JSON text.
 *
 * @throws {Error} for a text that `encodeValue` does not make.
 */
export function decodeValue(text: string): unknown {
  return fromJson(JSON.parse(text));
}

function toJson(value: unknown): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (Number.isFinite(value)) return value;
  if (typeof value === "bigint") return { $bigint: String(value) };
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Deno.KvU64) return { $u64: String(value.value) };
  if (value instanceof Uint8Array) return { $bytes: value.toBase64() };
  const type = Object.prototype.toString.call(value);
  if (!isObject(value) || type !== "[object Object]") {
    throw new TypeError(`${type} cannot be written`);
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  for (const [name] of members) {
    if (name.startsWith("$")) throw new TypeError(`the member ${name} cannot be written`);
  }
  return Object.fromEntries(members.map(([name, member]) => [name, toJson(member)]));
}

function fromJson(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(fromJson);
  const members = Object.entries(json);
  const [name = "", text] = members[0] ?? [];
  if (!name.startsWith("$")) {
    return Object.fromEntries(members.map(([name, member]) => [name, fromJson(member)]));
  }
  if (typeof text === "string" && members.length === 1) {
    if (name === "$bigint" && BIGINT.test(text)) return BigInt(text);
    if (name === "$u64" && BIGINT.test(text)) return new Deno.KvU64(BigInt(text));
    if (name === "$bytes") return Uint8Array.fromBase64(text);
  }
  throw new TypeError("a value of an unknown type");
}

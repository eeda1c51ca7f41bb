/** JSON from outside: parsed without throwing, read without trust. */

/** A JSON object. Read its members with {@linkcode memberOf}: `constructor` may be one. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const TYPE_NAMES = {
  string: "a string",
  object: "an object",
  array: "an array",
  null: "null",
  number: "a number",
  boolean: "a boolean",
} as const;

/** The type of a JSON value. */
export type JsonType = keyof typeof TYPE_NAMES;

/** The type of a value that was parsed from JSON. */
export function jsonTypeOf(value: unknown): JsonType {
  if (value === null) return "null";
  // JSON has no other types.
  return Array.isArray(value) ? "array" : typeof value as JsonType;
}

/** A type with its article, for sentences. */
export function nameOfType(type: JsonType): string {
  return TYPE_NAMES[type];
}

/** Whether a value is an object, and neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member of an object by its name; undefined if the object has none of its own. */
export function memberOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The value at the end of a path of members; undefined if there is none. */
export function memberAt(object: JsonObject, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => isObject(at) ? memberOf(at, name) : undefined, object);
}

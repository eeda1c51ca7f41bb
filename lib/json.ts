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

/** Whether a value is an object, and neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member of an object by its name; undefined if the object has none of its own. */
export function memberOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

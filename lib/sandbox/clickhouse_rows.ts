// The rows of an INSERT in the format JSONEachRow: objects one after the other, on lines of their own or not.

import { ClickHouseError } from "./clickhouse_errors.ts";
import { JsonNumber, unreadable } from "./clickhouse_values.ts";

/** @throws {ClickHouseError} for text that is not a sequence of objects. */
export function parseRows(text: string): ReadonlyMap<string, unknown>[] {
  return [...splitObjects(text)].map((object) => {
    const value = parse(object);
    // JSON's own reader keeps the last of two fields with one name.
    const names = Object.keys(value);
    if (names.length === countFields(object)) return new Map(Object.entries(value));
    const message = "Duplicate field found while parsing JSONEachRow format";
    throw new ClickHouseError(117, 400, message, "INCORRECT_DATA");
  });
}

/** Each object's text; between them there may be white space and a comma. */
function* splitObjects(text: string): Generator<string> {
  const between = /[\s,]*/y;
  // An object that ends: braces outside of strings are counted.
  const piece = /"(?:[^"\\]|\\.)*"|[{}]|[^"{}]+/sy;
  for (let at = 0;;) {
    between.lastIndex = at;
    between.exec(text);
    const start = between.lastIndex;
    if (start >= text.length) return;
    if (text[start] !== "{") {
      throw unreadable(`expected '{' before: '${text.slice(start, start + 40)}'`);
    }
    let depth = 0;
    at = start;
    do {
      piece.lastIndex = at;
      const [found] = piece.exec(text) ?? [];
      if (found === undefined) {
        const message = "Unexpected end of stream while parsing JSONEachRow format";
        throw new ClickHouseError(33, 400, message, "CANNOT_READ_ALL_DATA");
      }
      depth += found === "{" ? 1 : found === "}" ? -1 : 0;
      at += found.length;
    } while (depth > 0);
    yield text.slice(start, at);
  }
}

function parse(object: string): object {
  try {
    return JSON.parse(
      object,
      (_name, value: unknown, { source }: { source?: string } = {}) =>
        typeof value === "number" ? new JsonNumber(source ?? String(value)) : value,
    );
  } catch (error) {
    if (error instanceof SyntaxError) throw unreadable(error.message);
    throw error;
  }
}

/** The names of the outermost object, repeated ones included. */
function countFields(object: string): number {
  let depth = 0;
  let count = 0;
  for (const [piece] of object.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/gs)) {
    if (piece === "{" || piece === "[") depth++;
    else if (piece === "}" || piece === "]") depth--;
    else if (piece === ":" && depth === 1) count++;
  }
  return count;
}

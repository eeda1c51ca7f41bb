/** A query string: an unknown parameter or value is refused, with the nearest one that is known. */

import {
  type Given,
  type ParameterSchema,
  type ParameterTable,
  partsOf,
  readParameters,
} from "../parameters.ts";
import { nearestName } from "../nearest.ts";
import { quoted } from "../text.ts";
import { PublicError } from "./errors.ts";

/** No endpoint needs a longer query string. */
const MAX_QUERY_LENGTH = 2_048;

/**
 * Reads a query string by its parameters. Names and values are case-sensitive. A list may be repeated, separated by
 * commas, or both.
 *
 * @param search the query string, with or without its `?`.
 * @throws {PublicError} `bad_request` for an unknown name, a repeated single value, or a value that is not
 *   allowed; the hint says what is allowed, with the nearest name for a typo.
 */
export function parseQuery<P extends ParameterTable>(search: string, parameters: P): Given<P> {
  if (search.length > MAX_QUERY_LENGTH) {
    throw invalidQuery(
      "The query string is too long.",
      `It may have ${MAX_QUERY_LENGTH} characters.`,
    );
  }
  // Most requests have no query, and even an empty `URLSearchParams` costs time.
  if (search === "") return {};
  const query = new URLSearchParams(search);
  for (const name of new Set(query.keys())) {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (parameter === undefined) throw unknownParameter(name, Object.keys(parameters));
    const { schema } = parameter;
    const parts = partsOf(query, name, parameter);
    if (schema.type !== "array" && parts.length > 1) {
      const message = `The parameter ${name} is given ${parts.length} times.`;
      throw invalidQuery(message, `Give ${name} once.`);
    }
    const wrong = parts.find((part) => parameter.read(part) === undefined);
    if (wrong !== undefined) {
      throw invalidQuery(
        `${quoted(wrong)} is not a valid value for ${name}.`,
        `${name} is ${allowedBy(schema)}${suggestion(wrong, optionsOf(schema))}`,
      );
    }
  }
  return readParameters(query, parameters);
}

/** The allowed values, as the end of a sentence: "one of asc, desc". */
function allowedBy(schema: ParameterSchema): string {
  const { type, format, pattern, minimum, maximum, maxLength } = schema.items ?? schema;
  const options = optionsOf(schema);
  if (options.length > 0) return `one of ${options.join(", ")}`;
  if (type === "integer") return `a whole number from ${minimum} to ${maximum}`;
  if (format === "date") return "a date that exists, such as 2026-12-05";
  if (format === "date-time") {
    return "a time such as 2026-11-21T12:00:00Z; a plus sign is sent as %2B";
  }
  if (pattern !== undefined) return "a year such as 2026";
  return `a text of at most ${maxLength} characters`;
}

/** The values of a choice, one of which a typo may mean; none for other kinds. */
function optionsOf({ type, enum: options, items }: ParameterSchema): readonly string[] {
  return type === "boolean" ? ["true", "false"] : options ?? items?.enum ?? [];
}

function unknownParameter(name: string, known: readonly string[]): PublicError {
  const hint = known.length === 0
    ? "This address takes no parameters."
    : `The parameters are ${known.join(", ")}${suggestion(name, known)}`;
  return invalidQuery(`There is no parameter ${quoted(name)}.`, hint);
}

/** The error for a query string that is not understood. */
export function invalidQuery(message: string, hint: string): PublicError {
  return new PublicError("bad_request", message, { hint });
}

/** The end of a hint: the nearest name if it is a likely typo. */
function suggestion(given: string, known: readonly string[]): string {
  const text = given.slice(0, 40).toLowerCase();
  const lower = known.map((name) => name.toLowerCase());
  const { name = "", edits = Infinity } = nearestName(text, lower) ?? {};
  // In a name of three letters, two edits make another word.
  const isNear = edits <= Math.min(2, text.length / 2);
  return isNear ? `; did you mean ${known[lower.indexOf(name)]}?` : ".";
}

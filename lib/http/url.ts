/**
 * A request's URL: its path, and its query string. An unknown parameter or value is refused, with the nearest one that
 * is known.
 */

import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";
import { PublicError } from "./errors.ts";

/** No endpoint needs a longer query string. */
const MAX_QUERY_LENGTH = 2_048;

/** A choice, a list of choices, or a whole number between two bounds. */
type Parameter = z.ZodEnum | z.ZodArray<z.ZodEnum> | z.ZodNumber;

/** The given values, by parameter; a parameter that was not given is absent. */
export type Given<P extends Readonly<Record<string, Parameter>>> = {
  [Name in keyof P]?: z.output<P[Name]>;
};

/**
 * Reads a query string by the schemas of its parameters. Names and values are case-sensitive. A list may be
 * repeated, separated by commas, or both.
 *
 * @param search the query string, with or without its `?`.
 * @throws {PublicError} `bad_request` for an unknown name, a repeated single value, or a value that is not
 *   allowed; the hint says what is allowed, with the nearest name for a typo.
 */
export function parseQuery<P extends Readonly<Record<string, Parameter>>>(
  search: string,
  parameters: P,
): Given<P> {
  if (search.length > MAX_QUERY_LENGTH) {
    throw refused("The query string is too long.", `It may have ${MAX_QUERY_LENGTH} characters.`);
  }
  const given: Record<string, unknown> = {};
  // Most requests have no query, and even an empty `URLSearchParams` costs time.
  if (search === "") return given as Given<P>;
  const query = new URLSearchParams(search);
  for (const name of new Set(query.keys())) {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (parameter === undefined) throw unknownParameter(name, Object.keys(parameters));
    given[name] = parseValues(name, query.getAll(name), parameter);
  }
  // Every value was parsed by the schema of its name.
  return given as Given<P>;
}

/**
 * The path of a URL, with slash runs collapsed and dot segments resolved. The host is ignored, since it may be
 * invalid in a URL.
 */
export function pathOf(url: string): string {
  const [, path = ""] = /^[^:]*:\/\/[^/?#]*([^?#]*)/.exec(url) ?? [];
  // Only a path that parsing would change is parsed.
  if (path !== "" && !/\/\/|\/\.|%2e|\\|[^\x21-\x7e]/i.test(path)) return path;
  return new URL(`http://localhost${path}`).pathname.replace(/\/\/+/g, "/");
}

/** The query string of a request's URL, with its `?`; "" without one. */
export function searchOf(url: string): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start);
}

function parseValues(name: string, values: readonly string[], parameter: Parameter): unknown {
  if (parameter instanceof z.ZodArray) {
    const parts = values.flatMap((value) => value.split(","));
    return [...new Set(parts.map((part) => parseValue(name, part, parameter.element)))];
  }
  const [value = ""] = values;
  if (values.length === 1) return parseValue(name, value, parameter);
  throw refused(`The parameter ${name} is given ${values.length} times.`, `Give ${name} once.`);
}

function parseValue(name: string, value: string, parameter: z.ZodEnum | z.ZodNumber): unknown {
  const isNumber = parameter instanceof z.ZodNumber;
  const number = /^(?:0|[1-9]\d{0,8})$/.test(value) ? Number(value) : NaN;
  const parsed = parameter.safeParse(isNumber ? number : value);
  if (parsed.success) return parsed.data;
  const options = isNumber ? [] : parameter.options.map(String);
  const allowed = isNumber
    ? `a whole number from ${parameter.minValue} to ${parameter.maxValue}.`
    : `one of ${options.join(", ")}${suggestion(value, options)}`;
  throw refused(`${quote(value)} is not a valid value for ${name}.`, `${name} is ${allowed}`);
}

function unknownParameter(name: string, known: readonly string[]): PublicError {
  const hint = known.length === 0
    ? "This address takes no parameters."
    : `The parameters are ${known.join(", ")}${suggestion(name, known)}`;
  return refused(`There is no parameter ${quote(name)}.`, hint);
}

function refused(message: string, hint: string): PublicError {
  return new PublicError("bad_request", message, { hint });
}

/** The end of a hint: the nearest name if it is a likely typo. */
function suggestion(given: string, known: readonly string[]): string {
  const text = given.slice(0, 40).toLowerCase();
  const nearest = closest(text, known);
  return distance(text, nearest) <= 2 ? `; did you mean ${nearest}?` : ".";
}

/** Characters that JSON leaves unescaped, but that are invisible or change the direction of a sentence. */
const UNSEEN = /[\u007f-\u009f\p{Bidi_Control}\p{Noncharacter_Code_Point}]/gu;

/** The caller's text in a sentence: short, on one line, every character visible. */
function quote(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
    .replace(UNSEEN, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}

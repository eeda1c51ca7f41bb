/** Strict query strings: what is not understood is refused, with what would have been. */

import { closest, distance } from "fastest-levenshtein";
import { PublicError } from "./errors.ts";

/** Longer query strings hold nothing that any endpoint understands. */
const MAX_QUERY_LENGTH = 2_048;

/** What a parameter may be. */
export type Parameter =
  | { readonly kind: "one"; readonly allowed: readonly string[] }
  | { readonly kind: "some"; readonly allowed: readonly string[] }
  | { readonly kind: "integer"; readonly min: number; readonly max: number };

/** The values that were given, by parameter; a parameter that was not given is absent. */
export type Given<P extends Readonly<Record<string, Parameter>>> = {
  [Name in keyof P]?: P[Name] extends { kind: "integer" } ? number
    : P[Name] extends { kind: "one"; allowed: readonly (infer Value)[] } ? Value
    : P[Name] extends { kind: "some"; allowed: readonly (infer Value)[] } ? readonly Value[]
    : never;
};

/**
 * Reads a query string. Names and values are case-sensitive; a `some` parameter may be repeated, hold
 * a comma-separated list, or both.
 *
 * @param search the query string, with or without its `?`.
 * @throws {PublicError} `bad_request` for an unknown name, a repeated single value, or a value that
 *   is not allowed; the hint says what is, with the nearest name for a typo.
 */
export function parseQuery<const P extends Readonly<Record<string, Parameter>>>(
  search: string,
  parameters: P,
): Given<P> {
  if (search.length > MAX_QUERY_LENGTH) {
    throw new PublicError("bad_request", "The query string is too long.", {
      hint: `At most ${MAX_QUERY_LENGTH} characters are read.`,
    });
  }
  const given: Record<string, unknown> = {};
  // Most requests ask for nothing special, and an empty `URLSearchParams` has its price too.
  if (search === "") return given as Given<P>;
  const query = new URLSearchParams(search);
  for (const name of new Set(query.keys())) {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (parameter === undefined) throw unknownParameter(name, Object.keys(parameters));
    given[name] = parseValues(name, query.getAll(name), parameter);
  }
  // Every value was made by the parameter of its name.
  return given as Given<P>;
}

/** The query string of a request's URL, with its `?`; "" without one. */
export function searchOf(url: string): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start);
}

function parseValues(name: string, values: readonly string[], parameter: Parameter): unknown {
  if (parameter.kind === "some") {
    const parts = values.flatMap((value) => value.split(","));
    for (const part of parts) allow(name, part, parameter.allowed);
    return [...new Set(parts)];
  }
  const [value = ""] = values;
  if (values.length > 1) {
    throw new PublicError("bad_request", `The parameter ${name} is given ${values.length} times.`, {
      hint: `Give ${name} once.`,
    });
  }
  if (parameter.kind === "one") return allow(name, value, parameter.allowed);
  const { min, max } = parameter;
  const number = /^[1-9]\d{0,8}$|^0$/.test(value) ? Number(value) : NaN;
  if (number >= min && number <= max) return number;
  throw new PublicError("bad_request", `The value ${quote(value)} of ${name} is not understood.`, {
    hint: `${name} is a whole number from ${min} to ${max}.`,
  });
}

function allow(name: string, value: string, allowed: readonly string[]): string {
  if (allowed.includes(value)) return value;
  throw new PublicError("bad_request", `The value ${quote(value)} of ${name} is not understood.`, {
    hint: `${name} is one of ${allowed.join(", ")}${suggestion(value, allowed)}`,
  });
}

function unknownParameter(name: string, known: readonly string[]): PublicError {
  return new PublicError("bad_request", `There is no parameter ${quote(name)}.`, {
    hint: known.length === 0
      ? "This address takes no parameters."
      : `The parameters are ${known.join(", ")}${suggestion(name, known)}`,
  });
}

/** The end of a hint: the nearest name if it may have been meant. */
function suggestion(given: string, known: readonly string[]): string {
  const nearest = closest(given.slice(0, 40).toLowerCase(), known);
  return distance(given.slice(0, 40).toLowerCase(), nearest) <= 2
    ? `; did you mean ${nearest}?`
    : ".";
}

/** What JSON leaves as it is, but no page may show, or would turn the sentence around. */
const UNSEEN = /[\u007f-\u009f\p{Bidi_Control}\p{Noncharacter_Code_Point}]/gu;

/** The caller's own text in a sentence: short, on one line, every character of it to be seen. */
function quote(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
    .replace(UNSEEN, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}

/** The parameters of query strings: how each is read, what is refused, and the description of each in the reference. */

import { z } from "zod";
import { PublicError } from "./http/errors.ts";
import { nearestName } from "./nearest.ts";
import { quoted } from "./text.ts";

/** A parameter whose value is a `T`. */
interface Parameter<T> {
  /** Reads a text; for a list, that of one of its values. */
  readonly value: z.ZodType<T extends readonly (infer Part)[] ? Part : T>;
  /** The JSON schema, from which errors and the reference take their words; a list has the type `array`. */
  readonly schema: ParameterSchema;
}

/** A JSON schema, as far as parameters use the format. */
interface ParameterSchema {
  readonly type: "string" | "integer" | "boolean" | "array";
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly items?: ParameterSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/** Parameters by their names. */
// deno-lint-ignore no-explicit-any -- a table has parameters of different types
export type ParameterTable = Readonly<Record<string, Parameter<any>>>;

/** The given values, by parameter; a parameter that was not given is absent. */
export type Given<P extends ParameterTable> = {
  [Name in keyof P]?: P[Name] extends Parameter<infer T> ? T : never;
};

/**
 * The mistakes that are refused; the rest is ignored. A program hears of each mistake. A feed or a calendar is asked for with names
 * that others add to its address, but a filter that it drops would give its reader other events. A page is for people.
 */
export type Refused = "names and values" | "values" | "nothing";

/** The longest query string that is read. */
export const MAX_QUERY_LENGTH = 2_048;

/**
 * Reads a query string by its parameters. The case of letters, spaces, hyphens and underscores in names and choices do
 * not matter, and a parameter without a value counts as not given. Lists are separated by commas, semicolons or bars,
 * repeated, or written `name[]` and `name[0]`, as clients write them. Names of trackers and cache breakers are always
 * ignored. Of different values for a single one, the last counts if none is refused.
 *
 * @param search the query string, with or without its `?`.
 * @throws {PublicError} `bad_request` for what is refused; the hint says what is allowed, with the nearest name.
 */
export function parseQuery<P extends ParameterTable>(
  search: string,
  parameters: P,
  refused: Refused = "names and values",
): Given<P> {
  // Most requests have no query, and even an empty `URLSearchParams` costs time.
  if (search === "") return {};
  if (search.length > MAX_QUERY_LENGTH) {
    if (refused === "nothing") return {};
    throw invalidQuery(
      "The query string is too long.",
      `It may have ${MAX_QUERY_LENGTH} characters.`,
    );
  }
  const given: Record<string, unknown> = {};
  const known = namesOf(parameters);
  for (const [typed, text] of new URLSearchParams(search)) {
    if (text.trim() === "") continue;
    const folded = foldName(typed);
    const name = known.get(folded);
    const parameter = name === undefined ? undefined : parameters[name];
    if (name === undefined || parameter === undefined) {
      if (refused === "names and values" && !ADDED_BY_OTHERS.test(folded)) {
        throw unknownParameter(typed, Object.keys(parameters));
      }
      continue;
    }
    for (const part of partsOf(text, parameter)) {
      const { success, data } = parameter.value.safeParse(part);
      const before = given[name];
      if (!success) {
        if (refused !== "nothing") throw invalidValue(part, name, parameter);
      } else if (parameter.schema.type === "array") {
        // Only lists are stored under the name of a list.
        given[name] = [...new Set(before as unknown[] ?? []).add(data)];
      } else if (refused !== "nothing" && before !== undefined && before !== data) {
        throw invalidQuery(`The parameter ${name} has different values.`, `Give ${name} once.`);
      } else given[name] = data;
    }
  }
  // Every value was read by the parameter of its name.
  return given as Given<P>;
}

/** Text without the differences between spellings of a name or a choice: `Start Date`, `start_date`, `startDate`. */
function fold(text: string): string {
  return text.toLowerCase().replace(/[\s_-]/g, "");
}

/** A name as it is compared, without the brackets of a list and the rest of an ampersand that was copied from HTML. */
function foldName(name: string): string {
  return fold(name.replace(/^(?:amp;)+|\[\d*\]$/g, ""));
}

function namesOf(parameters: ParameterTable): ReadonlyMap<string, string> {
  return new Map(Object.keys(parameters).map((name) => [fold(name), name]));
}

/** The texts of a parameter's values; only choices hold no separator. */
function partsOf(text: string, { schema }: Parameter<unknown>): string[] {
  const parts = schema.items?.enum === undefined ? [text] : text.split(/[,;|]/);
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/**
 * Names, folded, that social networks, newsletters, advertisements and scripts add to any address: trackers (utm_*,
 * *clid, the families of Matomo, HubSpot, Facebook, Mailchimp, MailerLite, Olytics, Vero, Google and Branch, and single
 * ones), and cache breakers, such as jQuery's `_` and bare numbers.
 */
const ADDED_BY_OTHERS = new RegExp(
  `^(?:${
    [
      "\\d*|utm.*|.*cl(?:ic)?k?id|(?:mtm|pk|hsa|fb|mc|ml|oly|vero|gad|branch|xtr).*",
      "ga|gl|gclsrc|[gw]braid|srsltid|igsh|igshid|mibextid|sfnsn|lifatid|rdtcid|epik|sccid|scid|skwcid|efid",
      "openstat|mkttok|hsenc|hsmi|hssc|hstc|hsfp|hsctatracking|ke|kx|wickedid|cksubscriberid|bbeml|bhlid",
      "ref|refsrc|refurl|referrer|referer|si|spm|trk|xtor|cmpid|icid|dnt",
      "(?:no|bust)?cache|cachebust(?:er)?|cb|bust(?:er)?|nc|dc|zx|t|ts|timestamp|v|ver|r|rnd|rand|random|nonce",
      "refresh|reload",
    ].join("|")
  })$`,
);

/** The allowed values, as the end of a sentence: "one of asc, desc". */
function allowedBy(schema: ParameterSchema): string {
  const { type, format, pattern, minimum, maximum, maxLength } = schema.items ?? schema;
  const options = optionsOf(schema);
  if (options.length > 0) return `one of ${options.join(", ")}`;
  if (type === "integer") return `a whole number from ${minimum} to ${maximum}`;
  if (format === "date") return "a date that exists, such as 2026-12-05";
  if (format === "date-time") return "a time such as 2026-11-21T12:00:00Z";
  if (pattern !== undefined) return "a year or a month, such as 2026 or 2026-06";
  return `a text of at most ${maxLength} characters`;
}

/** The values of a choice, one of which a typo may mean; none for other kinds. */
function optionsOf({ type, enum: options, items }: ParameterSchema): readonly string[] {
  return type === "boolean" ? ["true", "false"] : options ?? items?.enum ?? [];
}

function invalidValue(text: string, name: string, { schema }: Parameter<unknown>): PublicError {
  return invalidQuery(
    `${quoted(text)} is not a valid value for ${name}.`,
    `${name} is ${allowedBy(schema)}${suggestion(text, optionsOf(schema))}`,
  );
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

function single<T>(value: Parameter<T>["value"]): Parameter<T> {
  const { $schema: _draft, ...schema } = z.toJSONSchema(value);
  // The pattern only repeats the format.
  if (schema.format !== undefined) delete schema.pattern;
  // The functions below make no other schemas.
  return { value, schema: schema as ParameterSchema };
}

function listOf<T>({ value, schema }: Parameter<T>): Parameter<readonly T[]> {
  // A value of no list is that of a list's part, which the compiler cannot see while `T` is open.
  return { value, schema: { type: "array", items: schema } } as Parameter<readonly T[]>;
}

/** One of some values. */
export function oneOf<const T extends string>(options: readonly T[]): Parameter<T> {
  const meant = new Map<unknown, T>(options.map((option) => [fold(option), option]));
  const choice = z.preprocess((text) => meant.get(fold(String(text))), z.enum(options));
  // A choice of texts is not a list, which the compiler cannot see while the texts are open.
  return single(choice as z.ZodType) as Parameter<T>;
}

/** Any of some values. */
export function anyOf<const T extends string>(options: readonly T[]): Parameter<readonly T[]> {
  return listOf(oneOf(options));
}

/** Yes or no. */
export const FLAG: Parameter<boolean> = single(
  z.stringbool({ truthy: ["true"], falsy: ["false"] }),
);

/** A whole number between two bounds, 0 or more, without leading zeros. */
export function wholeNumber(minimum: number, maximum: number): Parameter<number> {
  const read = (text: unknown) =>
    /^(?:0|[1-9]\d{0,8})$/.test(String(text)) ? Number(text) : undefined;
  return single(z.preprocess(read, z.int().min(minimum).max(maximum)));
}

/** A calendar day that exists, `YYYY-MM-DD`. */
export const DATE: Parameter<string> = single(z.iso.date());

/** An instant of RFC 3339. A plus sign that was not escaped arrives as a space. */
export const INSTANT: Parameter<string> = single(z.preprocess(
  (text) =>
    String(text).toUpperCase().replace(/ (?=\d\d:\d\d$)/, "+").replace(/^([\d-]{10}) /, "$1T"),
  z.iso.datetime({ offset: true }),
));

/** A year, `YYYY`, or one of its months, `YYYY-MM`. */
export const YEAR: Parameter<string> = single(
  z.string().regex(/^\d{4}(?:-(?:0[1-9]|1[0-2]))?$/),
);

/** Texts of at most `maxLength` characters each. A text may contain commas, which its reader splits. */
export function texts(maxLength: number): Parameter<readonly string[]> {
  return listOf(text(maxLength));
}

/** A text of at most some characters. */
export function text(maxLength: number): Parameter<string> {
  return single(z.string().max(maxLength));
}

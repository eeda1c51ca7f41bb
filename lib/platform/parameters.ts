/**
 * The parameters of query strings: the allowed values of each, its parser, and its description in the reference.
 * Browsers load this module, so it imports nothing.
 */

/** A parameter whose value is a `T`. */
interface Parameter<T> {
  /** The value of a text; undefined if the text is not allowed. For a list, that of one of its parts. */
  readonly read: (text: string) => (T extends readonly (infer Part)[] ? Part : T) | undefined;
  /**
   * The JSON schema, from which errors and the reference take their words. A parameter of the type `array` may be
   * repeated; one of choices also has several values separated by commas.
   */
  readonly schema: ParameterSchema;
}

/** A JSON schema, as far as parameters use the format. */
export interface ParameterSchema {
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
 * Reads a query string by its parameters. Names and values are case-sensitive. An unknown name or an invalid value counts as
 * not given, and so does a single value that is repeated.
 */
export function readParameters<P extends ParameterTable>(
  query: URLSearchParams,
  parameters: P,
): Given<P> {
  const given: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(parameters)) {
    // Most addresses have no query.
    if (!query.has(name)) continue;
    const parts = partsOf(query, name, parameter);
    const values = new Set(parts.map(parameter.read).filter((value) => value !== undefined));
    if (parameter.schema.type !== "array") {
      if (parts.length === 1 && values.size === 1) given[name] = [...values][0];
    } else if (values.size > 0) given[name] = [...values];
  }
  // Every value was read by the parameter of its name.
  return given as Given<P>;
}

/** The texts of a parameter; those of a list of choices are also cut at their commas. */
export function partsOf(
  query: URLSearchParams,
  name: string,
  { schema }: { readonly schema: ParameterSchema },
): string[] {
  const texts = query.getAll(name);
  return schema.items?.enum === undefined ? texts : texts.flatMap((text) => text.split(","));
}

/** One of some values. */
export function oneOf<const T extends string>(options: readonly T[]): Parameter<T> {
  const one = { read: readerOf(options), schema: { type: "string", enum: options } };
  // A choice of texts is not a list, which the compiler cannot see while the texts are open.
  return one as unknown as Parameter<T>;
}

/** Any of some values. */
export function anyOf<const T extends string>(options: readonly T[]): Parameter<readonly T[]> {
  const items = { type: "string", enum: options } as const;
  return { read: readerOf(options), schema: { type: "array", items } };
}

function readerOf<const T extends string>(options: readonly T[]): (text: string) => T | undefined {
  return (text) => options.find((option) => option === text);
}

/** Yes or no. */
export const FLAG: Parameter<boolean> = {
  read: (text) => text === "true" ? true : text === "false" ? false : undefined,
  schema: { type: "boolean" },
};

/** A whole number between two bounds, 0 or more, without leading zeros. */
export function wholeNumber(minimum: number, maximum: number): Parameter<number> {
  return {
    read(text) {
      const value = /^(?:0|[1-9]\d{0,8})$/.test(text) ? Number(text) : NaN;
      return value >= minimum && value <= maximum ? value : undefined;
    },
    schema: { type: "integer", minimum, maximum },
  };
}

/** A calendar day that exists, `YYYY-MM-DD`. */
export const DATE: Parameter<string> = {
  read: (text) => isDate(text) ? text : undefined,
  schema: { type: "string", format: "date" },
};

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  // Some engines take 31 June for 1 July.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** An instant of RFC 3339, read as epoch milliseconds. */
export const INSTANT: Parameter<number> = {
  read(text) {
    const [, day = ""] = RFC_3339.exec(text) ?? [];
    const at = isDate(day) ? Date.parse(text) : NaN;
    return Number.isNaN(at) ? undefined : at;
  },
  schema: { type: "string", format: "date-time" },
};

/** A year of four digits. */
export const YEAR: Parameter<string> = {
  read: (text) => /^\d{4}$/.test(text) ? text : undefined,
  schema: { type: "string", pattern: "^\\d{4}$" },
};

/** A text of at most some characters. */
export function text(maxLength: number): Parameter<string> {
  return {
    read: (text) => text.length <= maxLength ? text : undefined,
    schema: { type: "string", maxLength },
  };
}

/** Any of some texts of at most some characters, which may have commas. */
export function anyText(maxLength: number): Parameter<readonly string[]> {
  const { read, schema } = text(maxLength);
  return { read, schema: { type: "array", items: schema } };
}

// Reads the requests to the web search stand-in. An explicit null counts as absent.

import type { FaultStatus } from "./provider_answer.ts";
import type { Filter } from "./websearch_index.ts";

/** Thrown for a request that is refused. */
export class Refused extends Error {
  override readonly name = "Refused";
  constructor(readonly status: FaultStatus, readonly tag: string, message: string) {
    super(message);
  }
}

/** The members of a request's body, or of an object in it. */
export type Fields = Readonly<Record<string, unknown>>;

/** Which contents come with each result, and how. */
export interface ContentsOptions {
  readonly text?: { readonly maxCharacters: number };
  readonly highlights?: { readonly query?: string; readonly maxCharacters: number };
  readonly summary?: { readonly query?: string };
}

const DEFAULT_RESULTS = 10;
const MAX_RESULTS = 100;

/** @throws {Refused} if the body is not a JSON object. */
export function parseBody(bytes: Uint8Array): Fields {
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (isFields(body)) return body;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Refused(400, "INVALID_REQUEST_BODY", "The request body is not a JSON object");
}

/** @throws {Refused} if the field is missing, empty or not a string. */
export function requiredText(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === "string" && value.trim() !== "") return value;
  throw new Refused(400, "INVALID_REQUEST_BODY", `${name} is required and is a string`);
}

/** @throws {Refused} if `numResults` is not a whole number from 1 to 100. */
export function readNumResults(fields: Fields): number {
  const value = fields["numResults"] ?? DEFAULT_RESULTS;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1) {
    throw new Refused(400, "INVALID_NUM_RESULTS", "numResults is a whole number from 1");
  }
  if (value > MAX_RESULTS) {
    throw new Refused(400, "NUM_RESULTS_EXCEEDED", `numResults is at most ${MAX_RESULTS}`);
  }
  return value;
}

/**
 * How many subpages come with each page: none by default.
 * @throws {Refused} if `subpages` is not a whole number from 0.
 */
export function readSubpages(options: unknown): number {
  const value = isFields(options) ? options["subpages"] ?? 0 : 0;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  throw new Refused(400, "INVALID_REQUEST_BODY", "subpages is a whole number from 0");
}

/**
 * The addresses of `/contents`, which come as `urls` or as `ids`.
 * @throws {Refused} unless exactly one of them has 1 to 100 strings.
 */
export function readAddresses({ urls, ids }: Fields): string[] {
  if ((urls ?? ids ?? null) === null || ((urls ?? null) !== null && (ids ?? null) !== null)) {
    throw new Refused(400, "INVALID_REQUEST_BODY", "Exactly one of urls and ids is required");
  }
  const list = urls ?? ids;
  if (!isTexts(list) || list.length === 0 || list.length > MAX_RESULTS) {
    throw new Refused(400, "INVALID_URLS", `urls and ids hold 1 to ${MAX_RESULTS} strings`);
  }
  return list;
}

/** @throws {Refused} if a filter is of a wrong type. */
export function readFilter(fields: Fields): Filter {
  return {
    includeDomains: texts(fields, "includeDomains"),
    excludeDomains: texts(fields, "excludeDomains"),
    startPublishedDate: date(fields, "startPublishedDate"),
    endPublishedDate: date(fields, "endPublishedDate"),
    includeText: texts(fields, "includeText"),
    excludeText: texts(fields, "excludeText"),
  };
}

/** The requested contents, each by `true` or by an object. */
export function readContents(value: unknown): ContentsOptions {
  if (!isFields(value)) return {};
  const text = options(value["text"]);
  const highlights = options(value["highlights"]);
  const summary = options(value["summary"]);
  return {
    ...(text ? { text: { maxCharacters: limit(text) } } : {}),
    ...(highlights
      ? { highlights: { ...query(highlights), maxCharacters: limit(highlights) } }
      : {}),
    ...(summary ? { summary: query(summary) } : {}),
  };
}

function options(value: unknown): Fields | null {
  if (value === true) return {};
  return isFields(value) ? value : null;
}

function limit({ maxCharacters }: Fields): number {
  return typeof maxCharacters === "number" ? maxCharacters : Infinity;
}

function query({ query }: Fields): { query?: string } {
  return typeof query === "string" ? { query } : {};
}

function texts(fields: Fields, name: string): string[] | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined || isTexts(value)) return value;
  throw new Refused(400, "INVALID_REQUEST", `${name} is a list of strings`);
}

function date(fields: Fields, name: string): string | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === "string" && !Number.isNaN(Date.parse(value))) return value;
  throw new Refused(400, "INVALID_REQUEST", `${name} is a date`);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Lists records as Airtable does: the options of a request, one page, and the cursor of the next page.

import { Refusal, unprocessable } from "./airtable_errors.ts";
import type { StandInRecord } from "./records.ts";

/** The options of a request for a page. */
interface ListQuery {
  readonly pageSize: number;
  readonly maxRecords?: number;
  readonly offset?: string;
  readonly view?: string;
  readonly fields?: readonly string[];
  /** The ids of the requested records; the others are left out. */
  readonly ids?: readonly string[];
  readonly sort: readonly { field: string; direction: "asc" | "desc" }[];
}

/** One page: the records in it, and the cursor to the next if there is one. */
export interface Page {
  readonly records: readonly StandInRecord[];
  readonly offset?: string;
}

/** A table at one moment, as `listPage` needs it. */
interface Table {
  readonly records: readonly StandInRecord[];
  /** Goes up with every change of the table. */
  readonly version: number;
  /** The columns that exist; unset: any name is taken for one. */
  readonly columns?: readonly string[];
  readonly views: readonly string[];
  /** Whether a cursor expires when the table changes; otherwise it continues at its place in the changed table. */
  readonly cursorsDieOnChange: boolean;
}

/** Parameters that only Airtable supports; the stand-in answers 422. */
const UNSUPPORTED = ["returnFieldsByFieldId", "recordMetadata", "cellFormat"];
/** The only formulas that the stand-in supports: `OR(RECORD_ID()='rec…',…)`. */
const RECORDS_FORMULA = /^OR\((RECORD_ID\(\)='[^']*'(?:,RECORD_ID\(\)='[^']*')*)\)$/;

/**
 * Reads the query string of `GET /v0/{base}/{table}`.
 * @throws {Refusal} 422 for what is malformed or unsupported.
 */
export function parseQueryString(params: URLSearchParams): ListQuery {
  const list = (name: string) =>
    [...params].filter(([key]) => key.startsWith(`${name}[`)).map(([, value]) => value);
  const sort = [...params.keys()].map((key) => /^sort\[(\d+)\]\[field\]$/.exec(key)?.[1])
    .filter((index) => index !== undefined)
    .map((index) => ({
      field: params.get(`sort[${index}][field]`),
      direction: params.get(`sort[${index}][direction]`) ?? undefined,
    }));
  return parseQuery({
    ...Object.fromEntries([...params].filter(([key]) => !key.includes("["))),
    ...(list("fields").length > 0 ? { fields: list("fields") } : {}),
    sort,
  });
}

/**
 * Reads the options of a listing from an object, which is the body of `POST …/listRecords`.
 * @throws {Refusal} 422 for what is malformed or unsupported.
 */
export function parseQuery(options: unknown): ListQuery {
  if (typeof options !== "object" || options === null) throw invalid("the body is not an object");
  const given = new Map(Object.entries(options));
  for (const name of UNSUPPORTED) {
    if (given.has(name)) throw invalid(`the sandbox does not support ${name}`);
  }
  const formula = given.get("filterByFormula");
  const maxRecords = given.get("maxRecords");
  const offset = given.get("offset");
  const view = given.get("view");
  const fields = given.get("fields");
  return {
    pageSize: parseCount(given.get("pageSize") ?? 100, "pageSize", 100),
    ...(maxRecords === undefined ? {} : { maxRecords: parseCount(maxRecords, "maxRecords") }),
    ...(offset === undefined ? {} : { offset: parseText(offset, "offset") }),
    ...(view === undefined ? {} : { view: parseText(view, "view") }),
    ...(fields === undefined
      ? {}
      : { fields: parseList(fields, "fields").map((name) => parseText(name, "a field name")) }),
    ...(formula === undefined ? {} : { ids: parseFormula(parseText(formula, "the formula")) }),
    sort: parseList(given.get("sort") ?? [], "sort").map(parseSort),
  };
}

/**
 * Reads the page of `query` from the table. Cells are as stored, including empty ones.
 * @throws {Refusal} 422 for an unknown column or view and for a cursor that is malformed or dead.
 */
export function listPage(table: Table, query: ListQuery): Page {
  const { columns, views } = table;
  for (const name of [...query.fields ?? [], ...query.sort.map(({ field }) => field)]) {
    if (columns && !columns.includes(name)) {
      throw invalid(`Unknown field name: "${name}"`, "UNKNOWN_FIELD_NAME");
    }
  }
  if (query.view !== undefined && !views.includes(query.view)) {
    throw invalid(`View ${query.view} not found`, "VIEW_NAME_NOT_FOUND");
  }

  const start = query.offset === undefined ? 0 : readCursor(query.offset, table);
  const { ids } = query;
  const wanted = ids === undefined
    ? table.records
    : table.records.filter(({ id }) => ids.includes(id));
  const all = sorted(wanted, query.sort).slice(0, query.maxRecords);
  const records = all.slice(start, start + query.pageSize).map((record) => ({
    ...record,
    fields: Object.fromEntries(
      Object.entries(record.fields).filter(([name]) => query.fields?.includes(name) ?? true),
    ),
  }));
  const next = all[start + query.pageSize];
  return next
    ? { records, offset: writeCursor(table.version, start + query.pageSize, next.id) }
    : { records };
}

/** The cursor to the record at `index`: opaque to clients, and with the characters that the real ones have. */
export function writeCursor(version: number, index: number, recordId: string, salt = 0): string {
  const part = (value: number, length: number) => value.toString(36).padStart(length, "0");
  return `itr${part(version, 5)}${part(index, 5)}${part(salt, 4)}/${recordId}`;
}

/** The index in a cursor. @throws {Refusal} 422 if it is invalid or has expired. */
function readCursor(offset: string, table: Table): number {
  const [, version, index] = /^itr([0-9a-z]{5})([0-9a-z]{5})[0-9a-z]{4}\/./.exec(offset) ?? [];
  if (version === undefined || index === undefined) {
    throw invalid("The value of offset is invalid", "INVALID_OFFSET_VALUE");
  }
  if (table.cursorsDieOnChange && Number.parseInt(version, 36) !== table.version) {
    throw new Refusal(iteratorDied());
  }
  return Number.parseInt(index, 36);
}

/** The error for an expired cursor: the listing must start again from page one. */
export function iteratorDied(): Response {
  return unprocessable(
    "LIST_RECORDS_ITERATOR_NOT_AVAILABLE",
    "The iterator for this list records request is no longer available. Please start again from the first page.",
  );
}

/** The records in the requested order: by text, numbers by value, empty cells first. */
function sorted(records: readonly StandInRecord[], sort: ListQuery["sort"]): StandInRecord[] {
  return [...records].sort((a, b) => {
    for (const { field, direction } of sort) {
      const order = compare(a.fields[field], b.fields[field]);
      if (order !== 0) return direction === "asc" ? order : -order;
    }
    return 0;
  });
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [left, right] = [String(a ?? ""), String(b ?? "")];
  return left < right ? -1 : left > right ? 1 : 0;
}

function parseCount(value: unknown, name: string, most = Infinity): number {
  const count = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 1 || count > most) {
    throw invalid(`${name} is not a whole number from 1${most === Infinity ? "" : ` to ${most}`}`);
  }
  return count;
}

function parseText(value: unknown, name: string): string {
  if (typeof value !== "string") throw invalid(`${name} is not a string`);
  return value;
}

function parseList(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(`${name} is not a list`);
  return value;
}

function parseFormula(formula: string): readonly string[] {
  const [, terms] = RECORDS_FORMULA.exec(formula) ?? [];
  if (terms !== undefined) return [...terms.matchAll(/'([^']*)'/g)].map(([, id = ""]) => id);
  throw invalid("the sandbox does not support this formula", "INVALID_FILTER_BY_FORMULA");
}

function parseSort(value: unknown): ListQuery["sort"][number] {
  if (typeof value !== "object" || value === null || !("field" in value)) {
    throw invalid("an element of sort has no field");
  }
  const direction = "direction" in value ? value.direction ?? "asc" : "asc";
  if (direction !== "asc" && direction !== "desc") throw invalid("direction is not asc or desc");
  return { field: parseText(value.field, "field"), direction };
}

function invalid(message: string, type = "INVALID_REQUEST_UNKNOWN"): Refusal {
  return new Refusal(unprocessable(type, message));
}

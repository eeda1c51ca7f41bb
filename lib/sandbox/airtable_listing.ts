// Lists records as Airtable does: the parameters of a request, one page, and the cursor of the next page.

import { Refusal, unprocessable } from "./airtable_errors.ts";
import { isEmptyCell, type StandInRecord } from "./records.ts";

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
  readonly views: readonly string[];
  /** Whether a cursor expires when the table changes; otherwise it continues at its place in the changed table. */
  readonly cursorsDieOnChange: boolean;
}

/** The parameters that it knows, with the only values of some; it answers 422 to any other, such as a formula. */
const LISTING_PARAMETERS: Readonly<Record<string, readonly string[] | null>> = {
  pageSize: null,
  maxRecords: null,
  offset: null,
  view: null,
  cellFormat: ["json"],
  returnFieldsByFieldId: ["0", "false"],
  "recordMetadata[]": ["commentCount"],
};
const FIELDS = /^fields\[\d*\]$/;
const SORT = /^sort\[(\d+)\]\[(field|direction)\]$/;
const MAX_PAGE = 100;

/**
 * Reads a page of the table, by the parameters of `GET /v0/{base}/{table}`. Cells are as stored, including empty ones.
 * @throws {Refusal} 422 for what is malformed or unsupported, an unknown view or field, and a cursor that has expired.
 */
export function listPage(table: Table, query: URLSearchParams): Page {
  for (const [name, value] of query) {
    const values = FIELDS.test(name) || SORT.test(name) ? null : LISTING_PARAMETERS[name];
    if (values === undefined || values?.includes(value) === false) {
      throw invalid(`the sandbox does not support ${name}=${value}`);
    }
  }
  const pageSize = wholeNumber(query, "pageSize", MAX_PAGE) ?? MAX_PAGE;
  const most = wholeNumber(query, "maxRecords") ?? Infinity;
  const view = query.get("view");
  if (view !== null && !table.views.includes(view)) {
    throw invalid(`View ${view} not found`, "VIEW_NAME_NOT_FOUND");
  }
  const fields = readFields(table, query);
  const sorted = sortRecords(table, query);
  const offset = query.get("offset");
  const start = offset === null ? 0 : readCursor(offset, table);
  const end = Math.min(start + pageSize, most);
  const records = sorted.slice(start, end).map((record) =>
    fields === null ? record : { ...record, fields: pick(record.fields, fields) }
  );
  const next = end < most ? sorted[end] : undefined;
  return next ? { records, offset: writeCursor(table.version, end, next.id) } : { records };
}

/** The parameters of `POST /v0/{base}/{table}/listRecords`, whose body holds what an address may be too short for. */
export function queryOf(body: string | undefined): URLSearchParams {
  const query = new URLSearchParams();
  let given: unknown;
  try {
    given = JSON.parse(body || "{}");
  } catch {
    throw invalid("the body is not JSON");
  }
  if (typeof given !== "object" || given === null) throw invalid("the body is not an object");
  const add = (name: string, value: unknown): void => {
    if (Array.isArray(value)) value.forEach((item, index) => add(`${name}[${index}]`, item));
    else if (typeof value === "object" && value !== null) {
      for (const [member, item] of Object.entries(value)) add(`${name}[${member}]`, item);
    } else query.append(name.replace(/^recordMetadata\[\d+\]$/, "recordMetadata[]"), String(value));
  };
  for (const [name, value] of Object.entries(given)) add(name, value);
  return query;
}

function wholeNumber(query: URLSearchParams, name: string, most = Infinity): number | null {
  const text = query.get(name);
  if (text === null) return null;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw invalid(`${name} is not a whole number from 1 to ${most}`);
}

/** The chosen fields; null for all. */
function readFields(table: Table, query: URLSearchParams): readonly string[] | null {
  const fields = [...query].filter(([name]) => FIELDS.test(name)).map(([, field]) => field);
  for (const field of fields) requireField(table, field);
  return fields.length === 0 ? null : fields;
}

/** The records in the order of `sort[0][field]` and so on, or as they are in the table. */
function sortRecords(table: Table, query: URLSearchParams): readonly StandInRecord[] {
  const sorts: { field?: string; direction?: string }[] = [];
  for (const [name, value] of query) {
    const [, index, member] = SORT.exec(name) ?? [];
    if (index === undefined) continue;
    sorts[Number(index)] = { ...sorts[Number(index)], [String(member)]: value };
  }
  const orders = sorts.flatMap(({ field, direction = "asc" }) => {
    if (field === undefined || !["asc", "desc"].includes(direction)) {
      throw invalid("sort has a field, and the direction asc or desc");
    }
    requireField(table, field);
    return [{ field, sign: direction === "asc" ? 1 : -1 }];
  });
  if (orders.length === 0) return table.records;
  return table.records.toSorted((one, two) => {
    for (const { field, sign } of orders) {
      const order = sign * compareCells(one.fields[field], two.fields[field]);
      if (order !== 0) return order;
    }
    return 0;
  });
}

/** Empty cells come first. */
function compareCells(one: unknown, two: unknown): number {
  if (isEmptyCell(one) || isEmptyCell(two)) {
    return Number(isEmptyCell(two)) - Number(isEmptyCell(one));
  }
  return typeof one === "number" && typeof two === "number"
    ? one - two
    : String(one).localeCompare(String(two), "en");
}

/** The sandbox has no schema, so a field is one that a record has. */
function requireField({ records }: Table, field: string): void {
  if (records.some(({ fields }) => field in fields)) return;
  throw invalid(`Unknown field name: "${field}"`, "UNKNOWN_FIELD_NAME");
}

function pick(fields: StandInRecord["fields"], names: readonly string[]): StandInRecord["fields"] {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

/** The cursor to the record at `index`: opaque to clients, and with the characters that the real ones have. */
export function writeCursor(version: number, index: number, recordId: string): string {
  const part = (value: number, length: number) => value.toString(36).padStart(length, "0");
  return `itr${part(version, 5)}${part(index, 9)}/${recordId}`;
}

/** The index in a cursor. @throws {Refusal} 422 if it is invalid or has expired. */
function readCursor(offset: string, table: Table): number {
  const [, version, index] = /^itr([0-9a-z]{5})([0-9a-z]{9})\/./.exec(offset) ?? [];
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

function invalid(message: string, type = "INVALID_REQUEST_UNKNOWN"): Refusal {
  return new Refusal(unprocessable(type, message));
}

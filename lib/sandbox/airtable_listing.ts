// Lists records as Airtable does: the parameters of a request, one page, and the cursor of the next page.

import { Refusal, unprocessable } from "./airtable_errors.ts";
import type { StandInRecord } from "./records.ts";

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

/** The parameters that the service uses; the stand-in answers 422 to any other. */
const PARAMETERS = ["pageSize", "offset", "view"];
const MAX_PAGE = 100;

/**
 * Reads a page of the table, by the parameters of `GET /v0/{base}/{table}`. Cells are as stored, including empty ones.
 * @throws {Refusal} 422 for what is malformed or unsupported, an unknown view, and a cursor that has expired.
 */
export function listPage(table: Table, query: URLSearchParams): Page {
  for (const name of query.keys()) {
    if (!PARAMETERS.includes(name)) throw invalid(`the sandbox does not support ${name}`);
  }
  const pageSize = Number(query.get("pageSize") ?? MAX_PAGE);
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE) {
    throw invalid(`pageSize is not a whole number from 1 to ${MAX_PAGE}`);
  }
  const view = query.get("view");
  if (view !== null && !table.views.includes(view)) {
    throw invalid(`View ${view} not found`, "VIEW_NAME_NOT_FOUND");
  }
  const offset = query.get("offset");
  const start = offset === null ? 0 : readCursor(offset, table);
  const end = start + pageSize;
  const records = table.records.slice(start, end);
  const next = table.records[end];
  return next ? { records, offset: writeCursor(table.version, end, next.id) } : { records };
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

/** A record store in an Airtable table, read with the `List records` call of Airtable's web API. */

import { z } from "zod";
import type { Config } from "../../platform/config/config.ts";
import { isObject, type JsonObject } from "../../platform/json.ts";
import { mapInSlices } from "../../platform/timeout.ts";
import { type AirtableBase, AirtableError, callInTurn } from "./calls.ts";
import type { StoreRecord } from "../reading/record.ts";
import { ReadError, type RecordStore } from "../reading/record_store.ts";

/** The table. */
export interface AirtableOptions<T> extends AirtableBase {
  readonly table: string;
  readonly view: string | undefined;
  readonly parseRecord: (record: StoreRecord) => T;
}

/** The most that Airtable lists in one call. */
const PAGE_RECORDS = 100;
/** The number of attempts: a table that changes during every read would otherwise be read for ever. */
const MAX_RESTARTS = 3;
/** 100,000 records: twice the maximum of an Airtable base on most plans. */
const MAX_PAGES = 1_000;
/** The names of the error for an expired cursor: the pages read so far belong to another state of the table. */
const CURSOR_LOST = ["LIST_RECORDS_ITERATOR_NOT_AVAILABLE", "INVALID_OFFSET_VALUE"];

const pageSchema = z.object({
  records: z.array(
    z.object({
      id: z.string(),
      createdTime: z.string().optional(),
      fields: z.custom<JsonObject>(isObject),
    }),
  ),
  offset: z.string().min(1).optional(),
});

/** The address at which people edit a record; null if AIRTABLE_TABLE is not an id, or the API is not Airtable's own. */
export function recordLink(
  { AIRTABLE_API_URL, AIRTABLE_BASE_ID, AIRTABLE_TABLE, EVENTS_FILE }: Config,
  recordId: string,
): string | null {
  const isKnown = EVENTS_FILE === undefined && AIRTABLE_BASE_ID !== undefined &&
    /^tbl\w+$/.test(AIRTABLE_TABLE) && /^rec\w+$/.test(recordId) &&
    new URL(AIRTABLE_API_URL).hostname === "api.airtable.com";
  return isKnown ? `https://airtable.com/${AIRTABLE_BASE_ID}/${AIRTABLE_TABLE}/${recordId}` : null;
}

/** A store that reads an Airtable table page by page, and from the start when the cursor expires. */
export function createAirtableStore<T>(options: AirtableOptions<T>): RecordStore<T> {
  return {
    origin: () => options.baseId,
    async read(signal) {
      for (let restarts = 0; restarts <= MAX_RESTARTS; restarts++) {
        try {
          const records = await readPages(options, signal);
          await options.calls.learn(Math.max(1, Math.ceil(records.length / PAGE_RECORDS)));
          return records;
        } catch (error) {
          if (!isCursorLost(error)) throw error;
        }
      }
      throw new ReadError("unavailable", "the table changed during every read");
    },
  };
}

function isCursorLost(error: unknown): boolean {
  return error instanceof AirtableError && error.status === 422 &&
    CURSOR_LOST.includes(error.type ?? "");
}

async function readPages<T>(options: AirtableOptions<T>, signal: AbortSignal): Promise<T[]> {
  const { baseId, table, view, parseRecord } = options;
  const records: T[] = [];
  const seen = new Set<string>();
  let offset: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({
      pageSize: String(PAGE_RECORDS),
      ...offset !== undefined && { offset },
      ...view !== undefined && { view },
    });
    const said = await callInTurn(options, { path: [baseId, table], query, signal });
    const { data } = pageSchema.safeParse(said);
    if (data === undefined) {
      throw new ReadError("nonsense", "Airtable: the response is not a page of records");
    }
    records.push(...await mapInSlices(data.records, parseRecord));
    ({ offset } = data);
    if (offset === undefined) return records;
    if (seen.has(offset)) throw new ReadError("nonsense", "the cursors of the pages repeat");
    seen.add(offset);
  }
  throw new ReadError("nonsense", `more than ${MAX_PAGES} pages`);
}

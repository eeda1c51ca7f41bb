/**
 * A record store in an Airtable table, read with the `List records` call of Airtable's web API.
 *
 * With a webhook, whose payloads name the changed records, a read of only those is tried first, if that takes fewer
 * calls than a whole read. The records of the last read are kept in memory, so an isolate that has read nothing yet
 * reads the whole table.
 */

import { z } from "zod";
import type { Config } from "../../platform/config/config.ts";
import { isObject, type JsonObject } from "../../platform/json.ts";
import { mapInSlices } from "../../platform/timeout.ts";
import { type AirtableBase, AirtableError, callAirtable, createWebhooks, pause } from "./api.ts";
import type { ReadCalls } from "./calls.ts";
import type { StoreRecord } from "../record.ts";
import { ReadError, type RecordStore } from "../store.ts";

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

/** A page, its records parsed. */
interface Page<T> {
  readonly records: readonly T[];
  readonly offset: string | undefined;
}

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
    async read(signal) {
      const calls = await options.calls.beginRead();
      try {
        for (let restarts = 0; restarts <= MAX_RESTARTS; restarts++) {
          try {
            if (restarts > 0) await pause(options, signal);
            const records = await readPages(options, calls, signal);
            await calls.end(Math.max(1, Math.ceil(records.length / PAGE_RECORDS)));
            return records;
          } catch (error) {
            if (!isError(error, CURSOR_LOST)) throw error;
          }
        }
        throw new ReadError("unavailable", "the table changed during every read");
      } catch (error) {
        await calls.end(null);
        throw error;
      }
    },
    async missingColumns(columns, signal) {
      const missing: string[] = [];
      for (const column of columns) {
        await pause(options, signal);
        await options.calls.take();
        if (!await hasColumn(options, column, signal)) missing.push(column);
      }
      return missing;
    },
  };
}

/** Whether a column exists. Records leave out empty cells, but Airtable refuses to list an unknown column. */
async function hasColumn(
  options: AirtableOptions<unknown>,
  column: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await readPage(options, { "pageSize": "1", "fields[]": column }, signal);
    return true;
  } catch (error) {
    if (isError(error, ["UNKNOWN_FIELD_NAME"])) return false;
    throw error;
  }
}

function isError(error: unknown, types: readonly string[]): boolean {
  return error instanceof AirtableError && error.status === 422 && types.includes(error.type ?? "");
}

async function readPages<T>(
  options: AirtableOptions<T>,
  calls: ReadCalls,
  signal: AbortSignal,
): Promise<T[]> {
  const records: T[] = [];
  const seen = new Set<string>();
  let offset: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    if (page > 0) await pause(options, signal);
    const cursor = offset === undefined ? {} : { offset };
    await calls.take();
    const { records: read, offset: next } = await readPage(
      options,
      { pageSize: String(PAGE_RECORDS), ...cursor },
      signal,
    );
    records.push(...read);
    offset = next;
    if (offset === undefined) return records;
    if (seen.has(offset)) throw new ReadError("nonsense", "the cursors of the pages repeat");
    seen.add(offset);
  }
  throw new ReadError("nonsense", `more than ${MAX_PAGES} pages`);
}

async function readPage<T>(
  options: AirtableOptions<T>,
  asked: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Page<T>> {
  const query = new URLSearchParams(asked);
  if (options.view !== undefined) query.set("view", options.view);
  const path = [options.baseId, options.table];
  const page = pageSchema.safeParse(await callAirtable(options, { path, query, signal }));
  if (!page.success) {
    throw new ReadError("nonsense", "Airtable: the response is not a page of records");
  }
  const { records, offset } = page.data;
  return { records: await mapInSlices(records, options.parseRecord), offset };
}

interface ChangeReaderOptions<T> extends AirtableOptions<T> {
  /** The id of the webhook that is known to be alive; null if none is. */
  readonly hookId: () => Promise<string | null>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The last read of this isolate. */
interface Known<T> {
  readonly hookId: string;
  /** All payloads before this cursor are in `records`; null if the cursor is not known. */
  readonly cursor: number | null;
  readonly records: ReadonlyMap<string, T>;
  /** When the last whole read began, in epoch milliseconds. */
  readonly wholeAt: number;
}

/**
 * A whole read serves for so long: the signed addresses of its attachments live two hours, and the next read may be an
 * hour away.
 */
const WHOLE_MILLISECONDS = 45 * 60_000;
/** The payloads, and the records that they name. */
const LEAST_CALLS = 2;
/** More would leave a whole read too little of its minute. */
const MAX_PAYLOAD_CALLS = 20;

/** A store that reads the changed records, or the whole table if they are unknown or take as many calls. */
export function createChangeReader<T extends { readonly id: string }>(
  options: ChangeReaderOptions<T>,
): RecordStore<T> {
  const { now } = options;
  const store = createAirtableStore(options);
  const webhooks = createWebhooks(options);
  let known: Known<T> | null = null;

  /** The ids of changed records, null if the whole table must be read; and the next cursor, null if it is unknown. */
  async function findChanges(
    { hookId, cursor, records, wholeAt }: Known<T>,
    signal: AbortSignal,
  ): Promise<{ readonly ids: readonly string[] | null; readonly cursor: number | null }> {
    const callsOfWhole = Math.ceil(records.size / PAGE_RECORDS);
    if (callsOfWhole <= LEAST_CALLS) return { ids: null, cursor };
    if (cursor === null) {
      const hook = (await webhooks.list(signal)).find(({ id }) => id === hookId);
      await pause(options, signal);
      return { ids: null, cursor: hook?.cursorForNextPayload ?? null };
    }
    if (Math.abs(now() - wholeAt) >= WHOLE_MILLISECONDS) return { ids: null, cursor };
    const ids = new Set<string>();
    let next = cursor;
    // One more call is for the records.
    const most = Math.min(MAX_PAYLOAD_CALLS, callsOfWhole - LEAST_CALLS);
    for (let calls = 0; calls < most; calls++) {
      const changes = await webhooks.changes(hookId, next, signal);
      await pause(options, signal);
      if (changes.ids === null) return { ids: null, cursor: changes.cursor };
      for (const id of changes.ids) ids.add(id);
      next = changes.cursor;
      if (!changes.isWhole) continue;
      // Without a change, the read has another reason.
      const isFew = ids.size > 0 && ids.size <= PAGE_RECORDS;
      return { ids: isFew ? [...ids] : null, cursor: next };
    }
    return { ids: null, cursor: null };
  }

  async function readWhole(
    hookId: string | null,
    cursor: number | null,
    signal: AbortSignal,
  ): Promise<readonly T[]> {
    const wholeAt = now();
    const keep = (records: readonly T[]) => {
      const byId = new Map(records.map((record) => [record.id, record]));
      known = hookId === null ? null : { hookId, cursor, records: byId, wholeAt };
    };
    // After a failure, the next read asks for no changes first, and has all of its time. Its cursor may be old: it then
    // names more records.
    keep([]);
    const records = await store.read(signal);
    keep(records);
    return records;
  }

  return {
    ...store,
    async read(signal) {
      const hookId = await options.hookId();
      const last = known?.hookId === hookId ? known : null;
      if (last === null) return await readWhole(hookId, null, signal);
      const { ids, cursor } = await findChanges(last, signal).catch((error) => {
        // A webhook that is gone, invalid or refused to the token reports no changes; `hook.ts` checks it.
        const isUseless = error instanceof ReadError &&
          ["refused", "nonsense"].includes(error.fault);
        if (isUseless) return { ids: null, cursor: null };
        throw error;
      });
      if (ids === null) return await readWhole(hookId, cursor, signal);
      const records = new Map(last.records);
      const found = await readSome(options, ids, signal);
      for (const id of ids) records.delete(id);
      for (const record of found) records.set(record.id, record);
      known = { ...last, cursor, records };
      return [...records.values()];
    },
  };
}

/** Reads at most {@linkcode PAGE_RECORDS} records by their ids, in one call. Those that are gone are left out. */
async function readSome<T>(
  options: AirtableOptions<T>,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly T[]> {
  await options.calls.take();
  const filterByFormula = `OR(${ids.map((id) => `RECORD_ID()='${id}'`).join(",")})`;
  const asked = { pageSize: String(PAGE_RECORDS), filterByFormula };
  return (await readPage(options, asked, signal)).records;
}

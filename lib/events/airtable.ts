/**
 * A record store in an Airtable table, read with the `List records` call of Airtable's web API. Airtable allows
 * five calls a second per base, and refuses all calls for 30 seconds after one too many.
 */

import { z } from "zod";
import { readBounded } from "../http/mod.ts";
import { isObject, type JsonObject, parseJson } from "../json.ts";
import type { StoreRecord } from "./record.ts";
import { ReadError, type RecordStore } from "./store.ts";

/** The table, and the dependencies of the store. */
export interface AirtableOptions {
  /** Without a trailing slash. */
  readonly apiUrl: string;
  readonly token: string;
  readonly baseId: string;
  readonly table: string;
  readonly view: string | undefined;
  readonly fetch: typeof fetch;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Between two calls: 4.5 calls a second leave room for an occasional call of another reader. */
const PAGE_PAUSE_MILLISECONDS = 220;
/** For one page. The caller limits the whole read. */
const PAGE_TIMEOUT_MILLISECONDS = 15_000;
/** A table that changes during every read would otherwise be read for ever. */
const MAX_RESTARTS = 3;
/** 100,000 records: twice what an Airtable base holds on most plans. */
const MAX_PAGES = 1_000;
const MAX_PAGE_BYTES = 64 * 1024 * 1024;
/** Airtable's penalty for more than five calls a second. */
const RATE_LIMIT_PAUSE_SECONDS = 30;
/** The longest pause that a header can ask for: one number must not stop the events for a day. */
const MAX_PAUSE_SECONDS = 600;

const pageSchema = z.object({
  records: z.array(z.object({
    id: z.string(),
    createdTime: z.string().optional(),
    fields: z.custom<JsonObject>(isObject),
  })),
  offset: z.string().min(1).optional(),
});
type Page = z.output<typeof pageSchema>;

/** The cursor expired: the pages read so far belong to another state of the table. */
class IteratorLost extends Error {}

/** The table has no column of the requested name. */
class UnknownColumn extends Error {}

/** A store that reads an Airtable table page by page, and from the start when the cursor expires. */
export function createAirtableStore(options: AirtableOptions): RecordStore {
  return {
    async read(signal) {
      for (let restarts = 0; restarts <= MAX_RESTARTS; restarts++) {
        try {
          if (restarts > 0) await pause(options, signal);
          return await readPages(options, signal);
        } catch (error) {
          if (!(error instanceof IteratorLost)) throw error;
        }
      }
      throw new ReadError("unavailable", "the table changed during every read");
    },
    async missingColumns(columns, signal) {
      const missing: string[] = [];
      for (const column of columns) {
        await pause(options, signal);
        if (!await hasColumn(options, column, signal)) missing.push(column);
      }
      return missing;
    },
  };
}

/** Whether a column exists. Records leave out empty cells, but Airtable refuses to list an unknown column. */
async function hasColumn(
  options: AirtableOptions,
  column: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await readPage(options, { "pageSize": "1", "fields[]": column }, signal);
    return true;
  } catch (error) {
    if (error instanceof UnknownColumn) return false;
    throw error;
  }
}

async function readPages(options: AirtableOptions, signal: AbortSignal): Promise<StoreRecord[]> {
  const records: StoreRecord[] = [];
  const seen = new Set<string>();
  let offset: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    if (page > 0) await pause(options, signal);
    const cursor = offset === undefined ? {} : { offset };
    const { records: read, offset: next } = await readPage(
      options,
      { pageSize: "100", ...cursor },
      signal,
    );
    for (const { createdTime, ...record } of read) {
      records.push(createdTime === undefined ? record : { ...record, createdTime });
    }
    offset = next;
    if (offset === undefined) return records;
    if (seen.has(offset)) throw new ReadError("nonsense", "the cursors of the pages repeat");
    seen.add(offset);
  }
  throw new ReadError("nonsense", `more than ${MAX_PAGES} pages`);
}

async function pause({ sleep }: AirtableOptions, signal: AbortSignal): Promise<void> {
  try {
    await sleep(PAGE_PAUSE_MILLISECONDS, signal);
  } catch (cause) {
    throw new ReadError("unavailable", "Airtable: the read was aborted", null, { cause });
  }
}

async function readPage(
  { apiUrl, token, baseId, table, view, fetch }: AirtableOptions,
  asked: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Page> {
  const query = new URLSearchParams(asked);
  if (view !== undefined) query.set("view", view);
  const url = `${apiUrl}/v0/${encodeURIComponent(baseId)}/${encodeURIComponent(table)}?${query}`;
  const timeout = AbortSignal.timeout(PAGE_TIMEOUT_MILLISECONDS);
  let status: number;
  let retryAfter: string | null;
  let body: string;
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${token}`, accept: "application/json" },
      signal: AbortSignal.any([signal, timeout]),
      // A redirect would carry the token to another host.
      redirect: "error",
    });
    status = response.status;
    retryAfter = response.headers.get("retry-after");
    body = new TextDecoder().decode(await readBounded(response.body, MAX_PAGE_BYTES, endless));
  } catch (cause) {
    if (cause instanceof ReadError) throw cause;
    const reason = timeout.aborted
      ? "a page took too long"
      : signal.aborted
      ? "the read was aborted"
      : String(cause);
    throw new ReadError("unavailable", `Airtable: ${reason}`, null, { cause });
  }
  if (status !== 200) throw refusal(status, retryAfter, body);
  const page = pageSchema.safeParse(parseJson(body));
  if (page.success) return page.data;
  throw new ReadError("nonsense", "Airtable: the response is not a page of records");
}

function endless(): ReadError {
  return new ReadError("nonsense", "Airtable: an endless page");
}

function refusal(status: number, retryAfter: string | null, body: string): Error {
  const type = errorType(parseJson(body));
  const said = `Airtable: ${status}${type === null ? "" : ` ${type}`}`;
  switch (status) {
    case 401:
      return new ReadError("refused", `${said}: AIRTABLE_TOKEN is not a valid token`, 30);
    case 403:
    case 404:
      return new ReadError(
        "refused",
        `${said}: AIRTABLE_TOKEN may not read the table, or AIRTABLE_BASE_ID or AIRTABLE_TABLE is wrong`,
        30,
      );
    case 422:
      if (type === "LIST_RECORDS_ITERATOR_NOT_AVAILABLE" || type === "INVALID_OFFSET_VALUE") {
        return new IteratorLost(said);
      }
      if (type === "UNKNOWN_FIELD_NAME") return new UnknownColumn(said);
      return new ReadError("refused", `${said}: AIRTABLE_VIEW may be wrong`, 30);
    case 429: {
      const asked = /^\d{1,15}$/.test(retryAfter ?? "") ? Number(retryAfter) : 0;
      const seconds = Math.min(MAX_PAUSE_SECONDS, Math.max(RATE_LIMIT_PAUSE_SECONDS, asked));
      return new ReadError("rate_limited", said, seconds);
    }
    default:
      return new ReadError("unavailable", said);
  }
}

/** The type of an error, in either of the layouts that Airtable uses; null if it is not a plain name. */
function errorType(body: unknown): string | null {
  const named = z.object({ type: z.string() }).transform((error) => error.type);
  const first = z.tuple([z.object({ error: z.string() })], z.unknown());
  const type = z.union([
    z.object({ error: z.union([z.string(), named]) }).transform(({ error }) => error),
    z.object({ errors: first }).transform(({ errors }) => errors[0].error),
  ]).safeParse(body).data;
  return type !== undefined && /^[A-Z_]{1,60}$/.test(type) ? type : null;
}

/**
 * Reads of only the changed records of an Airtable table, if that takes fewer calls than a whole read: the payloads
 * of the webhook name the records. The records of the last read are kept in memory, so an isolate that has read
 * nothing yet reads the whole table.
 *
 * A whole read serves for 45 minutes: the signed addresses of its attachments live two hours, and the next read may be
 * an hour away.
 */

import { type AirtableStore, PAGE_RECORDS } from "./store.ts";
import { createWebhooks, type WebhooksOptions } from "./webhooks.ts";
import type { StoreRecord } from "../record.ts";
import { ReadError, type RecordStore } from "../store.ts";

interface ChangeReaderOptions extends WebhooksOptions {
  readonly store: AirtableStore;
  /** The id of the webhook that is known to be alive; null if none is. */
  readonly hookId: () => Promise<string | null>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The last read of this isolate. */
interface Known {
  readonly hookId: string;
  /** All payloads before this cursor are in `records`; null if the cursor is not known. */
  readonly cursor: number | null;
  readonly records: ReadonlyMap<string, StoreRecord>;
  /** When the last whole read began, in epoch milliseconds. */
  readonly wholeAt: number;
}

/** The changes since a cursor. */
interface Changes {
  /** The ids of the records; null if the whole table must be read. */
  readonly ids: readonly string[] | null;
  /** Null if it must be requested again. */
  readonly cursor: number | null;
}

const WHOLE_MILLISECONDS = 45 * 60_000;
/** The payloads, and the records that they name. */
const LEAST_CALLS = 2;

/** Creates a store that reads the changed records, or the whole table if they are unknown or take as many calls. */
export function createChangeReader(options: ChangeReaderOptions): RecordStore {
  const { store, now } = options;
  const webhooks = createWebhooks(options);
  let known: Known | null = null;

  async function findChanges({ hookId, cursor, records, wholeAt }: Known): Promise<Changes> {
    const callsOfWhole = Math.ceil(records.size / PAGE_RECORDS);
    if (callsOfWhole <= LEAST_CALLS) return { ids: null, cursor };
    if (cursor === null) {
      const hook = (await webhooks.list()).find(({ id }) => id === hookId);
      return { ids: null, cursor: hook?.cursorForNextPayload ?? null };
    }
    if (Math.abs(now() - wholeAt) >= WHOLE_MILLISECONDS) return { ids: null, cursor };
    const ids = new Set<string>();
    let next = cursor;
    // One more call is for the records.
    for (let calls = 1; calls + 1 < callsOfWhole; calls++) {
      const changes = await webhooks.changes(hookId, next);
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

  /** A webhook that is gone, invalid or refused to the token reports no changes; `hook.ts` checks it. */
  async function findChangesIfKnown(last: Known | null): Promise<Changes> {
    if (last === null) return { ids: null, cursor: null };
    try {
      return await findChanges(last);
    } catch (error) {
      const isUseless = error instanceof ReadError && ["refused", "nonsense"].includes(error.fault);
      if (isUseless) return { ids: null, cursor: null };
      throw error;
    }
  }

  return {
    ...store,
    async read(signal) {
      const hookId = await options.hookId();
      const last = known?.hookId === hookId ? known : null;
      const { ids, cursor } = await findChangesIfKnown(last);
      if (last === null || ids === null) {
        const wholeAt = now();
        const records = await store.read(signal);
        if (hookId !== null) {
          const byId = new Map(records.map((record) => [record.id, record]));
          known = { hookId, cursor, records: byId, wholeAt };
        }
        return records;
      }
      const records = new Map(last.records);
      const found = await store.readSome(ids, signal);
      for (const id of ids) records.delete(id);
      for (const record of found) records.set(record.id, record);
      known = { ...last, cursor, records };
      return [...records.values()];
    },
  };
}

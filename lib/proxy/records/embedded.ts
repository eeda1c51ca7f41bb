/**
 * The analytics store on Deno KV, for use without ClickHouse. A block holds the rows of many batches of one
 * day, so that a day takes few reads. A note for each batch names its block, so a batch counts once however
 * often it is inserted. A block and its notes change in one commit.
 *
 * A request takes about 350 bytes. Days past the retention (`retention.ts`) are removed by the days that the
 * database has seen, so a wrong clock never removes them early.
 */

import { beginAtomic } from "../../platform/kv/write.ts";
import { firstDayOf } from "../../platform/kv/days_seen.ts";
import { getEntries, getEntry, listEntries } from "../../platform/kv/list.ts";
import { inFittingParts } from "../../platform/kv/commit_size.ts";
import { retryLocked } from "../../platform/kv/open.ts";
import { createEmbeddedRefusals } from "./embedded_refusals.ts";
import type { UsageBatch, UsageRow } from "./record.ts";
import { daysFrom, KEEP_FOREVER, type Retention, withoutPastDays } from "./retention.ts";
import { type Question, StoreError, type UsageStore } from "./store.ts";
import { createTally } from "./tally.ts";

/** Which block holds the rows of a batch, and which version of the batch they are. */
interface BatchNote {
  readonly block: string;
  readonly version: bigint;
}

const ROWS = ["analytics", "rows"];
/** Earlier versions called batches pages; the stored keys keep that name. */
const NOTES = ["analytics", "pages"];
const blocksKey = (day: string): Deno.KvKey => [...ROWS, day];
const blockKey = (day: string, block: string): Deno.KvKey => [...blocksKey(day), block];
const noteKey = (day: string, batch: string): Deno.KvKey => [...NOTES, day, batch];

/**
 * The size up to which a block takes batches; a larger batch gets its own block. A KV value holds 65,536 bytes:
 * the rest is room for such a batch, of at most 30 records with short texts, and for corrections.
 */
const FULL_BYTES = 30_000;
/** A commit checks at most 100 keys: one for each batch. */
const BATCHES_PER_BLOCK = 90;
const PROGRESS_EVERY_BLOCKS = 50;

/** Creates the store. Several processes may use one database. */
export function createEmbeddedStore(
  kv: Deno.Kv,
  retention: Retention = KEEP_FOREVER,
): UsageStore {
  /** Inserts the new ones of the batches that fit one block, and replaces those that have a newer version. */
  async function keep(day: string, batches: readonly UsageBatch[]): Promise<void> {
    for (;;) {
      const notes = await getEntries<BatchNote>(kv, batches.map(({ name }) => noteKey(day, name)));
      const added = batches.filter((_, index) => notes[index]?.value === null);
      for (const batch of batches) if (!added.includes(batch)) await replace(day, batch);
      if (added.length === 0 || await write(day, added)) return;
    }
  }

  /** Writes a block of batches without notes; false if another process was faster. */
  async function write(day: string, batches: readonly UsageBatch[]): Promise<boolean> {
    const block = crypto.randomUUID();
    const operation = beginAtomic(kv)
      .set(blockKey(day, block), encodeRows(batches.flatMap(({ rows }) => rows)));
    for (const { name, version } of batches) {
      const key = noteKey(day, name);
      operation.check({ key, versionstamp: null })
        .set(key, { block, version } satisfies BatchNote);
    }
    return (await retryLocked(() => operation.commit())).ok;
  }

  /** Replaces a stored batch, unless its version is as high. */
  async function replace(day: string, batch: UsageBatch): Promise<void> {
    for (;;) {
      const note = await getEntry<BatchNote>(kv, noteKey(day, batch.name));
      if (note.value === null || batch.version <= note.value.version) return;
      const key = blockKey(day, note.value.block);
      const block = await getEntry<Uint8Array>(kv, key);
      const ids = new Set(batch.rows.map(({ request_id }) => request_id));
      const others = (block.value === null ? [] : decodeRows(block.value))
        .filter(({ request_id }) => !ids.has(request_id));
      const operation = beginAtomic(kv).check(note).check(block)
        .set(key, encodeRows([...others, ...batch.rows]))
        .set(note.key, { ...note.value, version: batch.version });
      if ((await retryLocked(() => operation.commit())).ok) return;
    }
  }

  async function query(question: Question, onProgress?: (records: number) => void) {
    const { from, to, accountId, by } = withoutPastDays(question, retention);
    const tally = createTally(by);
    let records = 0;
    let blocks = 0;
    for (const day of daysFrom(from, to)) {
      for await (const { value } of listEntries<Uint8Array>(kv, blocksKey(day))) {
        for (const row of decodeRows(value)) {
          records++;
          if (accountId === null || row.account_id === accountId) tally.add(row);
        }
        if (++blocks % PROGRESS_EVERY_BLOCKS === 0) onProgress?.(records);
      }
    }
    return tally.answer();
  }

  async function applyRetention(seen: readonly string[]): Promise<void> {
    const { days } = retention;
    const first = days === null ? null : firstDayOf(seen, days + 1);
    if (first === null) return;
    // Rows first: after a crash in between, the notes that are left keep the rows from being inserted again.
    await removeBefore(kv, ROWS, first);
    await removeBefore(kv, NOTES, first);
  }

  async function insert(batches: readonly UsageBatch[]): Promise<void> {
    for (const [day, ofDay] of Map.groupBy(batches, (batch) => batch.day)) {
      for (const some of splitDay(latestVersions(ofDay))) {
        await inFittingParts(some, (part) => keep(day, part));
      }
    }
  }

  const refusals = createEmbeddedRefusals(kv, retention.now);
  return {
    insert: withStoreErrors(insert),
    query: withStoreErrors(query),
    insertRefusals: withStoreErrors(refusals.insertRefusals),
    listRefusals: withStoreErrors(refusals.listRefusals),
    countRefusals: withStoreErrors(refusals.countRefusals),
    ping: withStoreErrors(async () => void await getEntry(kv, ["analytics", "ping"])),
    applyRetention: withStoreErrors(applyRetention),
  };
}

/**
 * Removes the notes of batches from before a day, except for batches that wait for delivery: without its note
 * such a batch would count twice.
 */
export async function removeOldNotes(
  kv: Deno.Kv,
  before: string,
  isWaiting: (batch: string) => Promise<boolean>,
): Promise<void> {
  await removeBefore(kv, NOTES, before, async (key) => !await isWaiting(String(key.at(-1))));
}

/** Removes the values under a prefix for days before `first`; those of a newer format stay. */
async function removeBefore(
  kv: Deno.Kv,
  prefix: readonly string[],
  first: string,
  mayRemove: (key: Deno.KvKey) => Promise<boolean> = () => Promise.resolve(true),
): Promise<void> {
  const older = { before: [...prefix, first], leaveOut() {} };
  for await (const { key } of listEntries(kv, [...prefix], older)) {
    if (await mayRemove(key)) await retryLocked(() => kv.delete(key));
  }
}

/** Divides a day's batches into groups that fit a block. */
function splitDay(batches: readonly UsageBatch[]): UsageBatch[][] {
  const groups: UsageBatch[][] = [];
  let group: UsageBatch[] = [];
  let bytes = Infinity;
  for (const batch of batches) {
    const size = encodeRows(batch.rows).length;
    if (group.length === BATCHES_PER_BLOCK || bytes + size > FULL_BYTES) {
      groups.push(group = []);
      bytes = 0;
    }
    group.push(batch);
    bytes += size;
  }
  return groups;
}

/** The latest version of each batch: a delivery may hold two. */
function latestVersions(batches: readonly UsageBatch[]): UsageBatch[] {
  const byVersion = batches.toSorted((a, b) => a.version < b.version ? -1 : 1);
  return [...new Map(byVersion.map((batch) => [batch.name, batch])).values()];
}

/** A block: its rows as JSON text in bytes. */
function encodeRows(rows: readonly UsageRow[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(rows));
}

function decodeRows(bytes: Uint8Array): UsageRow[] {
  // Only this file writes blocks.
  return JSON.parse(new TextDecoder().decode(bytes)) as UsageRow[];
}

/** The same function, which throws the database's errors as a {@linkcode StoreError}. */
function withStoreErrors<Given extends unknown[], Result>(
  work: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  return async (...given) => {
    try {
      return await work(...given);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new StoreError(`The embedded analytics store failed: ${reason}`, { cause });
    }
  };
}

/**
 * The analytics store on Deno KV, for where there is no ClickHouse. Rows lie in blocks of many, by day, so
 * that a day is read in few steps; a note for each page says in which block its rows are, so that a page
 * is kept once however often it is handed over. Block and notes change in one commit.
 *
 * Rows take about 350 bytes for a request. Those of days that are past (`retention.ts`) are removed by the
 * days that the database has seen, since a wrong clock must not remove them early.
 */

import {
  beginAtomic,
  firstDayOf,
  getEntries,
  getEntry,
  inFittingParts,
  listEntries,
  retryLocked,
} from "../kv/mod.ts";
import { decodeRows, encodeRows, splitPages } from "./blocks.ts";
import type { UsagePage } from "./record.ts";
import { KEEP_FOREVER, type Retention, withoutPastDays } from "./retention.ts";
import { type QueryOptions, type Question, StoreError, type UsageStore } from "./store.ts";
import { createTally } from "./tally.ts";

/** Says where the rows of a page are, and which version of it they are. */
interface PageNote {
  readonly block: string;
  readonly version: bigint;
}

const ROWS = ["analytics", "rows"];
const PAGES = ["analytics", "pages"];
const blocksKey = (day: string): Deno.KvKey => [...ROWS, day];
const blockKey = (day: string, block: string): Deno.KvKey => [...blocksKey(day), block];
const noteKey = (day: string, page: string): Deno.KvKey => [...PAGES, day, page];

const PROGRESS_EVERY_BLOCKS = 50;

/** Makes the store. Several processes may use one database. */
export function createEmbeddedStore(
  kv: Deno.Kv,
  retention: Retention = KEEP_FOREVER,
): UsageStore {
  /** Keeps what is new of one block's worth of pages. A lost commit finds on the next try what is done. */
  async function keep(day: string, pages: readonly UsagePage[]): Promise<void> {
    for (;;) {
      const notes = await readNotes(kv, day, pages);
      const news = pages.filter((_, index) => notes[index]?.value === null);
      const changed = pages.filter((page, index) => isNewer(page, notes[index]?.value ?? null));
      for (const page of changed) await replace(day, page);
      if (news.length === 0 || await write(day, news)) return;
    }
  }

  /** Writes a block of pages that have no notes; false if somebody was faster. */
  async function write(day: string, pages: readonly UsagePage[]): Promise<boolean> {
    const block = crypto.randomUUID();
    const operation = beginAtomic(kv)
      .set(blockKey(day, block), encodeRows(pages.flatMap(({ rows }) => rows)));
    for (const { page, version } of pages) {
      const note: PageNote = { block, version };
      operation.check({ key: noteKey(day, page), versionstamp: null })
        .set(noteKey(day, page), note);
    }
    return (await retryLocked(() => operation.commit())).ok;
  }

  /** Puts a higher version of a page in the place of the one that is kept. */
  async function replace(day: string, page: UsagePage): Promise<void> {
    for (;;) {
      const note = await getEntry<PageNote>(kv, noteKey(day, page.page));
      if (note.value === null || !isNewer(page, note.value)) return;
      const key = blockKey(day, note.value.block);
      const block = await getEntry<Uint8Array>(kv, key);
      const ids = new Set(page.rows.map(({ request_id }) => request_id));
      const others = (block.value === null ? [] : decodeRows(block.value))
        .filter(({ request_id }) => !ids.has(request_id));
      const replaced = { ...note.value, version: page.version };
      const operation = beginAtomic(kv).check(note).check(block)
        .set(key, encodeRows([...others, ...page.rows]))
        .set(note.key, replaced);
      if ((await retryLocked(() => operation.commit())).ok) return;
    }
  }

  async function count({ from, to, accountId, by }: Question, options: QueryOptions) {
    const tally = createTally(by);
    let records = 0;
    let blocks = 0;
    for (const day of daysFrom(from, to)) {
      for await (const { value } of listEntries<Uint8Array>(kv, blocksKey(day))) {
        options.signal?.throwIfAborted();
        for (const row of decodeRows(value)) {
          records++;
          if (accountId === null || row.account_id === accountId) tally.add(row);
        }
        if (++blocks % PROGRESS_EVERY_BLOCKS === 0) options.onProgress?.(records);
      }
    }
    return tally.answer();
  }

  async function applyRetention(seen: readonly string[]): Promise<void> {
    const { days } = retention;
    const first = days === null ? null : firstDayOf(seen, days + 1);
    if (first === null) return;
    // A page whose note is left counts as kept, so a crash in between lets no row come again.
    await removeBefore(kv, ROWS, first);
    await removeBefore(kv, PAGES, first);
  }

  return {
    insert: (pages) =>
      told(async () => {
        for (const [day, batch] of splitPages(pages)) {
          await inFittingParts(batch.pages, (some) => keep(day, some));
        }
      }),
    query: (question, options = {}) =>
      told(
        () => count(withoutPastDays(question, retention), options),
        options.signal,
      ),
    ping: () => told(async () => void await getEntry(kv, ["analytics", "ping"])),
    applyRetention: (seen) => told(() => applyRetention(seen)),
  };
}

/**
 * Removes the notes of pages from before a day, unless a page waits to be handed over: without its note it
 * would be counted twice.
 */
export async function removeOldNotes(
  kv: Deno.Kv,
  before: string,
  isWaiting: (page: string) => Promise<boolean>,
): Promise<void> {
  for await (
    const { key } of listEntries(kv, [...PAGES], { before: [...PAGES, before], leaveOut })
  ) {
    if (!await isWaiting(String(key.at(-1)))) await retryLocked(() => kv.delete(key));
  }
}

/** What only a newer version knows, that removes. */
function leaveOut(): void {}

function isNewer(page: UsagePage, note: PageNote | null): boolean {
  return note !== null && page.version > note.version;
}

function readNotes(kv: Deno.Kv, day: string, pages: readonly UsagePage[]) {
  return getEntries<PageNote>(kv, pages.map(({ page }) => noteKey(day, page)));
}

/** Removes what lies under a prefix for days before `first`. */
async function removeBefore(kv: Deno.Kv, prefix: readonly string[], first: string): Promise<void> {
  const older = { before: [...prefix, first], leaveOut };
  for await (const { key } of listEntries(kv, [...prefix], older)) {
    await retryLocked(() => kv.delete(key));
  }
}

function* daysFrom(from: string, to: string): Generator<string> {
  let day = Temporal.PlainDate.from(from);
  for (const last = Temporal.PlainDate.from(to); Temporal.PlainDate.compare(day, last) <= 0;) {
    yield day.toString();
    day = day.add({ days: 1 });
  }
}

/** Does the work, and tells of the database's failures as a store's. */
async function told<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    signal?.throwIfAborted();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError(`The embedded analytics store failed: ${reason}`, { cause });
  }
}

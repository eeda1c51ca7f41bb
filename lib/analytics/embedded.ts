/**
 * The analytics store on Deno KV, for where there is no ClickHouse. Rows lie in blocks of many, by day, so
 * that a day is read in few steps; a note for each page says in which block its rows are, so that a page
 * is kept once however often it is handed over. Block and notes change in one commit.
 *
 * Rows take about 350 bytes for a request. Those of days that are past (`retention.ts`) are removed for good, so
 * the clock alone does not decide which these are: see `moveDayOn`.
 */

import { dayOf } from "../accounts/books.ts";
import { commitOnce, inFittingParts } from "../kv/commit.ts";
import { getEntries, listEntries } from "../kv/list.ts";
import { retryLocked } from "../kv/open.ts";
import { decodeRows, encodeRows, splitPages } from "./blocks.ts";
import type { UsagePage } from "./record.ts";
import { firstKeptDay, KEEP_FOREVER, type Retention, withoutPastDays } from "./retention.ts";
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
/** The day that it is for the retention, as the database has it. */
const DAY: Deno.KvKey = ["analytics", "day"];

/** Twice the time for which the ledger keeps a page, and so for which it can be handed over again. */
const NOTE_LIFETIME = { expireIn: 200 * 86_400_000 };
const PROGRESS_EVERY_BLOCKS = 50;

const REMOVED_PER_COMMIT = 100;

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
    const operation = kv.atomic()
      .set(blockKey(day, block), encodeRows(pages.flatMap(({ rows }) => rows)));
    for (const { page, version } of pages) {
      const note: PageNote = { block, version };
      operation.check({ key: noteKey(day, page), versionstamp: null })
        .set(noteKey(day, page), note, NOTE_LIFETIME);
    }
    return (await retryLocked(() => operation.commit())).ok;
  }

  /** Puts a higher version of a page in the place of the one that is kept. */
  async function replace(day: string, page: UsagePage): Promise<void> {
    for (;;) {
      const note = await retryLocked(() => kv.get<PageNote>(noteKey(day, page.page)));
      if (note.value === null || !isNewer(page, note.value)) return;
      const key = blockKey(day, note.value.block);
      const block = await retryLocked(() => kv.get<Uint8Array>(key));
      const ids = new Set(page.rows.map(({ request_id }) => request_id));
      const others = (block.value === null ? [] : decodeRows(block.value))
        .filter(({ request_id }) => !ids.has(request_id));
      const replaced = { ...note.value, version: page.version };
      const operation = kv.atomic().check(note).check(block)
        .set(key, encodeRows([...others, ...page.rows]))
        .set(note.key, replaced, NOTE_LIFETIME);
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

  async function applyRetention(): Promise<void> {
    const { days, now } = retention;
    if (days === null) return await forgetDay(kv);
    const first = firstKeptDay(await moveDayOn(kv, dayOf(now())), days);
    // A page whose note is left counts as kept, so a crash in between lets no row come again.
    await removeUntil(kv, ROWS, first);
    await removeUntil(kv, PAGES, first);
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
    ping: () => told(async () => void await retryLocked(() => kv.get(["analytics", "ping"]))),
    applyRetention: () => told(applyRetention),
  };
}

function isNewer(page: UsagePage, note: PageNote | null): boolean {
  return note !== null && page.version > note.version;
}

function readNotes(kv: Deno.Kv, day: string, pages: readonly UsagePage[]) {
  return getEntries<PageNote>(kv, pages.map(({ page }) => noteKey(day, page)));
}

/**
 * Moves the database's own day towards the clock's, forward by one day at most, and gives it. So a clock that is
 * years ahead for an hour makes nothing disappear that would not have been past tomorrow. It begins with the
 * latest day of which there are rows.
 */
async function moveDayOn(kv: Deno.Kv, today: string): Promise<string> {
  for (;;) {
    const entry = await retryLocked(() => kv.get<string>(DAY));
    const before = entry.value ?? await latestDay(kv);
    const next = before === null ? today : addDay(before);
    const day = next < today ? next : today;
    if (day === entry.value) return day;
    const operation = kv.atomic().check(entry).set(DAY, day);
    if ((await commitOnce(kv, operation, DAY, day)).ok) return day;
  }
}

/** Without a limit there is no such day: the next one begins anew. */
async function forgetDay(kv: Deno.Kv): Promise<void> {
  if ((await retryLocked(() => kv.get(DAY))).value === null) return;
  await retryLocked(() => kv.delete(DAY));
}

async function latestDay(kv: Deno.Kv): Promise<string | null> {
  return await retryLocked(async () => {
    for await (const { key } of kv.list({ prefix: ROWS }, { limit: 1, reverse: true })) {
      return String(key.at(-2));
    }
    return null;
  });
}

/** Removes what lies under a prefix for days before `first`. */
async function removeUntil(kv: Deno.Kv, prefix: Deno.KvKey, first: string): Promise<void> {
  const selector = { start: prefix, end: [...prefix, first] };
  for (;;) {
    const keys = await retryLocked(async () =>
      (await Array.fromAsync(kv.list(selector, { limit: REMOVED_PER_COMMIT }))).map(({ key }) =>
        key
      )
    );
    if (keys.length === 0) return;
    await inFittingParts(keys, async (some) => {
      const operation = kv.atomic();
      for (const key of some) operation.delete(key);
      await retryLocked(() => operation.commit());
    });
  }
}

function addDay(day: string): string {
  return Temporal.PlainDate.from(day).add({ days: 1 }).toString();
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

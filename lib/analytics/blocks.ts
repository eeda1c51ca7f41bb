/** Blocks of rows as the embedded store keeps them: JSON text in bytes, small enough for one KV value. */

import type { UsagePage, UsageRow } from "./record.ts";

/** Pages whose rows go into one block. */
interface Batch {
  readonly pages: readonly UsagePage[];
}

/**
 * A KV value holds 65,536 bytes. What is left above this is room for the last page, of which the ledger
 * writes no more than 30 records with texts that it keeps short, and for corrections.
 */
const FULL_BYTES = 30_000;
/** A commit checks at most 100 keys: one for each page. */
const PAGES_PER_BLOCK = 90;

/** Divides pages by day, and each day's into batches that fit a block. */
export function splitPages(pages: readonly UsagePage[]): [day: string, batch: Batch][] {
  const byDay = Map.groupBy(pages, ({ day }) => day);
  return [...byDay].flatMap(([day, ofDay]) =>
    splitDay(latestVersions(ofDay)).map((batch): [string, Batch] => [day, batch])
  );
}

/** Rows as the bytes of a block. */
export function encodeRows(rows: readonly UsageRow[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(rows));
}

/** The rows of a block. */
export function decodeRows(bytes: Uint8Array): UsageRow[] {
  // Blocks are written here only.
  return JSON.parse(new TextDecoder().decode(bytes)) as UsageRow[];
}

function splitDay(pages: readonly UsagePage[]): Batch[] {
  const batches: Batch[] = [];
  let current: UsagePage[] = [];
  let bytes = 0;
  for (const page of pages) {
    const size = encodeRows(page.rows).length;
    const isFull = current.length === PAGES_PER_BLOCK || bytes + size > FULL_BYTES;
    if (isFull && current.length > 0) {
      batches.push({ pages: current });
      current = [];
      bytes = 0;
    }
    current.push(page);
    bytes += size;
  }
  if (current.length > 0) batches.push({ pages: current });
  return batches;
}

/** One of each page: a batch may hold two versions of it. */
function latestVersions(pages: readonly UsagePage[]): UsagePage[] {
  const latest = new Map<string, UsagePage>();
  for (const page of pages) {
    const other = latest.get(page.page);
    if (other === undefined || page.version > other.version) latest.set(page.page, page);
  }
  return [...latest.values()];
}

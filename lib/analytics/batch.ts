/** Reads the pages that markers tell of, as many as one insert should hold. */

import { z } from "zod";
import { usageKey } from "../accounts/mod.ts";
import { type Entry, getKnownEntries, type LeaveOut } from "../kv/mod.ts";
import { parseRows, type UsagePage, versionOf } from "./record.ts";

/** A marker of the ledger's, as it was read. */
export type Marker = Deno.KvEntry<unknown>;

/** What some markers came to. */
interface CollectedBatch {
  readonly pages: readonly UsagePage[];
  /** How many markers were looked at, from the first; the rest is for the next batch. */
  readonly read: number;
  /** The markers of the pages. */
  readonly done: readonly Marker[];
  /** Markers or pages that the ledger did not write like this. */
  readonly damaged: readonly { readonly marker: Marker; readonly reason: string }[];
  /** Markers whose page is no longer there. */
  readonly expired: readonly Marker[];
  /** Markers of pages that only a newer version can read, and will deliver. */
  readonly newer: readonly Marker[];
}

/** Rows of one insert; with at most 1 KB each (the ledger shortens texts) about five megabytes. */
const MAX_ROWS = 5_000;
const MARKERS_PER_STEP = 100;

const markerSchema = z.object({ accountId: z.string().min(1), day: z.string().min(1) });

/** Reads pages in the order of the markers, until they are enough. */
export async function collectBatch(
  kv: Deno.Kv,
  markers: readonly Marker[],
  leaveOut: LeaveOut,
): Promise<CollectedBatch> {
  const pages: UsagePage[] = [];
  const done: Marker[] = [];
  const damaged: CollectedBatch["damaged"][number][] = [];
  const expired: Marker[] = [];
  const newer: Marker[] = [];
  let read = 0;
  let rows = 0;
  while (read < markers.length && rows < MAX_ROWS) {
    const some = markers.slice(read, read + MARKERS_PER_STEP);
    read += some.length;
    for (const { marker, key, entry } of await readPages(kv, some, leaveOut)) {
      if (key === null) damaged.push({ marker, reason: "the marker names no account and day" });
      else if (entry === null) newer.push(marker);
      else if (entry.versionstamp === null) expired.push(marker);
      else {
        try {
          const page = parsePage(key, entry.value, entry.versionstamp);
          pages.push(page);
          done.push(marker);
          rows += page.rows.length;
        } catch (error) {
          damaged.push({ marker, reason: error instanceof Error ? error.message : String(error) });
        }
      }
    }
  }
  return { pages, read, done, damaged, expired, newer };
}

/** @throws what {@linkcode parseRows} throws, and an error for records of another account or day. */
function parsePage(key: PageKey, value: unknown, versionstamp: string): UsagePage {
  const rows = parseRows(value);
  const stray = rows.find(({ account_id, day }) => account_id !== key.accountId || day !== key.day);
  if (stray !== undefined) throw new Error(`the record ${stray.request_id} belongs elsewhere`);
  return { page: key.page, day: key.day, version: versionOf(versionstamp), rows };
}

interface PageKey {
  readonly accountId: string;
  readonly day: string;
  readonly page: string;
}

interface ReadPage {
  readonly marker: Marker;
  readonly key: PageKey | null;
  /** Null for a page of a newer format, and where there is no key. */
  readonly entry: Entry<unknown> | null;
}

async function readPages(
  kv: Deno.Kv,
  markers: readonly Marker[],
  leaveOut: LeaveOut,
): Promise<ReadPage[]> {
  const keyed = markers.map((marker) => ({ marker, key: pageOf(marker) }));
  const keys = keyed.flatMap(({ key }) =>
    key === null ? [] : [usageKey(key.accountId, key.day, key.page)]
  );
  const entries = (await getKnownEntries<unknown>(kv, keys, leaveOut)).values();
  return keyed.map(({ marker, key }) => ({
    marker,
    key,
    entry: key === null ? null : entries.next().value ?? null,
  }));
}

function pageOf({ key, value }: Marker): PageKey | null {
  const page = key.at(-1);
  const parsed = markerSchema.safeParse(value);
  return parsed.success && typeof page === "string" ? { ...parsed.data, page } : null;
}

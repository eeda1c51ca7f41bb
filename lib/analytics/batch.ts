/** Reads the pages that markers tell of, as many as one insert should hold. */

import { z } from "zod";
import { usageKey } from "../accounts/books.ts";
import { getEntries } from "../kv/list.ts";
import { parseRows, type UsagePage, versionOf } from "./record.ts";

/** A marker of the ledger's, as it was read. */
export type Marker = Deno.KvEntry<unknown>;

/** What some markers came to. */
export interface CollectedBatch {
  readonly pages: readonly UsagePage[];
  /** How many markers were looked at, from the first; the rest is for the next batch. */
  readonly read: number;
  /** The markers of the pages. */
  readonly done: readonly Marker[];
  /** Markers or pages that the ledger did not write like this. */
  readonly damaged: readonly { readonly marker: Marker; readonly reason: string }[];
  /** Markers whose page is no longer there. */
  readonly expired: readonly Marker[];
}

/** Rows of one insert; with at most 1 KB each (the ledger shortens texts) about five megabytes. */
const MAX_ROWS = 5_000;
const MARKERS_PER_STEP = 100;

const markerSchema = z.object({ accountId: z.string().min(1), day: z.string().min(1) });

/** Reads pages in the order of the markers, until they are enough. */
export async function collectBatch(
  kv: Deno.Kv,
  markers: readonly Marker[],
): Promise<CollectedBatch> {
  const pages: UsagePage[] = [];
  const done: Marker[] = [];
  const damaged: CollectedBatch["damaged"][number][] = [];
  const expired: Marker[] = [];
  let read = 0;
  let rows = 0;
  while (read < markers.length && rows < MAX_ROWS) {
    const some = markers.slice(read, read + MARKERS_PER_STEP);
    read += some.length;
    for (const { marker, key, entry } of await readPages(kv, some)) {
      if (key === null) damaged.push({ marker, reason: "the marker names no account and day" });
      else if (entry === null) expired.push(marker);
      else {
        try {
          const page = parsePage(key, entry);
          pages.push(page);
          done.push(marker);
          rows += page.rows.length;
        } catch (error) {
          damaged.push({ marker, reason: error instanceof Error ? error.message : String(error) });
        }
      }
    }
  }
  return { pages, read, done, damaged, expired };
}

/** @throws what {@linkcode parseRows} throws, and an error for records of another account or day. */
function parsePage(key: PageKey, entry: Deno.KvEntry<unknown>): UsagePage {
  const rows = parseRows(entry.value);
  const stray = rows.find(({ account_id, day }) => account_id !== key.accountId || day !== key.day);
  if (stray !== undefined) throw new Error(`the record ${stray.request_id} belongs elsewhere`);
  return { page: key.page, day: key.day, version: versionOf(entry.versionstamp), rows };
}

interface PageKey {
  readonly accountId: string;
  readonly day: string;
  readonly page: string;
}

interface ReadPage {
  readonly marker: Marker;
  readonly key: PageKey | null;
  readonly entry: Deno.KvEntry<unknown> | null;
}

async function readPages(kv: Deno.Kv, markers: readonly Marker[]): Promise<ReadPage[]> {
  const keyed = markers.map((marker) => ({ marker, key: pageOf(marker) }));
  const keys = keyed.flatMap(({ key }) =>
    key === null ? [] : [usageKey(key.accountId, key.day, key.page)]
  );
  const entries = (await getEntries<unknown>(kv, keys)).values();
  return keyed.map(({ marker, key }) => {
    const entry = key === null ? undefined : entries.next().value;
    return {
      marker,
      key,
      entry: entry === undefined || entry.versionstamp === null ? null : entry,
    };
  });
}

function pageOf({ key, value }: Marker): PageKey | null {
  const page = key.at(-1);
  const parsed = markerSchema.safeParse(value);
  return parsed.success && typeof page === "string" ? { ...parsed.data, page } : null;
}

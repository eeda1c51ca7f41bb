/**
 * A record store in a JSON file: a list of records, or an object with `records`. A record has Airtable's
 * layout (`{id, createdTime, fields}`, columns as configured) or the API's (`{id, name, startDate, …}`).
 *
 * A change is read at once instead of at the next interval. The file is watched if the platform can do that, and its
 * revision is compared at requests, because network file systems may not report the changes of other machines.
 */

import { basename, dirname } from "node:path";
import { z } from "zod";
import { type Columns, EVENT_FIELDS } from "../columns.ts";
import { isObject, parseJson } from "../json.ts";
import type { Log } from "../telemetry/mod.ts";
import type { StoreRecord } from "./record.ts";
import { ReadError, type RecordStore } from "./store.ts";

const rows = z.array(z.unknown());
const fileSchema = z.union([rows, z.object({ records: rows }).transform(({ records }) => records)]);

/** A store that reads a JSON file; its revision is the file's time and size. */
export function createFileStore(path: string, columns: Columns): RecordStore {
  return {
    async read(signal) {
      let text: string;
      try {
        text = await Deno.readTextFile(path, { signal });
      } catch (cause) {
        throw new ReadError("unavailable", `EVENTS_FILE cannot be read: ${cause}`, null, {
          cause,
        });
      }
      // Some editors begin a file with a byte order mark.
      const parsed = fileSchema.safeParse(parseJson(text.replace(/^\ufeff/, "")));
      if (parsed.success) return parsed.data.map((row) => toRecord(row, columns));
      throw new ReadError("nonsense", "EVENTS_FILE is not a list of records");
    },
    async revision() {
      const { mtime, size } = await Deno.stat(path);
      return `${mtime?.getTime()}-${size}`;
    },
    watch: (onChange) => watchFile(path, onChange),
  };
}

/**
 * Watches the file's folder, because editors replace the file. A link is not watched, because its target may change
 * elsewhere.
 */
function watchFile(path: string, onChange: () => void): (() => void) | null {
  let watcher: Deno.FsWatcher;
  try {
    if (Deno.lstatSync(path).isSymlink) return null;
    watcher = Deno.watchFs(dirname(path), { recursive: false });
  } catch {
    // The platform cannot watch files, or the file does not exist yet, which the next read reports.
    return null;
  }
  const name = basename(path);
  const follow = async () => {
    for await (const { kind, paths } of watcher) {
      if (kind !== "access" && paths.some((each) => basename(each) === name)) onChange();
    }
  };
  follow().catch(() => {/* Its revision is still compared. */});
  return () => watcher.close();
}

function toRecord(row: unknown, columns: Columns): StoreRecord {
  const { id, createdTime, fields } = isObject(row) ? row : {};
  const record = {
    // The parser reports a record with an empty id.
    id: typeof id === "string" ? id : "",
    fields: isObject(fields)
      ? fields
      : Object.fromEntries(EVENT_FIELDS.map((field) => [columns[field], valueAt(row, field)])),
  };
  return typeof createdTime === "string" ? { ...record, createdTime } : record;
}

function valueAt(row: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>(
    (value, key) => isObject(value) ? value[key] : undefined,
    row,
  );
}

/** The dependencies of {@linkcode followRevision}. Times are milliseconds. */
interface RevisionOptions {
  readonly store: Pick<RecordStore, "revision" | "watch">;
  readonly onChange: () => void;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly log: Pick<Log, "error">;
}

const COMPARE_MILLISECONDS = 1_000;
/** Editors write a file in several steps. */
const SETTLE_MILLISECONDS = 200;

/** Follows the revision of a store, so that its changes are read at once; null for a store without revisions. */
export function followRevision(options: RevisionOptions) {
  const { store, onChange, now, sleep, log } = options;
  /** The revision at the last successful read. */
  let known: string | null = null;
  let comparedAt = -Infinity;
  let isSettling = false;
  let isOver = false;
  /** Ends the watching; undefined before it begins, null if it is impossible. */
  let unwatch: (() => void) | null | undefined;

  async function compare(): Promise<void> {
    comparedAt = now();
    try {
      if (await store.revision?.() !== known) onChange();
    } catch (error) {
      const reason = String(error);
      log.error("events: the revision of the record store could not be read", { reason });
    }
  }

  async function settle(): Promise<void> {
    if (isSettling) return;
    isSettling = true;
    await sleep(SETTLE_MILLISECONDS);
    isSettling = false;
    if (!isOver) await compare();
  }

  return store.revision === undefined ? null : {
    /** For each request: begins to watch, and compares the revision if that is due. */
    look() {
      if (unwatch === undefined) unwatch = store.watch?.(settle) ?? null;
      if (Math.abs(now() - comparedAt) >= COMPARE_MILLISECONDS) void compare();
    },
    /** Notes the revision of a successful read. */
    hasRead(revision: string | null) {
      known = revision;
    },
    /** Ends the watching. */
    stop() {
      isOver = true;
      unwatch?.();
    },
  };
}

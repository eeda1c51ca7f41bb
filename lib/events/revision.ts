/**
 * Follows the revision of a record store, so that a change is read at once instead of at the next interval. A watched
 * store reports its changes; if the platform cannot watch it, its revision is compared at requests.
 */

import type { Log } from "../telemetry/mod.ts";
import type { RecordStore } from "./store.ts";

/** The dependencies of {@linkcode followRevision}. Times are milliseconds. */
interface RevisionOptions {
  readonly store: Pick<RecordStore, "revision" | "watch">;
  readonly onChange: () => void;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly log: Pick<Log, "error">;
}

/** Follows a revision. */
interface RevisionFollower {
  /** For each request: begins to watch, and compares the revision if that is due. */
  look(): void;
  /** Notes the revision of a successful read. */
  hasRead(revision: string | null): void;
  /** Ends the watching. */
  stop(): void;
}

const COMPARE_MILLISECONDS = 1_000;
/** Network file systems may not report the changes of other machines. */
const WATCHED_COMPARE_MILLISECONDS = 30_000;
/** Editors write a file in several steps. */
const SETTLE_MILLISECONDS = 200;

/** Creates the follower; null for a store without revisions. */
export function followRevision(options: RevisionOptions): RevisionFollower | null {
  const { store, onChange, now, sleep, log } = options;
  /** The revision at the last successful read. */
  let known: string | null = null;
  let comparedAt = -Infinity;
  /** Whether the revision may differ from the known one. */
  let isSuspect = true;
  let isSettling = false;
  /** Ends the watching; undefined before it begins, null if it is impossible. */
  let unwatch: (() => void) | null | undefined;

  async function compare(): Promise<void> {
    comparedAt = now();
    isSuspect = true;
    if (await store.revision?.() !== known) onChange();
    else isSuspect = false;
  }

  function compareInBackground(): void {
    compare().catch((error) => {
      const reason = String(error);
      log.error("events: the revision of the record store could not be read", { reason });
    });
  }

  async function settle(): Promise<void> {
    isSuspect = true;
    if (isSettling) return;
    isSettling = true;
    await sleep(SETTLE_MILLISECONDS);
    isSettling = false;
    if (unwatch) compareInBackground();
  }

  return store.revision === undefined ? null : {
    look() {
      if (unwatch === undefined) unwatch = store.watch?.(settle, () => unwatch = null) ?? null;
      const interval = unwatch === null || isSuspect
        ? COMPARE_MILLISECONDS
        : WATCHED_COMPARE_MILLISECONDS;
      if (Math.abs(now() - comparedAt) >= interval) compareInBackground();
    },
    hasRead(revision) {
      known = revision;
    },
    stop() {
      unwatch?.();
      unwatch = null;
    },
  };
}

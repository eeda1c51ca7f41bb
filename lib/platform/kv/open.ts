/** Opens the database, and handles two transient faults: SQLite's lock, and a remote database that does not respond. */

import { createLimits, withTimeout } from "../timeout.ts";

/** The limit of one operation: Deno itself would wait for ever for a remote database that does not respond. */
const SILENCE_MILLISECONDS = 30_000;
/** The limit after an operation has reached it, until the database answers: a request needs several, one by one. */
const FURTHER_SILENCE_MILLISECONDS = 2_000;

/**
 * Opens Deno KV. An operation rejects after half a minute without a response, and those after it after two seconds.
 * The operation may have been made, or may be made later: Deno keeps sending it to a remote database until that
 * responds.
 *
 * @param path a file, `:memory:`, a KV Connect `https://` address, or undefined for Deno's default.
 * @throws {Error} naming KV_PATH and the reason, if it cannot be opened; Deno waits for half a minute.
 */
export async function openKv(path: string | undefined): Promise<Deno.Kv> {
  try {
    return limitKv(await Deno.openKv(path), SILENCE_MILLISECONDS);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `KV_PATH: the database ${path ?? "(Deno's default)"} cannot be opened: ${reason}` +
        hintAt(reason),
      { cause },
    );
  }
}

/** Adds the probable cause, which neither a server's error for a wrong token nor SQLite's own errors name. */
function hintAt(reason: string): string {
  if (/\bstatus 40[13]\b/.test(reason)) return ". Is DENO_KV_ACCESS_TOKEN its token?";
  if (/unable to open database file/.test(reason)) {
    return ". Does its folder exist, and may it be written?";
  }
  return /\bdisk I\/O error\b/.test(reason) ? ". Is the disk full?" : "";
}

/**
 * The same database, with operations that reject after some milliseconds. After one that did, the others reject sooner
 * until the database answers.
 *
 * @param start starts a limit; by default, a timer for each operation would take time from every request.
 */
export function limitKv(kv: Deno.Kv, milliseconds: number, start = createLimits()): Deno.Kv {
  let isSilent = false;
  const answered = () => void (isSilent = false);
  function within<T>(work: Promise<T>): Promise<T> {
    if (isSilent) work.then(answered, answered);
    const limit = isSilent ? Math.min(milliseconds, FURTHER_SILENCE_MILLISECONDS) : milliseconds;
    return withTimeout(limit, work, () => {
      isSilent = true;
      throw new Error(`The database has not answered for ${limit / 1000} s.`);
    }, start);
  }
  const limit = <T extends object>(target: T, ...names: (keyof T & string)[]): T => {
    for (const name of names) {
      // Each of these methods returns a promise.
      const method = target[name] as (...given: unknown[]) => Promise<unknown>;
      const limited = (...given: unknown[]) => within(method.apply(target, given));
      Reflect.set(target, name, limited);
    }
    return target;
  };
  const { atomic, list } = kv;
  return Object.assign(limit(kv, "get", "getMany", "set", "delete"), {
    atomic: () => limit(atomic.call(kv), "commit"),
    list(...[selector, options]: Parameters<Deno.Kv["list"]>) {
      const entries = list.call(kv, selector, options);
      const next = entries.next.bind(entries);
      const { batchSize = 1 } = options ?? {};
      let count = 0;
      // Only the first entry of a batch waits for the database.
      return Object.assign(entries, {
        next: () => count++ % batchSize === 0 ? within(next()) : next(),
      });
    },
  });
}

/**
 * Retries a database operation while another process holds SQLite's lock. A commit that met the lock was not
 * made, so a retry is safe. Waits 2 ms, doubling to 128 ms, each with full jitter.
 *
 * @throws the operation's error, if it is any other error or the last attempt's.
 */
export async function retryLocked<T>(
  operation: () => Promise<T>,
  attempts = 12,
): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await operation();
    } catch (error) {
      if (attempt >= attempts || !isLocked(error)) throw error;
      const pause = Math.random() * Math.min(128, 2 ** attempt);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** The errors of SQLite on a bad disk, of a silent database, and of a remote one. */
const FAILURE = /database or disk is full|disk I\/O error|database has not answered|^KV Connect/i;

/** Whether an error says that the database cannot be used now. */
export function isDatabaseFailure(error: unknown): boolean {
  return isLocked(error) || error instanceof Error && FAILURE.test(error.message);
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && /database (table )?is locked|SQLITE_BUSY/i.test(error.message);
}

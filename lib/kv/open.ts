/** Opening the database, and its two transient faults: SQLite's lock, and a remote database that is silent. */

import { withTimeout } from "../timeout.ts";

/** A remote database may fall silent, and Deno waits for it without end. */
const SILENCE_MILLISECONDS = 30_000;

/**
 * Opens Deno KV. An operation rejects after half a minute. It may have been made then, or may yet be: Deno goes
 * on sending it to a remote database until that answers.
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

/** What a server says of a wrong token, and SQLite of a full disk, names neither. */
function hintAt(reason: string): string {
  if (/\bstatus 40[13]\b/.test(reason)) return " Is DENO_KV_ACCESS_TOKEN its token?";
  return /\bdisk I\/O error\b/.test(reason) ? " Is the disk full?" : "";
}

/** The same database, with operations that reject after so many milliseconds. */
export function limitKv(kv: Deno.Kv, milliseconds: number): Deno.Kv {
  const late = () => {
    throw new Error(`The database has not answered for ${milliseconds / 1000} s.`);
  };
  const limit = <T extends object>(target: T, ...names: (keyof T & string)[]): T => {
    for (const name of names) {
      // Only methods that give a promise are named.
      const method = target[name] as (...given: unknown[]) => Promise<unknown>;
      const limited = (...given: unknown[]) =>
        withTimeout(milliseconds, method.apply(target, given), late);
      Reflect.set(target, name, limited);
    }
    return target;
  };
  const { atomic, list } = kv;
  return Object.assign(limit(kv, "get", "getMany", "set", "delete"), {
    atomic: () => limit(atomic.call(kv), "commit"),
    list: (...given: Parameters<Deno.Kv["list"]>) => limit(list.apply(kv, given), "next"),
  });
}

/** What {@linkcode retryLocked} needs from outside; the defaults are the real ones. */
interface RetryOptions {
  readonly attempts?: number;
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  readonly random?: () => number;
}

/**
 * Runs a database operation again while another process holds SQLite's lock: the commit was then not
 * made, so making it again is safe. Waits 2 ms, doubling to 128 ms, each with full jitter.
 *
 * @throws what the operation throws, if it is another error or the last attempt.
 */
export async function retryLocked<T>(
  operation: () => Promise<T>,
  { attempts = 12, sleep = wait, random = Math.random }: RetryOptions = {},
): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await operation();
    } catch (error) {
      if (attempt >= attempts || !isLocked(error)) throw error;
      await sleep(random() * Math.min(128, 2 ** attempt));
    }
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && /database (table )?is locked|SQLITE_BUSY/i.test(error.message);
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

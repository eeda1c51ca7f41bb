/**
 * A copy of external data that all isolates share. One isolate at a time reads the original, under a lease,
 * and stores the result; the others load it. The options decide how old a copy may be, and how long a
 * request waits for a younger one.
 */

import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Log } from "../log.ts";
import { type BlobEntry, getBlobPointer, readBlob, writeBlob } from "./blob.ts";
import { type Lease, takeLease } from "./lease.ts";

/** A value that was read, and when the read began (epoch milliseconds). */
export interface Copy<T> {
  readonly value: T;
  readonly readAt: number;
}

/** The metadata of a stored copy, in its pointer. */
interface CopyMeta {
  readonly readAt: number;
}

/** A shared copy. */
export interface SharedCopy<T> {
  /**
   * The copy: at once if it is fresh, otherwise after an attempt to renew it.
   *
   * @throws the error of the last attempt, if no copy is young enough.
   */
  get(): Copy<T> | Promise<Copy<T>>;
}

/** The options of a shared copy. Times are milliseconds. */
interface SharedCopyOptions<T> {
  readonly kv: Deno.Kv;
  /** Names the lease and the stored value. */
  readonly name: string;
  /** Reads the original, a value that survives JSON. `previous` is the last copy, however old. */
  readonly read: (previous: T | null) => Promise<T>;
  /** Past this age a request waits for a read. */
  readonly freshMilliseconds: number;
  /** Past this age a copy is not served; `freshMilliseconds` unless given. */
  readonly staleMilliseconds?: number;
  /** Longer than a read may take, so that a running process never loses its lease. So long a request waits for it. */
  readonly leaseMilliseconds: number;
  /** The pause of this isolate after a failed read; none by default. */
  readonly pauseMilliseconds?: number;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly log: Pick<Log, "error">;
}

/** How long a request waits for a read while it may be given the old copy. */
const PATIENCE_MILLISECONDS = 2_000;
/** The interval between two checks of the stored copy while another isolate reads. */
const POLL_MILLISECONDS = 100;
const toGzip = promisify(gzip);
const fromGzip = promisify(gunzip);

/**
 * Creates a shared copy. Nothing is read before the first request for it. A copy that could not be stored is served by
 * the isolate that read it.
 */
export function createSharedCopy<T>(options: SharedCopyOptions<T>): SharedCopy<T> {
  const { kv, name, freshMilliseconds, leaseMilliseconds, now, sleep, log } = options;
  const {
    staleMilliseconds = freshMilliseconds,
    pauseMilliseconds = 0,
  } = options;
  let held: Copy<T> | null = null;
  let heldVersion: string | null = null;
  let running: Promise<void> | null = null;
  let failure: { readonly error: unknown; readonly at: number } | null = null;

  /** A copy may be as far in the future as in the past, because clocks differ. */
  function isYoungerThan(milliseconds: number): boolean {
    return held !== null && Math.abs(now() - held.readAt) < milliseconds;
  }

  const isFresh = () => isYoungerThan(freshMilliseconds);

  /** Loads the stored copy if it differs from the current one. */
  async function load(): Promise<BlobEntry<CopyMeta>> {
    const entry = await getBlobPointer<CopyMeta>(kv, name);
    const { pointer } = entry;
    if (pointer === null || pointer.version === heldVersion) return entry;
    try {
      const bytes = await readBlob(kv, name, pointer);
      if (bytes === null) throw new Error("some of its chunks are missing");
      // This file wrote the bytes that are stored under the name.
      const value = JSON.parse(String(await fromGzip(bytes))) as T;
      held = { value, readAt: pointer.meta.readAt };
      heldVersion = pointer.version;
    } catch (error) {
      // The original still has everything: the read that follows replaces the stored copy.
      log.error("A stored copy cannot be read.", { name, reason: String(error) });
    }
    return entry;
  }

  /** One renewal at a time in this isolate. A failure that an old copy hides is logged; any other reaches callers. */
  function renewOnce(): Promise<void> {
    return running ??= renew()
      .catch((error) => {
        failure = { error, at: now() };
        if (isYoungerThan(staleMilliseconds)) {
          log.error("A copy cannot be renewed.", { name, cause: error });
        }
        throw error;
      })
      .finally(() => running = null);
  }

  /** Until the copy is young enough: loads the stored copy, else reads the original, else waits. */
  async function renew(): Promise<void> {
    for (const since = now(); now() - since < leaseMilliseconds;) {
      await load();
      if (isFresh()) return;
      const lease = await takeLease(kv, name, leaseMilliseconds, now());
      if (lease !== null) return await renewUnder(lease);
      await sleep(POLL_MILLISECONDS);
    }
    throw new Error(`another process is still reading ${name}`);
  }

  async function renewUnder(lease: Lease): Promise<void> {
    try {
      // The last holder of the lease may have stored a copy since the load.
      const replaces = await load();
      if (!isFresh()) await read(lease, replaces);
    } finally {
      await lease.release();
    }
  }

  async function read(lease: Lease, replaces: BlobEntry<CopyMeta>): Promise<void> {
    const readAt = now();
    const value = await options.read(held?.value ?? null);
    held = { value, readAt };
    heldVersion = null;
    const change = { replaces, meta: { readAt }, guard: lease.guard };
    const bytes = new Uint8Array(await toGzip(JSON.stringify(value)));
    const written = await writeBlob(kv, name, bytes, change);
    heldVersion = written?.pointer?.version ?? null;
    failure = null;
  }

  async function waitForCopy(): Promise<Copy<T>> {
    const over = new AbortController();
    try {
      if (failure !== null && Math.abs(now() - failure.at) < pauseMilliseconds) throw failure.error;
      const limit = isYoungerThan(staleMilliseconds) ? PATIENCE_MILLISECONDS : leaseMilliseconds;
      await Promise.race([renewOnce(), sleep(limit, over.signal)]);
    } catch (error) {
      if (!isYoungerThan(staleMilliseconds)) throw error;
    } finally {
      over.abort();
    }
    if (held !== null && isYoungerThan(staleMilliseconds)) return held;
    throw new Error(`reading ${name} takes too long`);
  }

  return {
    get: () => held !== null && isFresh() ? held : waitForCopy(),
  };
}

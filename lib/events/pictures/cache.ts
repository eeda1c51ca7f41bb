/** Values that are made once, kept in memory for a while, and not tried again for a minute after a failure. */

import { LRUCache } from "lru-cache";

/** Too many values are being made; the caller can try again later. */
export class BusyError extends Error {
  override readonly name = "BusyError";
}

/** The limits of a cache. */
interface CacheOptions<T> {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly maxBytes: number;
  readonly bytesOf: (value: T) => number;
  /** The maximum number of values made at the same time; unlimited by default. */
  readonly maxRunning?: number;
  /** Which values are kept; all by default. */
  readonly isKept?: (value: T) => boolean;
}

/** The values by their keys. */
interface Cache<T> {
  /** The value in memory; undefined if there is none. */
  peek(key: string): T | undefined;
  /** Keeps a value that was made elsewhere for `ttl` milliseconds; by default, as long as there is room. */
  keep(key: string, value: T, ttl?: number): void;
  /**
   * The value in memory, or else the one that `make` gives; callers at the same time share it.
   *
   * @throws what `make` throws, again during the next minute, or a {@linkcode BusyError}.
   */
  get(key: string, make: () => Promise<T>): Promise<T>;
}

/** How long a picture without one of its images is kept. */
export const POOR_MILLISECONDS = 3_600_000;
const FAILURE_PAUSE_MILLISECONDS = 60_000;
const MAX_FAILURES = 10_000;
/** A key and the value's own object. */
const ENTRY_BYTES = 200;

/** Creates an empty cache. */
export function createCache<T extends object>(options: CacheOptions<T>): Cache<T> {
  const { now, maxBytes, bytesOf, maxRunning = Infinity, isKept = () => true } = options;
  const values = new LRUCache<string, T>({
    maxSize: maxBytes,
    sizeCalculation: (value) => bytesOf(value) + ENTRY_BYTES,
    // If the clock is set back, a poor picture stays for as much longer, unless the process ends before.
    perf: { now },
    ttlResolution: 0,
  });
  const failures = new LRUCache<string, { at: number; error: unknown }>({ max: MAX_FAILURES });
  const running = new Map<string, Promise<T>>();

  async function run(key: string, make: () => Promise<T>): Promise<T> {
    try {
      const value = await make();
      if (isKept(value)) values.set(key, value);
      return value;
    } catch (error) {
      failures.set(key, { at: now(), error });
      throw error;
    }
  }

  return {
    peek: (key) => values.get(key),
    keep: (key, value, ttl = 0) => void values.set(key, value, { ttl }),
    async get(key, make) {
      const known = values.get(key);
      if (known !== undefined) return known;
      const failure = failures.get(key);
      const since = now() - (failure?.at ?? -Infinity);
      if (since >= 0 && since < FAILURE_PAUSE_MILLISECONDS) throw failure?.error;
      let started = running.get(key);
      if (started === undefined) {
        if (running.size >= maxRunning) throw new BusyError("too many are being made");
        started = run(key, make).finally(() => running.delete(key));
        running.set(key, started);
      }
      return await started;
    },
  };
}

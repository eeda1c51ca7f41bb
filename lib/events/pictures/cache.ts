/** Values that are made once, kept in memory as long as there is room, and not tried again for a minute after a failure. */

import { LRUCache } from "lru-cache";
import { BusyError } from "./picture_process.ts";

/** The limits of a cache. */
interface CacheOptions<T> {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly maxBytes: number;
  readonly bytesOf: (value: T) => number;
}

/** The values by their keys. */
interface Cache<T> {
  /** The value in memory; undefined if there is none. */
  peek(key: string): T | undefined;
  /** Keeps a value that was made elsewhere. */
  keep(key: string, value: T): void;
  /**
   * The value in memory, or else the one that `make` gives; callers at the same time share it.
   *
   * @throws what `make` throws, again during the next minute unless it is a {@linkcode BusyError}.
   */
  get(key: string, make: () => Promise<T>): Promise<T>;
}

const FAILURE_PAUSE_MILLISECONDS = 60_000;
const MAX_FAILURES = 10_000;
/** A key and the value's own object. */
const ENTRY_BYTES = 200;

/** Creates an empty cache. */
export function createCache<T extends object>(options: CacheOptions<T>): Cache<T> {
  const { now, maxBytes, bytesOf } = options;
  const values = new LRUCache<string, T>({
    maxSize: maxBytes,
    sizeCalculation: (value) => bytesOf(value) + ENTRY_BYTES,
  });
  const failures = new LRUCache<string, { at: number; error: unknown }>({ max: MAX_FAILURES });
  const running = new Map<string, Promise<T>>();

  async function run(key: string, make: () => Promise<T>): Promise<T> {
    try {
      const value = await make();
      values.set(key, value);
      return value;
    } catch (error) {
      if (!(error instanceof BusyError)) failures.set(key, { at: now(), error });
      throw error;
    }
  }

  return {
    peek: (key) => values.get(key),
    keep: (key, value) => void values.set(key, value),
    async get(key, make) {
      const known = values.get(key);
      if (known !== undefined) return known;
      const failure = failures.get(key);
      const since = now() - (failure?.at ?? -Infinity);
      if (since >= 0 && since < FAILURE_PAUSE_MILLISECONDS) throw failure?.error;
      let started = running.get(key);
      if (started === undefined) {
        started = run(key, make).finally(() => running.delete(key));
        running.set(key, started);
      }
      return await started;
    },
  };
}

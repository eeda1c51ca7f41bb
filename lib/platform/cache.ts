/** The one kind of cache of what is made for answers: bounded in bytes, and work in flight is shared. */

import { LRUCache } from "lru-cache";

/** Values by their keys, each of one version. */
export type Cache<V extends object> = ReturnType<typeof createCache<V>>;

/** How a value is kept. */
interface Keeping {
  /** False for one of a number without a limit: it is shared only while it is made. */
  readonly isKept?: boolean;
  /** Names what the value shows: by default its version. A value stays for a new version that shows the same. */
  readonly shown?: () => string;
}

/** The size of an entry besides its value: its key, and the objects around the bytes. */
const ENTRY_BYTES = 2_000;

/**
 * Creates a cache.
 *
 * @param maxBytes a value of more than half of them counts as half, because making it for each request would take more.
 * @param sizeOf the bytes of a value, and of what is added to it later.
 * @param isRight whether a kept value may still be used; by default always.
 */
export function createCache<V extends object>(
  maxBytes: number,
  sizeOf: (value: V) => number,
  isRight = (_value: V) => true,
) {
  const kept = new LRUCache<string, { version: string; shown: string; value: V }>({
    maxSize: maxBytes,
    sizeCalculation: ({ value }) => Math.min(maxBytes / 2, ENTRY_BYTES + sizeOf(value)),
  });
  const flights = new Map<string, Promise<V>>();

  /** The value of a key and version, if it is kept. */
  function known(key: string, version: string): V | undefined {
    const entry = kept.get(key);
    return entry?.version === version && isRight(entry.value) ? entry.value : undefined;
  }

  return {
    known,
    /**
     * The value of a key and version, which is made if there is none. Who asks while it is made gets the same one, and a
     * failure is kept for nobody.
     *
     * @param key canonical and bounded, never a visitor's own text.
     * @param version what the value depends on besides its key. Another version replaces it.
     */
    async get(
      key: string,
      version: string,
      make: () => V | Promise<V>,
      { isKept = true, shown }: Keeping = {},
    ): Promise<V> {
      const value = known(key, version);
      if (value !== undefined) return value;
      const name = `${version} ${key}`;
      const flight = flights.get(name);
      if (flight !== undefined) return await flight;
      const nowShown = shown?.() ?? version;
      const entry = kept.get(key);
      if (entry?.shown === nowShown && isRight(entry.value)) {
        entry.version = version;
        return entry.value;
      }
      const keep = (value: V) => {
        if (isKept) kept.set(key, { version, shown: nowShown, value });
        return value;
      };
      const making = Promise.try(make).then(keep).finally(() => flights.delete(name));
      flights.set(name, making);
      return await making;
    },
  };
}

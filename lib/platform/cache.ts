/** The one kind of cache of what is made for answers: bounded in bytes, and work in flight is shared. */

import { LRUCache } from "lru-cache";

/** Values by their keys, each of one version. */
export type Cache<V extends object> = ReturnType<typeof createCache<V>>;

/** The size of an entry besides its value: its key, and the objects around the bytes. */
const ENTRY_BYTES = 2_000;

/**
 * Creates a cache.
 *
 * @param maxBytes a value of more than half of them counts as half, because making it for each request would take more.
 * @param sizeOf the bytes of a value, and of what is added to it later.
 */
export function createCache<V extends object>(maxBytes: number, sizeOf: (value: V) => number) {
  const kept = new LRUCache<string, { version: string; readonly value: V }>({
    maxSize: maxBytes,
    sizeCalculation: ({ value }) => Math.min(maxBytes / 2, ENTRY_BYTES + sizeOf(value)),
  });
  const flights = new Map<string, Promise<V>>();

  return {
    /**
     * The value of a key and version, which is made if there is none. Who asks while it is made gets the same one, and a
     * failure is kept for nobody. It is no promise if nothing has to be awaited.
     *
     * @param key canonical and bounded, never a visitor's own text.
     * @param version what the value depends on besides its key. Another version replaces it.
     * @param isKept false for one of a number without a limit: it is shared only while it is made.
     */
    get(
      key: string,
      version: string,
      make: () => V | Promise<V>,
      isKept = true,
    ): V | Promise<V> {
      const known = kept.get(key);
      if (known?.version === version) return known.value;
      const name = `${version} ${key}`;
      const flight = flights.get(name);
      if (flight !== undefined) return flight;
      const keep = (value: V) => {
        if (isKept) kept.set(key, { version, value });
        return value;
      };
      const made = make();
      if (!(made instanceof Promise)) return keep(made);
      const making = made.then(keep).finally(() => flights.delete(name));
      flights.set(name, making);
      return making;
    },
  };
}

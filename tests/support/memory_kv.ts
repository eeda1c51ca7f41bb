/**
 * What the ledger uses of Deno KV, in memory: for tests that need tens of thousands of operations on
 * two slow cores. It keeps to KV's versions, order and limits; the same tests run over a real one too.
 */

import { deserialize, serialize } from "node:v8";

interface Entry {
  readonly key: Deno.KvKey;
  readonly bytes: Uint8Array;
  readonly versionstamp: string;
}

const idOf = (key: Deno.KvKey) => key.map(String).join("\n");

/** Makes an empty one. Nothing in it expires. */
export function createMemoryKv(): Deno.Kv {
  const entries = new Map<string, Entry>();
  let version = 0;

  function read(key: Deno.KvKey) {
    const entry = entries.get(idOf(key));
    if (entry === undefined) return { key, value: null, versionstamp: null };
    return { key, value: deserialize(entry.bytes), versionstamp: entry.versionstamp };
  }

  function atomic() {
    const checks: Deno.AtomicCheck[] = [];
    const mutations: { key: Deno.KvKey; bytes: Uint8Array | null }[] = [];
    const operation = {
      check(...given: Deno.AtomicCheck[]) {
        checks.push(...given);
        return operation;
      },
      set(key: Deno.KvKey, value: unknown) {
        mutations.push({ key, bytes: serialize(value) });
        return operation;
      },
      delete(key: Deno.KvKey) {
        mutations.push({ key, bytes: null });
        return operation;
      },
      commit() {
        const sizes = mutations.map(({ bytes }) => bytes?.length ?? 0);
        if (checks.length > 100) throw new TypeError("Too many checks (max 100)");
        if (mutations.length > 1_000) throw new TypeError("Too many mutations (max 1000)");
        if (Math.max(0, ...sizes) > 65_536) throw new TypeError("Value too large");
        if (sizes.reduce((sum, size) => sum + size, 0) > 819_200) {
          throw new TypeError("Total mutation size too large");
        }
        if (checks.some(({ key, versionstamp }) => read(key).versionstamp !== versionstamp)) {
          return Promise.resolve({ ok: false });
        }
        const versionstamp = String(++version).padStart(20, "0");
        for (const { key, bytes } of mutations) {
          if (bytes === null) entries.delete(idOf(key));
          else entries.set(idOf(key), { key, bytes, versionstamp });
        }
        return Promise.resolve({ ok: true, versionstamp });
      },
    };
    return operation;
  }

  const own = {
    get: (key: Deno.KvKey) => Promise.resolve(read(key)),
    getMany: (keys: Deno.KvKey[]) => Promise.resolve(keys.map(read)),
    delete: (key: Deno.KvKey) => Promise.resolve(void entries.delete(idOf(key))),
    async *list({ prefix }: { prefix: Deno.KvKey }) {
      const found = [...entries.values()]
        .filter(({ key }) => prefix.every((part, index) => key[index] === part))
        .sort((one, other) => idOf(one.key) < idOf(other.key) ? -1 : 1);
      for (const { key } of found) yield read(key);
    },
    atomic,
    close() {},
  };
  // These are all the methods that the ledger, and the tests that look into its books, use.
  return own as unknown as Deno.Kv;
}

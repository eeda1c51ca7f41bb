/**
 * The part of Deno KV that the ledger and the events use, in memory: for models, which make tens of thousands of
 * operations, and for clocks that move only when nothing is on its way. It has KV's versions and order, and freezes
 * values instead of copying them.
 */

interface Entry {
  readonly key: Deno.KvKey;
  readonly value: unknown;
  readonly versionstamp: string;
}

const idOf = (key: Deno.KvKey) => key.map(String).join("\n");

/** A stored value cannot be changed in place. (Elements of typed arrays cannot be frozen.) */
function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

/** Creates an empty database. Its values never expire. */
export function createMemoryKv(): Deno.Kv {
  const entries = new Map<string, Entry>();
  let version = 0;

  function read(key: Deno.KvKey) {
    const entry = entries.get(idOf(key));
    return entry ?? { key, value: null, versionstamp: null };
  }

  function atomic() {
    const checks: Deno.AtomicCheck[] = [];
    const mutations: { key: Deno.KvKey; value: unknown; isSum?: boolean }[] = [];
    const operation = {
      check(...given: Deno.AtomicCheck[]) {
        checks.push(...given);
        return operation;
      },
      set(key: Deno.KvKey, value: unknown) {
        mutations.push({ key, value: freeze(value) });
        return operation;
      },
      delete(key: Deno.KvKey) {
        mutations.push({ key, value: null });
        return operation;
      },
      sum(key: Deno.KvKey, value: bigint) {
        mutations.push({ key, value, isSum: true });
        return operation;
      },
      commit() {
        if (checks.some(({ key, versionstamp }) => read(key).versionstamp !== versionstamp)) {
          return Promise.resolve({ ok: false });
        }
        const versionstamp = String(++version).padStart(20, "0");
        for (const { key, value, isSum } of mutations) {
          if (isSum) {
            const before = (read(key).value as Deno.KvU64 | null)?.value ?? 0n;
            const sum = new Deno.KvU64(BigInt.asUintN(64, before + (value as bigint)));
            entries.set(idOf(key), { key, value: sum, versionstamp });
          } else if (value === null) entries.delete(idOf(key));
          else entries.set(idOf(key), { key, value, versionstamp });
        }
        return Promise.resolve({ ok: true, versionstamp });
      },
    };
    return operation;
  }

  const own = {
    get: (key: Deno.KvKey) => Promise.resolve(read(key)),
    getMany: (keys: Deno.KvKey[]) => Promise.resolve(keys.map(read)),
    set: (key: Deno.KvKey, value: unknown) => atomic().set(key, value).commit(),
    delete: (key: Deno.KvKey) => Promise.resolve(void entries.delete(idOf(key))),
    list(
      selector: { prefix?: Deno.KvKey; start?: Deno.KvKey; end?: Deno.KvKey },
      { limit = Infinity, cursor: after = "" } = {},
    ) {
      const { prefix = [], start = [], end } = selector;
      let cursor = after;
      async function* list() {
        const found = [...entries.values()]
          .filter(({ key }) => prefix.every((part, index) => key[index] === part))
          .filter(({ key }) => idOf(key) > after && idOf(key) >= idOf(start))
          .filter(({ key }) => end === undefined || idOf(key) < idOf(end))
          .sort((one, other) => idOf(one.key) < idOf(other.key) ? -1 : 1);
        for (const { key } of found.slice(0, limit)) {
          cursor = idOf(key);
          yield read(key);
        }
      }
      return Object.defineProperty(list(), "cursor", { get: () => cursor });
    },
    atomic,
    close() {},
  };
  // These are all the methods that the ledger, the events, and the tests that look into their books, use.
  return own as unknown as Deno.Kv;
}

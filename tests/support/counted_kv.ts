/** Counts a database's operations as a hosted one bills them: keys that are read, and keys that are changed. */

/** The counts so far. */
export interface Counts {
  reads: number;
  writes: number;
}

/** The same database, which adds to `counts`. A listing reads one key at least. */
export function countedKv(kv: Deno.Kv, counts: Counts): Deno.Kv {
  const change = (keys: number) => void (counts.writes += keys);
  function atomic() {
    const operation = kv.atomic();
    let mutations = 0;
    for (const name of ["set", "delete"] as const) {
      const method = operation[name] as (...given: unknown[]) => Deno.AtomicOperation;
      Reflect.set(operation, name, (...given: unknown[]) => {
        mutations++;
        return method.apply(operation, given);
      });
    }
    const commit = operation.commit.bind(operation);
    operation.commit = () => {
      change(mutations);
      return commit();
    };
    return operation;
  }
  const own = {
    atomic,
    get(...given: Parameters<Deno.Kv["get"]>) {
      counts.reads++;
      return kv.get(...given);
    },
    getMany(keys: readonly Deno.KvKey[]) {
      counts.reads += keys.length;
      return kv.getMany(keys as Deno.KvKey[]);
    },
    set(...given: Parameters<Deno.Kv["set"]>) {
      change(1);
      return kv.set(...given);
    },
    delete(key: Deno.KvKey) {
      change(1);
      return kv.delete(key);
    },
    list(...given: Parameters<Deno.Kv["list"]>) {
      const list = kv.list(...given);
      const next = list.next.bind(list);
      let found = 0;
      list.next = async () => {
        const result = await next();
        if (found === 0 || result.done !== true) counts.reads++;
        found++;
        return result;
      };
      return list;
    },
  };
  return new Proxy(kv, {
    get(target, name) {
      const method = Reflect.get(own, name) ?? Reflect.get(target, name);
      return typeof method === "function" ? method.bind(target) : method;
    },
  });
}

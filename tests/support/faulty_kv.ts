/**
 * A database whose operations a test controls: they work, fail, misreport their effect, or never respond. Those that
 * work are a real database's.
 */

/** The fate of an operation. */
export type Fate =
  | "work"
  /** Throws without an effect. */
  | "refuse"
  /** Takes effect, but throws. */
  | "lose answer"
  /** Throws, but is repeated, as Deno repeats operations to which a remote database does not respond. */
  | "come late"
  /** Reports that the checks have failed, without an effect. */
  | "lose race"
  /** Takes effect, but reports that the checks have failed, as if it had been sent twice over a network. */
  | "deny"
  /** Has no effect and never responds: the isolate is gone. */
  | "die before"
  /** Takes effect, and never responds. */
  | "die after";

/** An operation. */
export interface Operation {
  readonly kind: "read" | "commit";
  /** The number of keys that it reads; of a listing, one at least, which is known after its effect. */
  readonly keys: number;
  /** The size of a commit. */
  readonly checks: number;
  readonly mutations: number;
  /** The prefixes of the keys that an atomic operation sets. */
  readonly sets: readonly unknown[];
}

/** Decides the fate of an operation, and may delay it. */
export type Judge = (operation: Operation) => Fate | Promise<Fate>;

/** The fault that a database reports. */
class DatabaseFault extends Error {}

/**
 * A database that calls `judge` before each of its operations, and waits for `onEnd` after it. A listing is one
 * operation. The test closes the database.
 */
export function faultyKv(
  kv: Deno.Kv,
  judge: Judge,
  onEnd: (operation: Operation) => Promise<void> | void = () => {},
): Deno.Kv {
  async function run<T>(operation: Operation, work: () => Promise<T>, denial: T | null) {
    const fate = await judge(operation);
    const isMade = !["refuse", "come late", "lose race", "die before"].includes(fate);
    const result = isMade ? await work() : null;
    await onEnd(operation);
    if (fate === "come late") {
      run(operation, work, denial).catch(ignoreUntold);
      throw new DatabaseFault("no answer yet");
    }
    if (fate === "die before" || fate === "die after") await new Promise(() => {});
    if (fate === "refuse") throw new DatabaseFault("refused");
    if (fate === "lose answer") throw new DatabaseFault("the answer is lost");
    const isDenied = fate === "deny" || fate === "lose race";
    const answer = isDenied && denial !== null ? denial : result;
    if (answer === null) throw new Error(`A ${operation.kind} cannot ${fate}.`);
    return answer;
  }
  const read = (keys: number) =>
    ({ kind: "read", keys, checks: 0, mutations: 0, sets: [] }) as const;
  const write = { kind: "commit", keys: 0, checks: 0, mutations: 1, sets: [] } as const;
  const own = {
    get: (...given: Parameters<Deno.Kv["get"]>) => run(read(1), () => kv.get(...given), null),
    set: (...given: Parameters<Deno.Kv["set"]>) => run(write, () => kv.set(...given), null),
    delete: (key: Deno.KvKey) => run(write, () => kv.delete(key), null),
    getMany: (keys: Deno.KvKey[]) => run(read(keys.length), () => kv.getMany(keys), null),
    list(...given: Parameters<Deno.Kv["list"]>) {
      const operation = { ...read(1), keys: 1 };
      let cursor = "";
      async function* entries() {
        yield* await run(operation, async () => {
          const listed = kv.list(...given);
          const found = await Array.fromAsync(listed);
          operation.keys = Math.max(1, found.length);
          cursor = listed.cursor;
          return found;
        }, null);
      }
      return Object.defineProperty(entries(), "cursor", { get: () => cursor });
    },
    atomic() {
      const operation = kv.atomic();
      let [checks, mutations] = [0, 0];
      const sets: unknown[] = [];
      const counted = {
        check(...given: Deno.AtomicCheck[]) {
          checks += given.length;
          operation.check(...given);
          return counted;
        },
        set(...given: Parameters<Deno.AtomicOperation["set"]>) {
          mutations++;
          sets.push(given[0][0]);
          operation.set(...given);
          return counted;
        },
        delete(key: Deno.KvKey) {
          mutations++;
          operation.delete(key);
          return counted;
        },
        sum(...given: Parameters<Deno.AtomicOperation["sum"]>) {
          mutations++;
          operation.sum(...given);
          return counted;
        },
        commit: () =>
          run<Deno.KvCommitResult | Deno.KvCommitError>(
            { kind: "commit", keys: 0, checks, mutations, sets },
            () => operation.commit(),
            { ok: false },
          ),
      };
      return counted;
    },
  };
  // These are all the methods that the queues of changes and the ledger use.
  return own as unknown as Deno.Kv;
}

/** Ignores the outcome of an operation whose caller has given up. */
function ignoreUntold(): void {}

/** A database that works, and counts. */
export function countingKv(kv: Deno.Kv) {
  const counts = {
    ...{ reads: 0, commits: 0, maxChecks: 0, maxMutations: 0 },
    /** What a hosted database bills: keys that are read, and keys that are changed. */
    ...{ keysRead: 0, keysWritten: 0 },
  };
  const counted = faultyKv(kv, () => "work", ({ kind, keys, checks, mutations }) => {
    if (kind === "read") counts.reads++;
    else counts.commits++;
    counts.keysRead += keys;
    counts.keysWritten += mutations;
    counts.maxChecks = Math.max(counts.maxChecks, checks);
    counts.maxMutations = Math.max(counts.maxMutations, mutations);
  });
  return { kv: counted, counts };
}

/**
 * Changes of single values, such as an account's ledger value, by functions without I/O, which may run again, in a
 * queue for each value. Changes that arrive during a commit share the next one. Each commit checks the version of the
 * value (optimistic concurrency), so any number of processes may change it; after a conflict, the process reads again.
 *
 * The process keeps the last values in memory, so that a commit without contention needs no read.
 */

import { LRUCache } from "lru-cache";
import { startRealTimer, type StartTimer } from "../timeout.ts";
import { type Entry, getEntries, getEntry } from "./list.ts";
import { retryLocked } from "./open.ts";

/** What the changes of one commit see and write. They share it, so never mutate a value that it returns. */
export class Draft<T extends object> {
  readonly #before: T | null;
  readonly #writes = new Map<string, Write>();
  readonly #sums = new Map<string, { readonly key: Deno.KvKey; amount: bigint }>();

  /**
   * @param name of the value.
   * @param value as the changes before have left it; assign a new one to replace it. Null if there is none.
   * @param known another entry's value by the id of its key: null if it is not there, undefined if it is not known.
   */
  constructor(
    readonly name: string,
    public value: T | null,
    private readonly known: (id: string) => unknown,
  ) {
    this.#before = value;
  }

  /** Whether nothing was written. */
  get isUnchanged(): boolean {
    return this.value === this.#before && this.#writes.size === 0 && this.#sums.size === 0;
  }

  /**
   * Another entry's value as the changes before this one have left it; null if there is none.
   *
   * @throws {Error} if the entry was neither named by a change nor written.
   */
  get(key: Deno.KvKey): unknown {
    const id = idOf(key);
    const written = this.#writes.get(id);
    const value = written === undefined ? this.known(id) : written.value;
    if (value === undefined) throw new Error(`a change reads ${key.join("/")} without naming it`);
    return value;
  }

  /**
   * Sets an entry. It must be one that only commits of this value write.
   *
   * @param options `isOpen`: remember the entry, because a later change of this process will need it.
   */
  set(key: Deno.KvKey, value: object, options: { expireIn?: number; isOpen?: boolean } = {}): void {
    this.#writes.set(idOf(key), { key, value, ...options });
  }

  delete(key: Deno.KvKey): void {
    this.#writes.set(idOf(key), { key, value: null });
  }

  /** Adds to a sum (a `Deno.KvU64`), which commits of any value do in any order. */
  add(key: Deno.KvKey, amount: bigint): void {
    const sum = this.#sums.get(idOf(key));
    if (sum === undefined) this.#sums.set(idOf(key), { key, amount });
    else sum.amount += amount;
  }

  /** The entries that were set or deleted, by the ids of their keys. */
  get writes(): ReadonlyMap<string, Write> {
    return this.#writes;
  }

  /** Adds all that was written to an operation. */
  writeTo(operation: Deno.AtomicOperation, valueKey: Deno.KvKey): void {
    if (this.value !== null) operation.set(valueKey, this.value);
    for (const { key, value, expireIn } of this.#writes.values()) {
      if (value === null) operation.delete(key);
      else operation.set(key, value, expireIn === undefined ? {} : { expireIn });
    }
    for (const { key, amount } of this.#sums.values()) operation.sum(key, amount);
  }
}

/** An entry in a draft. */
interface Write {
  readonly key: Deno.KvKey;
  /** Null to delete the entry. */
  readonly value: object | null;
  readonly expireIn?: number;
  readonly isOpen?: boolean;
}

/** One change. */
export interface Change<T extends object, R> {
  /**
   * The entries that `apply` must know, given the value, and that the process remembers. Commits of the value write
   * them, so that its version vouches for what is remembered. The commit checks them all the same: it costs no read,
   * and shows a correction by hand, or a removal, that has left the value as it was.
   */
  readonly remembered?: (value: T | null) => readonly Deno.KvKey[];
  /**
   * The entries that `apply` must know, and that only commits of the value write. They are read for this change alone,
   * after the value, whose version vouches for them: such a commit is always made.
   *
   * @param isKnown whether this process remembers an entry, and has written every version of the value since.
   * @param isRepeated whether an earlier attempt met a conflict: a remote database may have made the commit, lost the
   *   response, and reported the second copy as a conflict.
   */
  readonly read?: (
    isKnown: (key: Deno.KvKey) => boolean,
    isRepeated: boolean,
  ) => readonly Deno.KvKey[];
  /**
   * Writes into the draft, and returns the result that the caller gets once the commit is durable. It may run several
   * times, so it must have no other effect.
   */
  readonly apply: (draft: Draft<T>, isRepeated: boolean) => R;
  /** Whether a result, such as a refusal, must be confirmed with a value that was read after the change was queued. */
  readonly needsFresh?: (result: R) => boolean;
}

/** The queues of one kind of value. */
interface Queue<T extends object> {
  /**
   * Makes a change and resolves when it is durable. A `lazy` one may wait for 5 ms, to share the next commit.
   *
   * @throws the database's error. The change may have been made or not, and may be made later unless another change
   *   of the value is made first.
   */
  run<R>(name: string, change: Change<T, R>, options?: { readonly lazy?: boolean }): Promise<R>;
  /**
   * The result of a change that writes nothing. It reads nothing and waits for no commit, if memory has what it needs
   * and the result need not be confirmed.
   */
  peek<R>(name: string, change: Change<T, R>): Promise<R>;
  /** Resolves when no change is waiting. */
  flush(): Promise<void>;
}

/** The dependencies of {@linkcode createQueue}. */
interface QueueOptions<T extends object> {
  readonly kv: Deno.Kv;
  /** Where a value is stored. */
  readonly keyOf: (name: string) => Deno.KvKey;
  /** Throws for a value, or a remembered entry, that this program must not change. */
  readonly requireKnown: (key: Deno.KvKey, value: unknown) => void;
  /** Runs after the changes of each commit. */
  readonly finish: (draft: Draft<T>) => void;
  readonly startTimer?: StartTimer;
  /** Decides how long the process waits after a conflict. */
  readonly random?: () => number;
}

interface Waiting<T extends object> {
  readonly change: Change<T, unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** Its place in the order of arrival of all changes. */
  readonly turn: number;
  /** Whether an attempt met a conflict. */
  isRepeated: boolean;
}

interface Group<T extends object> {
  readonly name: string;
  readonly waiting: Waiting<T>[];
  /** The value as last read or written; null to read it. */
  entry: Entry<T> | null;
  /** The turn of the last change that had arrived when the value in `entry` was known to be the latest. */
  freshTurn: number;
  /** Entries as of the version of the value in `entry`. */
  readonly memory: Map<string, Entry<unknown>>;
  draining: Promise<void> | null;
  cancelTimer: (() => void) | null;
}

/** A self-hosted database takes ten checks in a commit; one is the value's. */
const MAX_CHECKED = 9;
/** Below the limits of 1,000 mutations and 800 KiB, at up to three entries of a kilobyte for each change. */
const MAX_CHANGES = 90;
const LAZY_MILLISECONDS = 5;
/** Conflicts in a row before a batch gives up: with the pauses, about five seconds. */
const MAX_CONFLICTS = 200;
const LONGEST_PAUSE_MILLISECONDS = 50;
/** The values without waiting changes that stay in memory: a few kilobytes each. */
const MAX_IDLE = 1_000;
/** More entries than this are dropped from memory, and read again when they are needed. */
const MAX_REMEMBERED = 4_000;

/** Creates the queues of one kind of value in this process. */
export function createQueue<T extends object>(
  { kv, keyOf, requireKnown, finish, startTimer = startRealTimer, random = Math.random }:
    QueueOptions<T>,
): Queue<T> {
  const busy = new Map<string, Group<T>>();
  const idle = new LRUCache<string, Group<T>>({ max: MAX_IDLE });
  let lastTurn = 0;

  function groupOf(name: string): Group<T> {
    const group = busy.get(name) ?? idle.get(name) ?? {
      name,
      waiting: [],
      entry: null,
      freshTurn: 0,
      memory: new Map(),
      draining: null,
      cancelTimer: null,
    };
    busy.set(name, group);
    return group;
  }

  function start(group: Group<T>): Promise<void> {
    group.cancelTimer?.();
    group.cancelTimer = null;
    return group.draining ??= drain(group);
  }

  async function drain(group: Group<T>): Promise<void> {
    for (let conflicts = 0; group.waiting.length > 0;) {
      let batch: readonly Waiting<T>[] = [];
      try {
        const isRead = group.entry === null;
        const entry = group.entry ?? await readValue(group);
        // A refusal that arrived during a read would need another one, and the others would wait for it.
        const lastInBatch = isRead ? group.freshTurn : lastTurn;
        batch = fittingBatch(group.waiting.filter(({ turn }) => turn <= lastInBatch), entry.value);
        const { known, failed } = await readBeside(group, entry, batch);
        batch = withoutFailed(group, entry, batch, failed);
        if (batch.length === 0) continue;
        const results = await attempt(group, entry, batch, known);
        if (typeof results === "object") {
          conflicts = 0;
          group.waiting.splice(0, batch.length);
          for (const [index, { resolve }] of batch.entries()) resolve(results[index]);
          continue;
        }
        forget(group);
        if (results === "stale") continue;
        if (++conflicts > MAX_CONFLICTS) {
          throw new Error("other processes changed the value before every attempt to change it");
        }
        await pause(conflicts);
      } catch (error) {
        // The commit may have been made or not, so memory cannot be trusted.
        forget(group);
        conflicts = 0;
        const failed = group.waiting.splice(0, batch.length || group.waiting.length);
        for (const { reject } of failed) reject(error);
      }
    }
    group.draining = null;
    busy.delete(group.name);
    idle.set(group.name, group);
  }

  /** Full jitter, so that each of many processes gets its turn. */
  function pause(conflicts: number): Promise<void> {
    const milliseconds = random() * Math.min(LONGEST_PAUSE_MILLISECONDS, 2 ** conflicts);
    return new Promise((resolve) => void startTimer(resolve, milliseconds));
  }

  async function readValue(group: Group<T>): Promise<Entry<T>> {
    const turn = lastTurn;
    const entry = await getEntry<T>(kv, keyOf(group.name));
    requireKnown(entry.key, entry.value);
    group.entry = entry;
    group.freshTurn = turn;
    return entry;
  }

  /**
   * Reads what a batch needs beside the value, as far as it is not remembered.
   *
   * @returns the values by the ids of their keys, and the errors of entries that must not be changed.
   */
  async function readBeside(group: Group<T>, entry: Entry<T>, batch: readonly Waiting<T>[]) {
    const { memory } = group;
    const remembered = rememberedBy(batch, entry.value);
    const isKnown = (key: Deno.KvKey) => memory.has(idOf(key));
    const read = uniqueKeys(
      batch.flatMap(({ change, isRepeated }) => change.read?.(isKnown, isRepeated) ?? []),
    );
    const missing = [...remembered.values()].filter((key) => !isKnown(key));
    const asked = [...missing, ...read.values()];
    const found = asked.length === 0 ? [] : await getEntries<unknown>(kv, asked);
    const failed = new Map<string, unknown>();
    for (const each of found.splice(0, missing.length)) {
      try {
        requireKnown(each.key, each.value);
        memory.set(idOf(each.key), each);
      } catch (error) {
        failed.set(idOf(each.key), error);
      }
    }
    return { known: new Map(found.map(({ key, value }) => [idOf(key), value])), failed };
  }

  /** Rejects the changes of a batch that need an entry whose reading failed; returns the others. */
  function withoutFailed(
    group: Group<T>,
    { value }: Entry<T>,
    batch: readonly Waiting<T>[],
    failed: ReadonlyMap<string, unknown>,
  ): readonly Waiting<T>[] {
    if (failed.size === 0) return batch;
    const others = batch.filter(({ change, reject }) => {
      const id = (change.remembered?.(value) ?? []).map(idOf).find((each) => failed.has(each));
      if (id !== undefined) reject(failed.get(id));
      return id === undefined;
    });
    group.waiting.splice(0, batch.length, ...others);
    return others;
  }

  /**
   * Makes the changes of a batch in one commit.
   *
   * @param read the values that were read for this batch alone, by the ids of their keys.
   * @returns their results; `conflict` if a check failed; `stale` if one of them needs a newer value.
   */
  async function attempt(
    group: Group<T>,
    entry: Entry<T>,
    batch: readonly Waiting<T>[],
    read: ReadonlyMap<string, unknown>,
  ): Promise<unknown[] | "conflict" | "stale"> {
    const { memory } = group;
    const known = (id: string) => read.has(id) ? read.get(id) : memory.get(id)?.value;
    const draft = new Draft(group.name, entry.value, known);
    const results = batch.map(({ change, isRepeated }) => change.apply(draft, isRepeated));
    const isStale = batch.some(({ change, turn }, index) =>
      turn > group.freshTurn && change.needsFresh?.(results[index]) === true
    );
    if (isStale) return "stale";
    if (draft.isUnchanged && read.size === 0) return results;
    finish(draft);
    const operation = kv.atomic().check(entry);
    const remembered = rememberedBy(batch, entry.value);
    for (const [id, key] of remembered) {
      operation.check({ key, versionstamp: memory.get(id)?.versionstamp ?? null });
    }
    draft.writeTo(operation, entry.key);
    const turn = lastTurn;
    for (const waiting of batch) waiting.isRepeated = true;
    const done = await retryLocked(() => operation.commit());
    if (!done.ok) return "conflict";
    const { versionstamp } = done;
    group.freshTurn = turn;
    group.entry = { ...entry, value: draft.value, versionstamp };
    for (const [id, { key, value, isOpen }] of draft.writes) {
      const isKept = value !== null && (isOpen || remembered.has(id));
      if (isKept) memory.set(id, { key, value, versionstamp });
      else memory.delete(id);
    }
    if (memory.size > MAX_REMEMBERED) memory.clear();
    return results;
  }

  function run<R>(name: string, change: Change<T, R>, { lazy = false } = {}): Promise<R> {
    return new Promise((resolve, reject) => {
      const group = groupOf(name);
      group.waiting.push({
        // A change's result goes to its own promise only, and has that promise's type.
        change: change as Change<T, unknown>,
        resolve: resolve as (result: unknown) => void,
        reject,
        turn: ++lastTurn,
        isRepeated: false,
      });
      if (group.draining !== null) return;
      if (lazy) group.cancelTimer ??= startTimer(() => start(group), LAZY_MILLISECONDS);
      else start(group);
    });
  }

  return {
    run,
    async peek(name, change) {
      const { entry = null, memory } = busy.get(name) ?? idle.get(name) ?? {};
      const needed = entry === null ? [] : change.remembered?.(entry.value) ?? [];
      if (entry !== null && needed.every((key) => memory?.has(idOf(key)))) {
        const draft = new Draft(name, entry.value, (id) => memory?.get(id)?.value);
        const result = change.apply(draft, false);
        if (change.needsFresh?.(result) !== true) return result;
      }
      return await run(name, change);
    },
    async flush() {
      while (busy.size > 0) await Promise.all([...busy.values()].map(start));
    },
  };
}

/** The first waiting changes that fit a commit. */
function fittingBatch<T extends object>(
  waiting: readonly Waiting<T>[],
  value: T | null,
): Waiting<T>[] {
  const checked = new Set<string>();
  const batch: Waiting<T>[] = [];
  for (const each of waiting) {
    for (const key of each.change.remembered?.(value) ?? []) checked.add(idOf(key));
    if (batch.length === MAX_CHANGES || batch.length > 0 && checked.size > MAX_CHECKED) break;
    batch.push(each);
  }
  return batch;
}

/** The entries that the changes of a batch remember, and that their commit checks. */
function rememberedBy<T extends object>(
  batch: readonly Waiting<T>[],
  value: T | null,
): Map<string, Deno.KvKey> {
  return uniqueKeys(batch.flatMap(({ change }) => change.remembered?.(value) ?? []));
}

function forget<T extends object>(group: Group<T>): void {
  group.entry = null;
  group.memory.clear();
}

/** Keys without repetitions, by their identity. */
function uniqueKeys(keys: readonly Deno.KvKey[]): Map<string, Deno.KvKey> {
  return new Map(keys.map((key) => [idOf(key), key]));
}

/** No part of these keys contains a line break. */
function idOf(key: Deno.KvKey): string {
  return key.join("\n");
}

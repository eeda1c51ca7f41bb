/**
 * Group commit: changes to one group of keys (an account's, say) that arrive during a commit share the next
 * one, or its next attempt if it meets a conflict. Each commit checks every value that it depends on (optimistic
 * concurrency), so any number of isolates may change one group; the loser reads again.
 *
 * This isolate keeps its last values in memory, so a commit without contention needs no read.
 */

import { LRUCache } from "lru-cache";
import { startRealTimer, type StartTimer } from "../timeout.ts";
import { fittingPart, isUnfit } from "./commit_size.ts";
import { NewerFormatError } from "./formats.ts";
import { getEntries, getEntry } from "./list.ts";
import { createSharedCommit, type Part } from "./shared_commit.ts";
import { setEntry } from "./write.ts";

/** The values that a change reads and writes. Other changes share them, so never mutate one. */
export interface Draft {
  /**
   * The value that this commit has written to a key, or else the one that was read; null if there is none.
   *
   * @throws {Error} if no change has named the key: the commit would not check it.
   */
  get(key: Deno.KvKey): unknown;
  /** The value that this commit has written to a key so far; null if none. */
  written(key: Deno.KvKey): unknown;
  set(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): void;
  delete(key: Deno.KvKey): void;
  /**
   * Adds to a sum (a `Deno.KvU64`, which wraps round, so that an amount may be negative). Sums of other commits are
   * added in any order, so none of them conflicts with this one.
   */
  add(key: Deno.KvKey, amount: bigint): void;
}

/** One attempt to make a change, prepared from the values that are known when it begins. */
interface Attempt<T> {
  /** The keys that `apply` may read. It may also write other keys, unchecked, that no other change uses. */
  readonly keys: readonly Deno.KvKey[];
  /**
   * Writes into the draft, and returns the result that the caller gets once the commit is durable. If it
   * throws, only its own caller gets the error.
   */
  apply(draft: Draft): T;
  /** Whether a result, such as a refusal, must be confirmed with values read after the change was requested. */
  needsFresh?(result: T): boolean;
}

/**
 * A change: prepares an attempt, and another one after each lost commit. A commit that was reported lost may
 * have been made all the same: a database over a network may have committed a request whose response was lost.
 */
export type Change<T> = () => Attempt<T>;

/** Makes changes of groups of keys, many in one commit. */
interface GroupCommit {
  /**
   * Makes a change and resolves when it is durable. A `lazy` one may wait for a few milliseconds, to share the
   * commit of the next change that is not.
   *
   * @throws the database's error. The change may have been made or not: run it again. After a
   *   `NewerFormatError` it was not made, and this version never can make it.
   */
  run<T>(group: string, change: Change<T>, options?: { readonly lazy?: boolean }): Promise<T>;
  /**
   * The result of a change that writes nothing. If memory has its values and the result needs no confirmation,
   * it reads nothing and waits for no commit.
   *
   * @throws the database's error.
   */
  look<T>(group: string, change: Change<T>): Promise<T>;
  /** Resolves when no change is waiting, lazy ones included. */
  flush(): Promise<void>;
}

/** A key's value as this isolate last read or wrote it; the versionstamp is null if there is none. */
interface Cell {
  readonly key: Deno.KvKey;
  readonly value: unknown;
  readonly versionstamp: string | null;
}

interface Waiting {
  readonly change: Change<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

interface Group {
  readonly name: string;
  /** The values last read or written, by key. */
  cells: Map<string, Cell>;
  /** When a commit was made last, and when one met a conflict. */
  knownAt: number;
  lostAt: number;
  /** Since when one commit follows another. */
  busySince: number;
  queue: Waiting[];
  draining: Promise<void> | null;
  cancelTimer: (() => void) | null;
}

/** A batch cannot be committed in one piece: it is too large, or one of its changes fails. */
class UnfitBatch extends Error {}

/**
 * A commit holds at most 100 checks, 1,000 mutations and 800 KiB. This many changes nearly always fit (a retried
 * one may name a key of its own); a batch that does not fit is divided.
 */
const MAX_CHANGES_PER_COMMIT = 90;
/** The number of idle groups whose cells stay in memory: a few kilobytes each, which one read restores. */
const MAX_GROUPS = 1_000;
/** A group with more cells than this drops all of them from memory. */
const MAX_CELLS = 64;
const LAZY_MILLISECONDS = 5;
/** After a conflict a group counts as contended for this long. Its values are then read again when they are older. */
const CONTENTION_MILLISECONDS = 60_000;
const CONTENDED_MEMORY_MILLISECONDS = 5_000;
/** Conflicts in a row before a batch gives up: with the waits below, about ten seconds. */
const MAX_LOSSES = 200;
/** The limits of the pause after a commit that met conflicts: for each of its changes, and in total. */
const TURN_PER_CHANGE_MILLISECONDS = 10;
const LONGEST_TURN_MILLISECONDS = 500;

/** An isolate that has lost this many commits in a row asks for a turn of this length. */
const LOSSES_PER_TURN = 20;
const TURN_ASKED_MILLISECONDS = 2_000;
/** An isolate that has committed for this long, without a rest of this length, checks whether another one has asked. */
const BUSY_MILLISECONDS = 500;
const REST_MILLISECONDS = 50;

/** The request of an isolate that has lost too many commits. */
interface Turn {
  readonly by: string;
  /** Epoch milliseconds. */
  readonly until: number;
}

const turnKey = (group: string): Deno.KvKey => ["turn", group];

/** The dependencies of {@linkcode createGroupCommit}; clock, randomness and timer are the real ones by default. */
interface GroupCommitOptions {
  readonly kv: Deno.Kv;
  /** The name of this isolate, which no other has; a new one by default. */
  readonly isolate?: string;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** Decides how long the loser of a race waits. */
  readonly random?: () => number;
  readonly startTimer?: StartTimer;
}

/** Creates the group commit of this isolate. */
export function createGroupCommit(
  {
    kv,
    isolate = crypto.randomUUID(),
    now = Date.now,
    random = Math.random,
    startTimer = startRealTimer,
  }: GroupCommitOptions,
): GroupCommit {
  const commitPart = createSharedCommit(kv, startTimer);
  const idle = new LRUCache<string, Group>({ max: MAX_GROUPS });
  const busy = new Map<string, Group>();
  const wait = (milliseconds: number) =>
    new Promise<void>((resolve) => void startTimer(resolve, milliseconds));

  function groupOf(name: string): Group {
    const found = busy.get(name) ?? idle.get(name) ??
      {
        name,
        cells: new Map(),
        knownAt: -Infinity,
        lostAt: -Infinity,
        busySince: now(),
        queue: [],
        draining: null,
        cancelTimer: null,
      };
    busy.set(name, found);
    return found;
  }

  async function drain(group: Group): Promise<void> {
    if (now() - group.knownAt > REST_MILLISECONDS) group.busySince = now();
    while (group.queue.length > 0) {
      if (now() - group.busySince > BUSY_MILLISECONDS) await giveWay(group);
      const batch = takeWaiting(group, 0);
      const startedAt = now();
      const losses = await make(group, batch, true);
      if (group.cells.size > MAX_CELLS) group.cells = new Map();
      const turn = losses === 0 ? 0 : turnAfter(batch.length, now() - startedAt);
      if (turn > 0) await wait(turn);
    }
    group.draining = null;
    busy.delete(group.name);
    idle.set(group.name, group);
  }

  /**
   * The pause after a commit that met conflicts, so that other isolates get their turn: about as long as the
   * commit took. This isolate has the newest values and would otherwise win again at once, with the few changes
   * that have arrived; the commits of a contended group would then carry little. After a single change there is
   * no pause.
   */
  function turnAfter(changes: number, tookMilliseconds: number): number {
    const most = Math.min(tookMilliseconds, (changes - 1) * TURN_PER_CHANGE_MILLISECONDS);
    return (0.5 + random()) * Math.max(0, Math.min(most, LONGEST_TURN_MILLISECONDS));
  }

  /**
   * Waits if another isolate has asked for its turn. An isolate that never pauses always has the newest values: it
   * would win every race, because the loser must read before it commits.
   */
  async function giveWay(group: Group): Promise<void> {
    const turn = (await getEntry<Turn>(kv, turnKey(group.name)).catch(() => null))?.value;
    if (turn && turn.by !== isolate && turn.until > now()) await wait(LONGEST_TURN_MILLISECONDS);
    group.busySince = now();
  }

  /** Asks the other isolates for a turn. If that fails, the next loss asks again. */
  async function askForTurn({ name }: Group): Promise<void> {
    const turn: Turn = { by: isolate, until: now() + TURN_ASKED_MILLISECONDS };
    await setEntry(kv, turnKey(name), turn, { expireIn: TURN_ASKED_MILLISECONDS }).catch(() => {});
  }

  /**
   * Commits a batch, or each half of it if it is unfit, and returns the number of conflicts. If the batch
   * `mayGrow`, each retry includes the changes that wait by then.
   */
  async function make(group: Group, batch: Waiting[], mayGrow: boolean): Promise<number> {
    try {
      const { results, losses } = await commit(group, batch, mayGrow);
      batch.forEach(({ resolve }, index) => resolve(results[index]));
      return losses;
    } catch (error) {
      if (!(error instanceof UnfitBatch)) {
        // The commit may have been made or not, so memory cannot be trusted.
        group.cells = new Map();
        for (const { reject } of batch) reject(error);
      } else if (batch.length === 1) batch[0]?.reject(error.cause);
      else {
        const size = fittingPart(batch.length, error.cause);
        const losses = await make(group, batch.slice(0, size), false);
        return losses + await make(group, batch.slice(size), false);
      }
      return 0;
    }
  }

  function start(group: Group): Promise<void> {
    group.cancelTimer?.();
    group.cancelTimer = null;
    return group.draining ??= drain(group);
  }

  async function commit(group: Group, batch: Waiting[], mayGrow: boolean) {
    let isFresh = false;
    // Where other isolates write too, memory is soon out of date: a read costs less than a lost commit.
    const at = now();
    const isOld = at - group.knownAt > CONTENDED_MEMORY_MILLISECONDS;
    if (isOld && at - group.lostAt < CONTENTION_MILLISECONDS) group.cells = new Map();
    for (let losses = 0; losses <= MAX_LOSSES;) {
      const attempts = unlessUnfit(() => batch.map(({ change }) => change()));
      const keys = uniqueKeys(attempts.flatMap((attempt) => attempt.keys));
      const missing = [...keys].filter(([id]) => !group.cells.has(id)).map(([, key]) => key);
      if (missing.length === keys.size) isFresh = true;
      for (const cell of await readCells(kv, missing)) group.cells.set(idOf(cell.key), cell);

      const draft = createDraft(group.cells, keys);
      const results = unlessUnfit(() => attempts.map((attempt) => attempt.apply(draft)));
      const mustRead = !isFresh &&
        attempts.some((attempt, index) => attempt.needsFresh?.(results[index]) === true);
      if (mustRead) {
        group.cells = new Map();
        continue;
      }
      if (draft.isEmpty) return { results, losses };
      const versionstamp = await commitPart(draft.part).catch((error) => {
        throw isUnfit(error) ? new UnfitBatch("the commit is too large", { cause: error }) : error;
      });
      if (versionstamp !== null) {
        draft.keep(group.cells, versionstamp);
        group.knownAt = now();
        return { results, losses };
      }
      group.cells = new Map();
      group.lostAt = now();
      losses++;
      if (losses % LOSSES_PER_TURN === 0) await askForTurn(group);
      // Full jitter, so that each of many losers gets its turn.
      await wait(random() * Math.min(50, 2 ** losses));
      // New changes join before the next read, because they may need values that are newer than their request.
      if (mayGrow) batch.push(...takeWaiting(group, batch.length));
    }
    throw new Error("the database changed under every attempt to commit");
  }

  function run<T>(name: string, change: Change<T>, { lazy = false } = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const group = groupOf(name);
      // A change's result goes to its own promise only, and has that promise's type.
      group.queue.push({ change, resolve: resolve as (result: unknown) => void, reject });
      if (group.draining !== null) return;
      if (lazy) group.cancelTimer ??= startTimer(() => start(group), LAZY_MILLISECONDS);
      else start(group);
    });
  }

  return {
    run,
    async look(name, change) {
      const { cells } = busy.get(name) ?? idle.get(name) ?? {};
      const attempt = change();
      const keys = uniqueKeys(attempt.keys);
      if (cells !== undefined && keys.keys().every((id) => cells.has(id))) {
        const result = attempt.apply(createDraft(cells, keys));
        if (!attempt.needsFresh?.(result)) return result;
      }
      return await run(name, change);
    },
    async flush() {
      while (busy.size > 0) {
        await Promise.all([...busy.values()].map(start));
      }
    },
  };
}

/** Takes as many waiting changes as fit beside those already taken. */
function takeWaiting({ queue }: Group, taken: number): Waiting[] {
  return queue.splice(0, MAX_CHANGES_PER_COMMIT - taken);
}

/** A draft over the cells of the keys that its changes have named. */
function createDraft(cells: ReadonlyMap<string, Cell>, named: ReadonlyMap<string, Deno.KvKey>) {
  const writes = new Map<string, Omit<Cell, "versionstamp"> & { expireIn?: number }>();
  const sums = new Map<string, { readonly key: Deno.KvKey; amount: bigint }>();
  return {
    get isEmpty() {
      return writes.size === 0 && sums.size === 0;
    },
    get(key: Deno.KvKey): unknown {
      const id = idOf(key);
      if (!named.has(id)) throw new Error(`A change reads ${key.join("/")} without naming it.`);
      return (writes.get(id) ?? cells.get(id))?.value ?? null;
    },
    written(key: Deno.KvKey): unknown {
      return writes.get(idOf(key))?.value ?? null;
    },
    set(key: Deno.KvKey, value: unknown, options: { expireIn?: number } = {}) {
      writes.set(idOf(key), { key, value, ...options });
    },
    delete(key: Deno.KvKey) {
      writes.set(idOf(key), { key, value: null });
    },
    add(key: Deno.KvKey, amount: bigint) {
      const sum = sums.get(idOf(key));
      if (sum === undefined) sums.set(idOf(key), { key, amount });
      else sum.amount += amount;
    },
    /** The parts of the commit: every named value must be as it was read. */
    get part(): Part {
      const checks = [...named.keys()].flatMap((id) => cells.get(id) ?? []);
      const added = [...sums.values()].filter(({ amount }) => amount !== 0n);
      return { checks, writes: [...writes.values()], sums: added };
    },
    /** Remembers the written values of the keys that were read. */
    keep(into: Map<string, Cell>, versionstamp: string) {
      for (const [id, { key, value }] of writes) {
        if (into.has(id)) {
          into.set(id, { key, value, versionstamp: value === null ? null : versionstamp });
        }
      }
    },
  };
}

/** Reads cells. A cell of a newer format makes the batch unfit, so that it holds up no other change. */
async function readCells(kv: Deno.Kv, keys: readonly Deno.KvKey[]): Promise<readonly Cell[]> {
  try {
    return await getEntries<unknown>(kv, keys);
  } catch (cause) {
    throw cause instanceof NewerFormatError
      ? new UnfitBatch("a newer version wrote a value", { cause })
      : cause;
  }
}

/** Runs code of the changes; an error in it makes the batch unfit. */
function unlessUnfit<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new UnfitBatch("a change has failed", { cause });
  }
}

function uniqueKeys(keys: readonly Deno.KvKey[]): Map<string, Deno.KvKey> {
  return new Map(keys.map((key) => [idOf(key), key]));
}

/** Keys consist of strings without control characters. */
const idOf = (key: Deno.KvKey): string => key.join("\n");

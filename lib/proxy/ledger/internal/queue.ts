/**
 * The transitions of each account's ledger value, by functions without I/O, which may run again. Transitions that have
 * arrived, or arrive during a commit, share the next commit. Each checks the version of the value, so any number of
 * processes may change it; after a conflict, the process reads again. The last values stay in memory, so that a commit
 * without contention needs no read.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { type Entry, getEntries, getEntry } from "../../../platform/kv/list.ts";
import { beginAtomic, commit, requireVersion } from "../../../platform/kv/write.ts";
import { DAY_MILLISECONDS } from "../../../platform/time.ts";
import { startRealTimer, type StartTimer } from "../../../platform/timeout.ts";
import { dayOf } from "../../../platform/utc_days.ts";
import {
  dayKey,
  EMPTY_LEDGER,
  LEDGER_VERSION,
  ledgerKey,
  type LedgerValue,
  type Reservation,
  reservationKey,
  usageKey,
} from "../values.ts";

/**
 * The state that the transitions of one commit read and write. They share it, so never mutate a value that it returns.
 */
export class Transaction {
  /** The entries that were set, or deleted (null), by the ids of their keys. */
  readonly writes = new Map<string, Write>();
  readonly #before: LedgerValue;
  readonly #sums = new Map<string, { readonly key: Deno.KvKey; amount: bigint }>();

  /**
   * @param value the ledger value as the transitions before have left it; assign a new one to replace it.
   * @param known another entry's value by the id of its key; undefined if it is not known.
   */
  constructor(public value: LedgerValue, private readonly known: (id: string) => unknown) {
    this.#before = value;
  }

  /** Whether nothing was written. */
  get isUnchanged(): boolean {
    return this.value === this.#before && this.writes.size === 0 && this.#sums.size === 0;
  }

  /** Another entry as the transitions before this one have left it; null if there is none, or it was not read. */
  get<T>(key: Deno.KvKey): T | null {
    const id = idOf(key);
    const written = this.writes.get(id);
    // Only `transitions.ts` writes these entries, each key with values of one type.
    return (written === undefined ? this.known(id) : written.value) as T | undefined ?? null;
  }

  /**
   * Sets an entry.
   *
   * @param options `isOpen`: remember the entry, because a later transition of this process will need it.
   */
  set(key: Deno.KvKey, value: unknown, options: WriteOptions = {}): void {
    this.writes.set(idOf(key), { key, value, options });
  }

  delete(key: Deno.KvKey): void {
    this.writes.set(idOf(key), { key, value: null, options: {} });
  }

  /** Adds to a sum (a `Deno.KvU64`), which commits of any account do in any order. */
  add(key: Deno.KvKey, amount: bigint): void {
    const id = idOf(key);
    this.#sums.set(id, { key, amount: amount + (this.#sums.get(id)?.amount ?? 0n) });
  }

  /** Adds all that was written to the commit of an account. */
  writeTo(operation: Deno.AtomicOperation, accountKey: Deno.KvKey): void {
    operation.set(accountKey, this.value);
    for (const { key, value, options } of this.writes.values()) {
      if (value === null) operation.delete(key);
      else operation.set(key, value, options);
    }
    for (const { key, amount } of this.#sums.values()) operation.sum(key, amount);
  }
}

/** An entry in a transaction. */
interface Write {
  readonly key: Deno.KvKey;
  readonly value: unknown;
  readonly options: WriteOptions;
}

interface WriteOptions {
  readonly expireIn?: number;
  readonly isOpen?: boolean;
}

/** Where money is booked: the day, and the cap if the key has one. */
export type BookingKey = Pick<Reservation, "accountId" | "day" | "capId">;

/** A change of an account's books, which shares its commit with others. */
export interface Transition<R> {
  /**
   * Where it is booked. `apply` knows a day that the ledger value does not hold, and the commit checks its entry.
   *
   * With a reservation, `apply` also knows it and its usage record. They are read after the ledger value, whose version
   * vouches for them: such a commit is always made. They are not read while this process remembers the reservation, and
   * has written every version of the ledger value since.
   */
  readonly of: BookingKey | Reservation;
  /**
   * Whether the reservation is not made yet, so that nothing is read before the first attempt. A remote database may
   * have made that commit, lost the response, and reported the second copy as a conflict.
   */
  readonly skipFirstRead?: boolean;
  /**
   * Writes into the transaction, and returns the result that the caller gets once the commit is durable. It may run
   * several times, so it must have no other effect.
   */
  readonly apply: (transaction: Transaction) => R;
  /**
   * Whether a result, such as a refusal, must be confirmed with a value that was read after the transition was queued.
   */
  readonly mustReread?: (result: R) => boolean;
}

interface Waiting {
  readonly transition: Transition<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** Its place in the order of arrival of all transitions. */
  readonly arrival: number;
  /** Whether an attempt met a conflict. */
  isRepeated: boolean;
}

/** The transitions that share a commit, and the entries of days that it checks. */
interface Batch {
  readonly transitions: readonly Waiting[];
  /** Days that leave the ledger value, if nothing is reserved in them. */
  readonly leaving: readonly string[];
  readonly checked: ReadonlyMap<string, Deno.KvKey>;
}

interface Account {
  readonly id: string;
  readonly waiting: Waiting[];
  /** The ledger value as last read or written; null to read it. */
  entry: Entry<LedgerValue> | null;
  /** The `arrival` of the last transition that waited when `entry` was known to be the latest. */
  freshArrival: number;
  /** Other entries as of the version in `entry`. */
  readonly memory: Map<string, Entry<unknown>>;
  /** Commits since another process was last seen to write the ledger value. */
  commitsAlone: number;
  /** Commits since the last pause, or since this process left others the time of a commit. */
  commitsInRow: number;
  /** When the last commit ended, and how long it took, in milliseconds. */
  committedAt: number;
  commitMilliseconds: number;
  draining: Promise<void> | null;
  cancelTimer: (() => void) | null;
}

/** A self-hosted database takes ten checks in a commit; one is the ledger value's. */
const MAX_CHECKED = 9;
/** Days that leave a ledger value in a commit, which checks the entry of each; one check is left for a transition. */
export const MAX_LEAVING = 8;
/** Below the limits of 1,000 mutations and 800 KiB, at up to three entries of a kilobyte for each transition. */
const MAX_TRANSITIONS = 90;
const LAZY_MILLISECONDS = 5;
/**
 * A commit takes about as much processor time as all else of a request. So while requests are in progress, it begins
 * some turns of the event loop later. A request or a provider's answer that has already arrived is read meanwhile, and
 * shares the commit.
 */
const GATHERING_TURNS = 3;
/** Conflicts in a row before a batch gives up: with the pauses, four seconds and more. */
const MAX_CONFLICTS = 400;
const LONGEST_PAUSE_MILLISECONDS = 20;
/**
 * A process that commits learns the new version first, and commits again before another one can read and commit: it
 * would make every commit, and never notice that another process waits. So it pauses after this many commits in a row;
 * after fewer, if it saw another process within its last `SHARED_COMMITS`.
 */
const COMMITS_IN_A_ROW = 64;
const COMMITS_IN_A_TURN = 3;
const SHARED_COMMITS = 16;
/** A database that commits faster, such as a file, leaves other processes their turns by chance. */
const SLOW_COMMIT_MILLISECONDS = 5;
const LONGEST_PAUSE_FOR_OTHERS_MILLISECONDS = 500;
/** The accounts without waiting transitions that stay in memory: a few kilobytes each. */
const MAX_IDLE = 1_000;
/** More entries of an account than this are dropped from memory, and read again when they are needed. */
const MAX_REMEMBERED = 4_000;
const NOTHING: ReadonlyMap<string, unknown> = new Map();

/** Creates the queues of this process. */
export function createQueue({ kv, now, startTimer = startRealTimer }: {
  readonly kv: Deno.Kv;
  readonly now: () => number;
  readonly startTimer?: StartTimer;
}) {
  const busy = new Map<string, Account>();
  const idle = new LRUCache<string, Account>({ max: MAX_IDLE });
  let lastArrival = 0;

  function accountOf(id: string): Account {
    const account = busy.get(id) ?? idle.get(id) ?? {
      id,
      waiting: [],
      entry: null,
      freshArrival: 0,
      memory: new Map(),
      commitsAlone: SHARED_COMMITS,
      commitsInRow: 0,
      committedAt: 0,
      commitMilliseconds: 0,
      draining: null,
      cancelTimer: null,
    };
    busy.set(id, account);
    return account;
  }

  function start(account: Account): Promise<void> {
    account.cancelTimer?.();
    account.cancelTimer = null;
    return account.draining ??= drain(account);
  }

  async function drain(account: Account): Promise<void> {
    const { waiting } = account;
    for (let conflicts = 0, isStale = false; waiting.length > 0;) {
      let attempted = 0;
      // `memory` also has the requests whose settlements wait: so those in progress are compared with those that begin.
      const turns = account.memory.size >= waiting.length ? GATHERING_TURNS : 0;
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      try {
        const known = isStale ? null : account.entry;
        const entry = account.entry = known ?? await readValue(account);
        isStale = false;
        // A refusal that arrived during a read would need another one, and the others would wait for it.
        const arrival = known === null ? account.freshArrival : lastArrival;
        const batch = nextBatch(account, entry, arrival, dayOf(now() - DAY_MILLISECONDS));
        attempted = batch.transitions.length;
        const results = await attempt(account, entry, batch);
        if (typeof results === "object") {
          conflicts = 0;
          waiting.splice(0, attempted);
          batch.transitions.forEach(({ resolve }, index) => resolve(results[index]));
          const milliseconds = pauseForOthers(account);
          if (milliseconds > 0) {
            account.commitsInRow = 0;
            await pause(milliseconds);
            isStale = true;
          }
          continue;
        }
        isStale = results === "stale";
        if (isStale) continue;
        forget(account);
        account.commitsAlone = account.commitsInRow = 0;
        if (++conflicts > MAX_CONFLICTS) {
          throw new Error("other processes changed the value before every attempt to change it");
        }
        // Full jitter, so that each of many processes gets its turn.
        await pause(Math.random() * Math.min(LONGEST_PAUSE_MILLISECONDS, 2 ** conflicts));
      } catch (error) {
        // The commit may have been made or not, so memory cannot be trusted.
        forget(account);
        conflicts = 0;
        for (const { reject } of waiting.splice(0, attempted || waiting.length)) reject(error);
      }
    }
    account.draining = null;
    busy.delete(account.id);
    idle.set(account.id, account);
  }

  function pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void startTimer(() => resolve(), milliseconds));
  }

  async function readValue(account: Account): Promise<Entry<LedgerValue>> {
    const arrival = lastArrival;
    const entry = await getEntry<LedgerValue>(kv, ledgerKey(account.id));
    requireVersion(entry.key, entry.value, LEDGER_VERSION);
    // What is remembered stays right if no other process has written since.
    if (entry.versionstamp !== account.entry?.versionstamp) {
      account.memory.clear();
      if (account.entry !== null) account.commitsAlone = 0;
    }
    account.freshArrival = arrival;
    return entry;
  }

  /** Reads what a batch needs and memory lacks. Returns what is not remembered, by the ids of the keys. */
  async function readBeside({ memory }: Account, { transitions, checked }: Batch) {
    const asked: Deno.KvKey[] = [];
    for (const [id, key] of checked) if (!memory.has(id)) asked.push(key);
    const remembered = asked.length;
    for (const { transition, isRepeated } of transitions) {
      if (!("requestId" in transition.of) || transition.skipFirstRead === true && !isRepeated) {
        continue;
      }
      const openKey = reservationKey(transition.of);
      if (!memory.has(idOf(openKey))) asked.push(openKey, usageKey(transition.of));
    }
    if (asked.length === 0) return NOTHING;
    const found = await getEntries<unknown>(kv, asked);
    for (const each of found.splice(0, remembered)) memory.set(idOf(each.key), each);
    return new Map(found.map(({ key, value }) => [idOf(key), value]));
  }

  /**
   * Makes the transitions of a batch in one commit, which also moves old days out of the ledger value.
   *
   * @returns their results; `conflict` if a check failed; `stale` if one of them needs a newer value.
   */
  async function attempt(
    account: Account,
    entry: Entry<LedgerValue>,
    batch: Batch,
  ): Promise<unknown[] | "conflict" | "stale"> {
    const { memory } = account;
    const { transitions, checked } = batch;
    const read = await readBeside(account, batch);
    const known = (id: string) => read.get(id) ?? memory.get(id)?.value;
    const transaction = new Transaction(entry.value ?? EMPTY_LEDGER, known);
    const results = transitions.map(({ transition }) => transition.apply(transaction));
    const isStale = transitions.some(({ transition, arrival }, index) =>
      arrival > account.freshArrival && transition.mustReread?.(results[index]) === true
    );
    if (isStale) return "stale";
    if (transaction.isUnchanged && read.size === 0) return results;
    archiveDays(transaction, account, batch.leaving);
    const operation = beginAtomic(kv).check(entry);
    for (const [id, key] of checked) {
      operation.check({ key, versionstamp: memory.get(id)?.versionstamp ?? null });
    }
    transaction.writeTo(operation, entry.key);
    const arrival = lastArrival;
    for (const each of transitions) each.isRepeated = true;
    const startedAt = now();
    const done = await commit(operation);
    if (!done.ok) return "conflict";
    if (startedAt - account.committedAt > account.commitMilliseconds) account.commitsInRow = 0;
    account.committedAt = now();
    account.commitMilliseconds = account.committedAt - startedAt;
    account.commitsAlone++;
    account.commitsInRow++;
    const { versionstamp } = done;
    account.freshArrival = arrival;
    account.entry = { key: entry.key, value: transaction.value, versionstamp };
    transaction.writes.forEach(({ key, value, options: { isOpen } }, id) => {
      if (isOpen) memory.set(id, { key, value, versionstamp });
      else memory.delete(id);
    });
    if (memory.size > MAX_REMEMBERED) memory.clear();
    return results;
  }

  /**
   * Makes a transition and resolves when it is durable. A `lazy` one may wait for 5 ms, to share the next commit.
   *
   * @throws the database's error. The transition may have been made or not, and may be made later unless another
   *   transition of the account is made first.
   */
  function run<R>(transition: Transition<R>, { lazy = false } = {}): Promise<R> {
    return new Promise((resolve, reject) => {
      const account = accountOf(transition.of.accountId);
      account.waiting.push({
        // A transition's result goes to its own promise only, and has that promise's type.
        transition: transition as Transition<unknown>,
        resolve: resolve as (result: unknown) => void,
        reject,
        arrival: ++lastArrival,
        isRepeated: false,
      });
      if (account.draining !== null) return;
      if (lazy) account.cancelTimer ??= startTimer(() => start(account), LAZY_MILLISECONDS);
      else start(account);
    });
  }

  return {
    run,
    /**
     * The result of a transition that writes nothing. It reads nothing and waits for no commit, if memory has what it
     * needs and the result need not be confirmed.
     */
    async peek<R>(transition: Transition<R>): Promise<R> {
      const { of, apply, mustReread } = transition;
      const { entry = null, memory } = busy.get(of.accountId) ?? idle.get(of.accountId) ?? {};
      const key = dayKey(of.day, of.accountId);
      if (entry !== null && (entry.value?.days[of.day] !== undefined || memory?.has(idOf(key)))) {
        const known = (id: string) => memory?.get(id)?.value;
        const result = apply(new Transaction(entry.value ?? EMPTY_LEDGER, known));
        if (mustReread?.(result) !== true) return result;
      }
      return await run(transition);
    },
    /** Resolves when no transition is waiting that was there at the call. */
    async flush(): Promise<void> {
      const day = dayOf(now());
      const last = [...busy.keys()].map((accountId) =>
        run({ of: { accountId, day }, apply() {} }).catch(() => {})
      );
      await Promise.all(last);
    },
  };
}

/** The first waiting transitions that fit a commit, and did not arrive after `lastArrival`. */
function nextBatch(
  { id, waiting }: Account,
  { value }: Entry<LedgerValue>,
  lastArrival: number,
  yesterday: string,
): Batch {
  const checked = new Map<string, Deno.KvKey>();
  const check = (day: string) => {
    const key = dayKey(day, id);
    checked.set(idOf(key), key);
  };
  const leaving: string[] = [];
  for (const [day, { reserved }] of Object.entries(value?.days ?? {})) {
    if (day >= yesterday || reserved !== 0n || leaving.length === MAX_LEAVING) continue;
    leaving.push(day);
    check(day);
  }
  const transitions: Waiting[] = [];
  for (const each of waiting) {
    if (each.arrival > lastArrival || transitions.length === MAX_TRANSITIONS) break;
    const { day } = each.transition.of;
    if (value?.days[day] === undefined) {
      const isChecked = checked.has(idOf(dayKey(day, id)));
      if (transitions.length > 0 && !isChecked && checked.size === MAX_CHECKED) break;
      check(day);
    }
    transitions.push(each);
  }
  return { transitions, leaving, checked };
}

/** Moves days in which nothing is reserved out of a ledger value. One without an entry is older than the books are kept. */
function archiveDays(
  transaction: Transaction,
  { id, memory }: Account,
  leaving: readonly string[],
): void {
  for (const day of leaving) {
    const { [day]: sums, ...days } = transaction.value.days;
    if (sums?.reserved !== 0n) continue;
    const key = dayKey(day, id);
    if (memory.get(idOf(key))?.value !== null) transaction.set(key, sums);
    transaction.value = { ...transaction.value, days };
  }
}

/**
 * How long other processes may write before this one reads again, in milliseconds: mostly 0. Another process reads the
 * ledger value and what is beside it, and commits, during two to three commits and the read that follows them.
 */
function pauseForOthers({ commitsAlone, commitsInRow, commitMilliseconds }: Account): number {
  if (commitMilliseconds < SLOW_COMMIT_MILLISECONDS) return 0;
  const isShared = commitsAlone <= SHARED_COMMITS;
  if (commitsInRow < (isShared ? COMMITS_IN_A_TURN : COMMITS_IN_A_ROW)) return 0;
  return Math.min(LONGEST_PAUSE_FOR_OTHERS_MILLISECONDS, commitMilliseconds * (2 + Math.random()));
}

function forget(account: Account): void {
  account.entry = null;
  account.memory.clear();
}

/** No part of these keys contains a line break. */
function idOf(key: Deno.KvKey): string {
  return key.join("\n");
}

/**
 * A copy of something outside, shared by all isolates: one of them reads it (a lease), the others load
 * what it wrote. Young copies are served at once; past `freshMilliseconds` a request waits for a new
 * one, though not for long; while there is none, the old one is served until it is `staleMilliseconds`
 * old.
 */

import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Log } from "../telemetry/mod.ts";
import { withTimeout } from "../timeout.ts";
import { getBlobPointer, readBlob, removeOldVersions, writeBlob } from "./blob.ts";
import { takeLease } from "./lease.ts";

/** What was read, and when the reading began (epoch milliseconds). */
export interface Copy<T> {
  readonly value: T;
  readonly readAt: number;
}

/** A shared copy. */
export interface SharedCopy<T> {
  /**
   * The copy, fresh if that can be had.
   *
   * @throws what the last attempt to read threw, if no copy is young enough.
   */
  get(): Promise<Copy<T>>;
  /**
   * Makes a new copy if the one that there is will not be fresh after `aheadMilliseconds`.
   *
   * @throws what the reading threw; only a reading that a request began has logged it.
   */
  refresh(aheadMilliseconds: number): Promise<void>;
}

/** What a shared copy needs. Times are milliseconds. */
interface SharedCopyOptions<T> {
  readonly kv: Deno.Kv;
  /** Names the keys in the database. */
  readonly name: string;
  /** Reads the original; gets the last copy, however old. What it gives must survive JSON. */
  readonly read: (previous: T | null) => Promise<T>;
  readonly freshMilliseconds: number;
  readonly staleMilliseconds: number;
  /** Longer than a reading may take. */
  readonly leaseMilliseconds: number;
  /** How long a request waits for a new copy while an old one may be served. */
  readonly patienceMilliseconds: number;
  /** After a failed reading nothing is tried for so long. */
  readonly pauseMilliseconds: number;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly log: Pick<Log, "error">;
}

interface Meta {
  readonly readAt: number;
}

const POLL_MILLISECONDS = 100;
const toGzip = promisify(gzip);
const fromGzip = promisify(gunzip);

/** Creates a shared copy. Nothing is read until somebody asks. */
export function createSharedCopy<T>(options: SharedCopyOptions<T>): SharedCopy<T> {
  const { kv, name, read, freshMilliseconds, staleMilliseconds, now, sleep, log } = options;
  let held: Copy<T> | null = null;
  let heldVersion: string | null = null;
  let running: Promise<void> | null = null;
  let failure: { readonly error: unknown; readonly until: number } | null = null;

  /** A copy from the future is a clock that went back: its age is not known. */
  function isYoungerThan(milliseconds: number): boolean {
    if (held === null) return false;
    const age = now() - held.readAt;
    return age < milliseconds && age > -milliseconds;
  }

  async function load() {
    const entry = await getBlobPointer<Meta>(kv, name);
    const { pointer } = entry;
    if (pointer === null || pointer.version === heldVersion) return entry;
    const bytes = await readBlob(kv, name, pointer);
    if (bytes === null) return entry;
    try {
      // What is stored under this name, this file wrote.
      const value = JSON.parse(String(await fromGzip(bytes))) as T;
      held = { value, readAt: pointer.meta.readAt };
      heldVersion = pointer.version;
    } catch (cause) {
      log.error("A stored copy is damaged; it is read anew.", { name, cause });
    }
    return entry;
  }

  async function renew(wanted: () => boolean): Promise<void> {
    const { leaseMilliseconds } = options;
    for (const since = now(); now() - since < leaseMilliseconds;) {
      const replaces = await load();
      if (!wanted()) return;
      const readAt = now();
      const lease = await takeLease(kv, name, leaseMilliseconds, readAt);
      if (lease === null) {
        await sleep(POLL_MILLISECONDS);
        continue;
      }
      try {
        const value = await read(held?.value ?? null);
        held = { value, readAt };
        heldVersion = null;
        failure = null;
        const bytes = new Uint8Array(await toGzip(JSON.stringify(value)));
        const change = { replaces, meta: { readAt }, guard: lease.guard };
        const written = await writeBlob<Meta>(kv, name, bytes, change, now());
        heldVersion = written?.pointer?.version ?? null;
        await removeOldVersions(kv, name, now());
        return;
      } finally {
        await lease.release();
      }
    }
    throw new Error(`another process takes too long to read ${name}`);
  }

  /** One renewal at a time in this isolate. Whoever begins it logs its failure, by itself or by `tell`; who joins it may once more. */
  function renewOnce(wanted: () => boolean, tell = (_cause: unknown) => {}): Promise<void> {
    return running ??= renew(wanted)
      .catch((error) => {
        failure = { error, until: now() + options.pauseMilliseconds };
        tell(error);
        throw error;
      })
      .finally(() => running = null);
  }

  /** Where there is nothing to serve instead, whoever asked gets the failure thrown, and tells it. */
  function logHidden(cause: unknown): void {
    if (isYoungerThan(staleMilliseconds)) log.error("A copy cannot be renewed.", { name, cause });
  }

  return {
    async get() {
      if (held !== null && isYoungerThan(freshMilliseconds)) return held;
      try {
        if (failure !== null && now() < failure.until) throw failure.error;
        const renewing = renewOnce(() => !isYoungerThan(freshMilliseconds), logHidden);
        const { patienceMilliseconds } = options;
        await (isYoungerThan(staleMilliseconds)
          ? withTimeout(patienceMilliseconds, renewing, () => {})
          : renewing);
      } catch (error) {
        if (held === null || !isYoungerThan(staleMilliseconds)) throw error;
      }
      if (held === null) throw new Error(`there is no copy of ${name}`);
      return held;
    },
    async refresh(aheadMilliseconds) {
      await renewOnce(() => !isYoungerThan(freshMilliseconds - aheadMilliseconds));
    },
  };
}

/**
 * A copy of external data that all isolates share. One isolate at a time reads the original, under a lease,
 * and stores the result; the others load it. The options decide how old a copy may be, and how long a
 * request waits for a younger one.
 */

import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Log } from "../log.ts";
import {
  type BlobEntry,
  getBlobPointer,
  readBlob,
  removeOldVersions,
  switchPointer,
  writeBlob,
} from "./blob.ts";
import { type Lease, takeLease } from "./lease.ts";
import { getEntry } from "./list.ts";
import { setEntry } from "./write.ts";

/** A value that was read, and when the read began (epoch milliseconds). */
export interface Copy<T> {
  readonly value: T;
  readonly readAt: number;
}

/** The metadata of a stored copy, in its pointer. */
interface CopyMeta {
  readonly readAt: number;
  /** Bytes whose digest is already stored are not stored again. Without a digest, every copy is stored. */
  readonly digest?: string;
}

/** Whether a stored copy is still right, beyond the time of its read; times are epoch milliseconds. */
interface Freshness {
  /** Until when the original is known to have equalled the copy. It counts like the time of a read. */
  readonly rightUntil: number;
  /** When the original is read again. */
  readonly dueAt: number;
}

/** How a value is stored. */
interface Codec<T, Meta extends CopyMeta> {
  encode(value: T): Promise<Uint8Array<ArrayBuffer>>;
  /** @throws {Error} if the bytes are damaged. */
  decode(bytes: Uint8Array, meta: Meta): Promise<T>;
  metaOf(value: T, readAt: number): Meta;
  /** The value with the metadata of a later read that found it unchanged. */
  withMeta(value: T, meta: Meta): T;
}

/** A shared copy. */
export interface SharedCopy<T> {
  /**
   * The copy: at once if it is fresh, otherwise after an attempt to renew it.
   *
   * @throws the error of the last attempt, if no copy is young enough.
   */
  get(): Copy<T> | Promise<Copy<T>>;
  /**
   * Renews the copy if a request would begin a read in the background.
   *
   * @throws the error of the read; it is reported only if a request began the read.
   */
  refresh(): Promise<void>;
  /** Replaces the current copy, however young it is. @throws the error of the read, which is reported. */
  replace(): Promise<void>;
  /** The rest of the pause after a failed read, in milliseconds. */
  pauseLeft(): number;
}

/** The options of a shared copy. Times are milliseconds. */
interface SharedCopyOptions<T, Meta extends CopyMeta> {
  readonly kv: Deno.Kv;
  /** Names the lease and the stored value. */
  readonly name: string;
  readonly codec: Codec<T, Meta>;
  /** Reads the original. `previous` is the last copy, however old. */
  readonly read: (previous: T | null, readAt: number) => Promise<T>;
  /** Past this age a request begins a read in the background; `freshMilliseconds` unless given. */
  readonly renewMilliseconds?: number;
  /**
   * Determines the freshness of the stored copy. Then `dueAt` decides instead of `renewMilliseconds` when a read
   * begins in the background, and the age of a copy counts from `rightUntil`.
   *
   * @param now the time before the copy's metadata was read.
   */
  readonly freshnessOf?: (meta: Meta, now: number) => Promise<Freshness>;
  /** The age after which a request has the freshness determined again, in the background. */
  readonly freshnessMilliseconds?: number;
  /** Past this age a request waits for a read. */
  readonly freshMilliseconds: number;
  /** Past this age a copy is not served; `freshMilliseconds` unless given. */
  readonly staleMilliseconds?: number;
  /** Longer than a read may take, so that a running process never loses its lease. */
  readonly leaseMilliseconds: number;
  /** How long a request waits if there is no copy to serve; `leaseMilliseconds` unless given. The read continues. */
  readonly waitMilliseconds?: number;
  /** The pause of this isolate after a failed read; none by default. */
  readonly pauseAfter?: (error: unknown) => Omit<Pause, "until">;
  /** The key under which a pause is stored, if it applies to all isolates. */
  readonly pauseKey?: Deno.KvKey;
  /**
   * How far the clocks of isolates may differ. A copy from further in the future has an unknown age, and is
   * marked so before the next read: otherwise it would count as fresh once that time has come. If unset, a
   * copy may be as far in the future as in the past.
   */
  readonly maxSkewMilliseconds?: number;
  /** Whether a copy that could not be stored is served by the isolate that read it. */
  readonly servesUnstored: boolean;
  /** Adds operations to the commit that stores a copy. */
  readonly withStore?: (operation: Deno.AtomicOperation) => Deno.AtomicOperation;
  /** Called after a copy was stored. */
  readonly onStored?: (value: T, previous: T | null) => void;
  /** Called under the lease after a read has failed. */
  readonly onFailure?: (error: unknown, lease: Lease) => Promise<void>;
  /** Reports a failed read that a request began. The default logs only a failure that an old copy hides. */
  readonly report?: (error: unknown) => void;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly log: Pick<Log, "error">;
}

/** The time after a failure in which nothing is read. */
interface Pause {
  /** Epoch milliseconds. */
  readonly until: number;
  readonly seconds: number;
  /** The kind of the failure, for other isolates. */
  readonly kind?: string | undefined;
}

/** A read that did not begin, because of another isolate's failure. */
class PausedError extends Error {
  constructor(name: string, readonly pause: Pause) {
    super(`${name} is not read for a while after a failure`);
  }
}

/** How long a request waits for a read while it may be given the old copy. */
const PATIENCE_MILLISECONDS = 2_000;
/** The interval between two checks of the stored copy while another isolate reads. */
const POLL_MILLISECONDS = 100;
/** The `readAt` of a copy whose age is not known. */
const UNKNOWN = 0;
const toGzip = promisify(gzip);
const fromGzip = promisify(gunzip);

/** Stores what survives JSON, compressed. */
export function jsonCodec<T>(): Codec<T, CopyMeta> {
  return {
    encode: async (value) => new Uint8Array(await toGzip(JSON.stringify(value))),
    // The codec wrote the bytes that are stored under the name.
    decode: async (bytes) => JSON.parse(String(await fromGzip(bytes))) as T,
    metaOf: (_value, readAt) => ({ readAt }),
    withMeta: (value) => value,
  };
}

/** Creates a shared copy. Nothing is read before the first request for it. */
export function createSharedCopy<T, Meta extends CopyMeta>(
  options: SharedCopyOptions<T, Meta>,
): SharedCopy<T> {
  const { kv, name, codec, freshMilliseconds, leaseMilliseconds, now, sleep, log } = options;
  const {
    renewMilliseconds = freshMilliseconds,
    staleMilliseconds = freshMilliseconds,
    waitMilliseconds = leaseMilliseconds,
    pauseAfter = () => ({ seconds: 0 }),
    freshnessMilliseconds = 0,
  } = options;
  let held: Copy<T> | null = null;
  let heldVersion: string | null = null;
  /** The freshness of the copy in memory; null if it has none, or after a read. */
  let freshness: Freshness & { readonly learnedAt: number } | null = null;
  let running: Promise<void> | null = null;
  let failure: { readonly error: unknown; readonly pause: Pause } | null = null;

  function isYoungerThan(milliseconds: number): boolean {
    if (held === null) return false;
    const age = now() - Math.max(held.readAt, freshness?.rightUntil ?? 0);
    return age < milliseconds && age >= -(options.maxSkewMilliseconds ?? milliseconds);
  }

  /** Whether a read is due, as far as this isolate knows. */
  function isOutdated(): boolean {
    return freshness === null ? !isYoungerThan(renewMilliseconds) : now() >= freshness.dueAt;
  }

  /** Whether a request begins a renewal in the background, which may find that no read is due. */
  function isToBeRenewed(): boolean {
    if (options.freshnessOf === undefined) return isOutdated();
    return freshness === null || Math.abs(now() - freshness.learnedAt) >= freshnessMilliseconds;
  }

  /** Loads the stored copy if it differs from the current one, and determines its freshness. */
  async function load(): Promise<BlobEntry<Meta>> {
    const learnedAt = now();
    const entry = await getBlobPointer<Meta>(kv, name);
    const { pointer } = entry;
    if (pointer === null) return entry;
    const { version, meta } = pointer;
    try {
      if (held === null || version !== heldVersion) {
        const bytes = await readBlob(kv, name, pointer);
        if (bytes === null) throw new Error("some of its chunks are missing");
        hold(await codec.decode(bytes, meta), meta.readAt, version);
      } else if (held.readAt !== meta.readAt) {
        hold(codec.withMeta(held.value, meta), meta.readAt, version);
      }
    } catch (error) {
      // The original still has everything: the read that follows replaces the stored copy.
      log.error("A stored copy cannot be read.", { name, reason: String(error) });
    }
    if (options.freshnessOf !== undefined && version === heldVersion) {
      freshness = { ...await options.freshnessOf(meta, learnedAt), learnedAt };
    }
    return entry;
  }

  function hold(value: T, readAt: number, version: string | null): void {
    held = { value, readAt };
    heldVersion = version;
    freshness = null;
  }

  /** One renewal at a time in this isolate. The caller that began it reports its failure once. */
  function renewOnce(wanted: () => boolean, report = (_error: unknown) => {}): Promise<void> {
    return running ??= renew(wanted)
      .catch((error) => {
        failure = { error, pause: pauseOf(error) };
        report(error);
        throw error;
      })
      .finally(() => running = null);
  }

  /** Until the copy is young enough: loads the stored copy, else reads the original, else waits. */
  async function renew(wanted: () => boolean): Promise<void> {
    for (const since = now(); now() - since < waitMilliseconds;) {
      await load();
      if (!wanted()) return;
      await respectPause();
      const lease = await takeLease(kv, name, leaseMilliseconds, now());
      if (lease !== null) return await renewUnder(lease, wanted);
      await sleep(POLL_MILLISECONDS);
    }
    throw new Error(`another process is still reading ${name}`);
  }

  async function renewUnder(lease: Lease, wanted: () => boolean): Promise<void> {
    try {
      // The last holder of the lease may have stored a copy since the load.
      const replaces = await load();
      if (!wanted()) return;
      await read(lease, await markAgeUnknown(lease, replaces));
      // The original may have changed during the read.
      if (options.freshnessOf !== undefined) await load();
    } catch (error) {
      const pause = pauseOf(error);
      const lifetime = { expireIn: pause.seconds * 1_000 };
      if (options.pauseKey !== undefined) await setEntry(kv, options.pauseKey, pause, lifetime);
      await options.onFailure?.(error, lease);
      throw error;
    } finally {
      await lease.release();
    }
  }

  async function read(lease: Lease, replaces: BlobEntry<Meta>): Promise<void> {
    const readAt = now();
    const previous = held;
    const value = await options.read(previous?.value ?? null, readAt);
    const meta = codec.metaOf(value, readAt);
    const { pointer } = replaces;
    const isStored = meta.digest !== undefined && meta.digest === pointer?.meta.digest &&
      heldVersion === pointer.version;
    if (options.servesUnstored) hold(value, readAt, null);
    const { withStore = (operation) => operation } = options;
    const guard = (operation: Deno.AtomicOperation) => withStore(lease.guard(operation));
    const change = { replaces, meta, guard };
    const written = isStored
      ? await switchPointer(kv, name, pointer, change, now())
      : await writeBlob(kv, name, await codec.encode(value), change, now());
    if (written === null && !options.servesUnstored) throw leaseLost();
    hold(value, readAt, written?.pointer?.version ?? null);
    failure = null;
    options.onStored?.(value, previous?.value ?? null);
    await removeOldVersions(kv, name, now());
  }

  /** Marks a stored copy from the future as one of unknown age, because some clock is wrong. */
  async function markAgeUnknown(lease: Lease, entry: BlobEntry<Meta>): Promise<BlobEntry<Meta>> {
    const { pointer } = entry;
    const { maxSkewMilliseconds = Infinity } = options;
    if (pointer === null || pointer.meta.readAt <= now() + maxSkewMilliseconds) return entry;
    const meta = { ...pointer.meta, readAt: UNKNOWN };
    const change = { replaces: entry, meta, guard: lease.guard };
    if (await switchPointer(kv, name, pointer, change, now()) === null) throw leaseLost();
    return await load();
  }

  const leaseLost = () => new Error(`another process took the lease of ${name}`);

  async function respectPause(): Promise<void> {
    if (options.pauseKey === undefined) return;
    const { value } = await getEntry<Pause>(kv, options.pauseKey);
    if (value !== null && leftOf(value) > 0) throw new PausedError(name, value);
  }

  function pauseOf(error: unknown): Pause {
    if (error instanceof PausedError) return error.pause;
    const pause = pauseAfter(error);
    return { until: now() + pause.seconds * 1_000, ...pause };
  }

  /** The rest of a pause; 0 if it is longer than the whole pause, because some clock is wrong. */
  function leftOf({ until, seconds }: Pause): number {
    const left = until - now();
    const longest = seconds * 1_000 + (options.maxSkewMilliseconds ?? 0);
    return left > 0 && left <= longest ? left : 0;
  }

  const pauseLeft = () => failure === null ? 0 : leftOf(failure.pause);

  const {
    report = (cause: unknown) => {
      // A failure that leaves nothing to serve is thrown to the caller, who reports it.
      if (isYoungerThan(staleMilliseconds)) log.error("A copy cannot be renewed.", { name, cause });
    },
  } = options;

  function renewInBackground(wanted: () => boolean): void {
    if (running !== null || pauseLeft() > 0) return;
    renewOnce(wanted, report).catch(() => {/* It was reported. */});
  }

  async function waitForCopy(): Promise<Copy<T>> {
    const over = new AbortController();
    try {
      if (failure !== null && pauseLeft() > 0) throw failure.error;
      const renewing = renewOnce(() => !isYoungerThan(freshMilliseconds), report);
      const limit = isYoungerThan(staleMilliseconds) ? PATIENCE_MILLISECONDS : waitMilliseconds;
      await Promise.race([renewing, sleep(limit, over.signal)]);
    } catch (error) {
      if (!isYoungerThan(staleMilliseconds)) throw error;
    } finally {
      over.abort();
    }
    if (held !== null && isYoungerThan(staleMilliseconds)) return held;
    throw new Error(`reading ${name} takes too long`);
  }

  return {
    get() {
      if (held === null || !isYoungerThan(freshMilliseconds)) return waitForCopy();
      if (isToBeRenewed()) renewInBackground(isOutdated);
      return held;
    },
    refresh: () => renewOnce(isOutdated),
    replace() {
      const outdated = held;
      return renewOnce(() => held === outdated, report);
    },
    pauseLeft,
  };
}

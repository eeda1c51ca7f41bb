/**
 * The source of the catalog: which snapshot is served, when the record store is read again, and how the responses of a
 * catalog are sent.
 *
 * No client sees data older than five minutes, its own cache included. So a
 * snapshot is served until it is nearly that old, since clocks differ. Past the refresh interval a request
 * also begins a read in the background; past that age it waits for one. All isolates share the snapshot
 * (`lib/platform/kv/shared_copy.ts`). A read that would lose most of the events has failed (`store_read.ts`).
 */

import { chooseMediaType, notAcceptable } from "../platform/http/negotiate.ts";
import { type ErrorCode, NOT_FOUND_MAX_AGE_SECONDS, PublicError } from "../platform/http/errors.ts";
import { sendRepresentation } from "../platform/http/representation.ts";
import {
  createSharedCopy,
  PATIENCE_MILLISECONDS,
  PausedError,
} from "../platform/kv/shared_copy.ts";
import { getBlobPointer, readBlob } from "../platform/kv/blob.ts";
import {
  type Catalog,
  type CatalogOptions,
  type CatalogResponse,
  createCatalog,
} from "./catalog.ts";
import {
  decodeSnapshot,
  encodeSnapshot,
  type Snapshot,
  SNAPSHOT_NAME,
  type SnapshotMeta,
} from "./snapshot.ts";
import type { HookKeeper } from "./airtable/hook.ts";
import {
  type Freshness,
  type Notifications,
  readFreshness,
  storeNotifications,
} from "./freshness.ts";
import {
  clearFailure,
  pauseKey,
  ReadError,
  readFailure,
  recordFailure,
  type RecordStore,
} from "./store.ts";
import {
  LossError,
  readStore,
  reportProblems,
  type StoreReaderOptions,
  type StoreReading,
} from "./store_read.ts";
import { MAX_AGE_MILLISECONDS, MAX_LAG_MILLISECONDS, MAX_SKEW_MILLISECONDS } from "./values.ts";

/** The dependencies of the source. Times are milliseconds. */
interface EventsSourceOptions extends CatalogOptions, Omit<StoreReaderOptions, "store"> {
  /** Null if the configuration has no store: every request is then refused. */
  readonly store: RecordStore | null;
  readonly refreshSeconds: number;
  /** Maintains the hook; null without one. */
  readonly hook: Pick<HookKeeper, "keep" | "suspect"> | null;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** Where routes and the cron job get the catalog. */
export type EventsSource = ReturnType<typeof createEventsSource>;

/** Longer than a read may take. */
const LEASE_MILLISECONDS = 75_000;
/** How long a request waits for a read. The read itself continues. */
const WAIT_MILLISECONDS = 25_000;
/** After a failed read, unless the store asks for more: long enough not to overload it. */
const PAUSE_SECONDS = 5;
/** While visitors come, the job reads for them, so that hardly any of them waits. */
const WANTED_MILLISECONDS = 30 * 60_000;
/** How soon an isolate with requests learns of a notification that another isolate received. */
const FRESHNESS_MILLISECONDS = 5_000;
/** The longest wait of the job for the read that a notification asks for. */
const JOB_WAIT_MILLISECONDS = 60_000;
const MIN_WAIT_MILLISECONDS = 100;
/** How often requests compare the store's revision. */
const COMPARE_MILLISECONDS = 200;
/** The hint for callers; the status page tells operators more. */
const QUOTA_HINT =
  "The calls of the events store are used up for this month. The operator can choose a plan " +
  "with more calls, or have fewer made.";

/** Makes the source. It starts nothing by itself: requests and the cron job do. */
export function createEventsSource(options: EventsSourceOptions) {
  const { kv, store, changeSource, hook, now, log } = options;
  const refreshMilliseconds = options.refreshSeconds * 1_000;
  /** The freshness of the snapshot that was read at a time. */
  let freshness: Freshness & { readonly readAt: number } | null = null;
  const catalogOptions = {
    ...options,
    rightUntilOf: ({ readAt }: SnapshotMeta) =>
      freshness?.readAt === readAt ? freshness.rightUntil : readAt,
  };
  /** Whether this isolate waits for the read of a notification, and whether another one has come meanwhile. */
  let isServing = false;
  let hasNewNotification = false;
  /** Notifications that could not be stored and that no read has served yet; null if there are none. */
  let unstored: Notifications | null = null;
  /** The last reading, used only once its snapshot is stored. */
  let reading: StoreReading | null = null;
  /** The store's revision at the last successful read, when it was last compared, and whether it is now. */
  let revision: string | null = null;
  let comparedAt = -Infinity;
  let isComparing = false;
  let askedAt = -Infinity;

  const shared = createSharedCopy<Catalog, SnapshotMeta>({
    ...options,
    name: SNAPSHOT_NAME,
    codec: {
      encode: ({ snapshot }) => encodeSnapshot(snapshot),
      decode: async (bytes, meta) =>
        createCatalog(await decodeSnapshot(bytes, meta), catalogOptions),
      metaOf: ({ snapshot }) => snapshot.meta,
      withMeta: ({ snapshot }, meta) => createCatalog({ ...snapshot, meta }, catalogOptions),
    },
    async read(previous, readAt) {
      if (store === null) throw new ReadError("refused", "no store is configured");
      reading = await readStore({ ...options, store }, previous?.snapshot ?? null, readAt);
      return createCatalog(reading.snapshot, catalogOptions);
    },
    renewMilliseconds: refreshMilliseconds,
    ...changeSource === null ? {} : {
      freshnessMilliseconds: FRESHNESS_MILLISECONDS,
      async freshnessOf(meta: SnapshotMeta, at: number) {
        const found = await readFreshness(kv, meta, changeSource, at, unstored);
        freshness = { ...found, readAt: meta.readAt };
        return found;
      },
    },
    freshMilliseconds: MAX_AGE_MILLISECONDS,
    waitMilliseconds: WAIT_MILLISECONDS,
    leaseMilliseconds: LEASE_MILLISECONDS,
    pauseAfter: (error) => ({
      seconds: pauseSecondsOf(error),
      kind: error instanceof ReadError ? error.fault : undefined,
    }),
    pauseKey,
    maxSkewMilliseconds: MAX_SKEW_MILLISECONDS,
    // Each snapshot carries on the history and the slugs of the stored one before.
    servesUnstored: false,
    withStore: clearFailure,
    onStored(catalog, previous) {
      const { meta } = catalog.snapshot;
      if (unstored !== null && meta.readAt > unstored.lastAt) unstored = null;
      suspectHook(meta, previous?.snapshot.meta ?? null);
      if (reading === null) return;
      revision = reading.revision;
      reportProblems(options, reading, previous?.snapshot ?? null);
    },
    async onFailure(error, lease) {
      if (!(error instanceof ReadError)) return;
      const { fault, message: reason } = error;
      const loss = error instanceof LossError ? error.loss : null;
      await recordFailure(kv, lease, { at: now(), fault, reason, loss });
    },
    report: reportFailure,
  });

  /** Whether a request is to compare the store's revision. */
  function isComparisonDue(): boolean {
    return store?.revision !== undefined && !isComparing && shared.pauseLeft() === 0 &&
      Math.abs(now() - comparedAt) >= COMPARE_MILLISECONDS;
  }

  /** Reads the store if it reports a change. */
  async function readChange(): Promise<void> {
    isComparing = true;
    comparedAt = now();
    const current = await store?.revision?.().catch(() => null);
    if (current !== revision) await shared.replace().catch(() => {/* It was reported. */});
    isComparing = false;
  }

  /** Waits for the read of a change, but no longer than for other reads while there are events to serve. */
  async function waitForChange(): Promise<void> {
    const over = new AbortController();
    await Promise.race([readChange(), options.sleep(PATIENCE_MILLISECONDS, over.signal)]);
    over.abort();
  }

  function reportFailure(error: unknown): void {
    log.error("events: the record store could not be read", { reason: String(error) });
  }

  /** Reads the store when it is due; waits for a read that a notification asks for, but no longer than `longest`. */
  async function serve(longest: number): Promise<void> {
    for (const since = now();;) {
      await shared.refresh();
      if (freshness === null || !freshness.isAwaited) return;
      const wait = Math.max(MIN_WAIT_MILLISECONDS, freshness.dueAt - now());
      if (now() + wait - since > longest) return;
      await options.sleep(wait);
    }
  }

  async function serveNotifications(): Promise<void> {
    hasNewNotification = true;
    if (isServing) return;
    isServing = true;
    while (hasNewNotification) {
      hasNewNotification = false;
      try {
        await serve(MAX_LAG_MILLISECONDS);
      } catch (error) {
        reportFailure(error);
        // One that came before the failure, or comes during the pause, is served after it.
        await options.sleep(shared.pauseLeft());
      }
    }
    isServing = false;
  }

  /** A change without a notification may mean that the hook is dead. */
  function suspectHook(meta: SnapshotMeta, before: SnapshotMeta | null): void {
    const isReported = before === null || before.markServed !== meta.markServed ||
      before.hookId !== meta.hookId;
    if (isReported || meta.hookId === undefined || before.factsDigest === meta.factsDigest) return;
    hook?.suspect().catch(reportFailure);
  }

  function refuse(cause: unknown): never {
    const seconds = shared.pauseLeft() / 1_000 || PAUSE_SECONDS;
    const fault = cause instanceof PausedError
      ? cause.pause.kind
      : cause instanceof ReadError
      ? cause.fault
      : null;
    throw new PublicError("upstream_error", "The event store cannot be read right now.", {
      hint: fault === "quota" ? QUOTA_HINT : "Try again after the time in the Retry-After header.",
      headers: { "retry-after": String(Math.ceil(seconds)) },
      cause,
    });
  }

  return {
    /**
     * A catalog that is fresh enough to answer with.
     *
     * @throws {PublicError} `server_misconfigured` without a store, `upstream_error` if no snapshot is
     *   young enough and the store cannot be read.
     */
    catalog(): Catalog | Promise<Catalog> {
      if (store === null) {
        throw new PublicError("server_misconfigured", "The events store is not configured.", {
          hint: "The operator sets AIRTABLE_TOKEN and AIRTABLE_BASE_ID, or EVENTS_FILE.",
        });
      }
      askedAt = now();
      const copy = shared.get();
      if (!(copy instanceof Promise) && !isComparisonDue()) return copy.value;
      const found = copy instanceof Promise ? copy : waitForChange().then(shared.get);
      return found.then(({ value }) => value, refuse);
    },
    /**
     * Reads the store if the snapshot is older than the refresh interval.
     *
     * @returns the error of a failed read; null after success. Only a read that a request began logs its error.
     */
    async refresh(): Promise<unknown> {
      if (store === null) return null;
      await hook?.keep();
      return await serve(JOB_WAIT_MILLISECONDS).then(() => null, (error: unknown) => error);
    },
    /**
     * Stores the notification that the record store has changed or is to be read, and has it read soon, together with
     * other changes. Resolves when it is stored: no crash loses it. One that cannot be stored still counts here.
     */
    async notify(): Promise<void> {
      const at = now();
      const coming = { firstAt: unstored?.firstAt ?? at, lastAt: at };
      unstored = coming;
      await storeNotifications(kv, coming);
      if (unstored === coming) unstored = null;
      void serveNotifications();
    },
    /** Whether a request has asked this process for events within the last half hour. */
    isWanted: () => Math.abs(now() - askedAt) < WANTED_MILLISECONDS,
    /** Whether the last read succeeded, in any isolate; null without a store, or before the first read. */
    async isUp(): Promise<boolean | null> {
      if (store === null) return null;
      const [failure, { pointer }] = await Promise.all([
        readFailure(kv),
        getBlobPointer<SnapshotMeta>(kv, SNAPSHOT_NAME),
      ]);
      return failure === null ? pointer === null ? null : true : false;
    },
    /** The age of the stored snapshot in milliseconds, since its read began; null if there is none. */
    async age(): Promise<number | null> {
      const { pointer } = await getBlobPointer<SnapshotMeta>(kv, SNAPSHOT_NAME);
      return pointer === null ? null : now() - pointer.meta.readAt;
    },
  };
}

/** The stored snapshot, however old, for readers that never refresh it; null if there is none. */
export async function readStoredSnapshot(kv: Deno.Kv): Promise<Snapshot | null> {
  const { pointer } = await getBlobPointer<SnapshotMeta>(kv, SNAPSHOT_NAME);
  const bytes = pointer === null ? null : await readBlob(kv, SNAPSHOT_NAME, pointer);
  return pointer === null || bytes === null ? null : await decodeSnapshot(bytes, pointer.meta);
}

/**
 * The pause after an error: no longer than the allowed lag, because a longer one would look like a clock set back.
 * Only a used-up quota deserves a longer wait.
 */
function pauseSecondsOf(error: unknown): number {
  if (!(error instanceof ReadError)) return PAUSE_SECONDS;
  const { fault, pauseSeconds } = error;
  const longest = fault === "quota" ? Infinity : MAX_LAG_MILLISECONDS / 1_000;
  return Math.min(pauseSeconds ?? PAUSE_SECONDS, longest);
}

/** Media types that mean JSON. */
export const JSON_TYPES = ["application/json"] as const;

/** The codes of the errors that the functions below, queries and the source throw. */
export const CATALOG_ERRORS = [
  "bad_request",
  "not_acceptable",
  "server_misconfigured",
  "upstream_error",
] as const satisfies readonly ErrorCode[];

/** @throws {PublicError} `not_acceptable` if the Accept header excludes all of the media types. */
export function requireAcceptable(request: Request, types: readonly [string, ...string[]]): void {
  if (chooseMediaType(request.headers.get("accept"), types) !== null) return;
  throw notAcceptable(types.slice(0, 1));
}

/**
 * Sends the response that `choose` finds in the catalog. It returns no promise if nothing has to be awaited, because
 * each promise costs time.
 *
 * @throws the errors of `choose` and of the source.
 */
export function sendFromCatalog(
  request: Request,
  source: Pick<EventsSource, "catalog">,
  choose: (catalog: Catalog) => CatalogResponse,
): Response | Promise<Response> {
  const send = (catalog: Catalog) => {
    const { representation, endsAt } = choose(catalog);
    return sendRepresentation(request, representation, { maxAgeSeconds: catalog.maxAge(endsAt) });
  };
  const catalog = source.catalog();
  return catalog instanceof Promise ? catalog.then(send) : send(catalog);
}

/** The error for an event that a catalog does not have. Clients cache it no longer than the catalog. */
export function noSuchEvent(catalog: Catalog, message: string, hint: string): PublicError {
  const seconds = Math.min(NOT_FOUND_MAX_AGE_SECONDS, catalog.maxAge(Infinity));
  const headers = { "cache-control": `max-age=${seconds}` };
  return new PublicError("not_found", message, { hint, headers });
}

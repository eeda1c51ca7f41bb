/**
 * Where routes and jobs get the events. No client sees data older than five minutes, its own cache included: a snapshot
 * that is fresh enough is served, an older one is served while it is renewed behind the request, and a request that finds
 * one too old waits for the renewal.
 */

import { PublicError } from "../../platform/http/errors.ts";
import type { Catalog } from "../catalog.ts";
import { storeNotification } from "./freshness.ts";
import { createRenewal, type RenewalOptions } from "./internal/renewal.ts";
import { readFailure } from "./failure.ts";
import type { Loss } from "../reading/record_store.ts";
import { getSnapshotEntry } from "./stored.ts";

/** Where routes and the cron job get the catalog. */
export type EventsSource = ReturnType<typeof createEventsSource>;

/** How long a request waits for events. The renewal itself continues. */
const WAIT_MILLISECONDS = 25_000;
/** While visitors come, the job reads for them, so that hardly any of them waits. */
const WANTED_MILLISECONDS = 30 * 60_000;
/** The shortest wait for the read that a notification asks for. */
const POLL_MILLISECONDS = 100;
/** The advice after a failure that names no pause. */
const RETRY_SECONDS = 5;
/** The hint for callers; the status page tells operators more. */
const QUOTA_HINT =
  "The calls of the events store are used up for this month. The operator can choose a plan " +
  "with more calls, or have fewer made.";

/** The message for callers, who may know the table: the columns that the events lack. */
function messageOf(loss: Pick<Loss, "columns"> | null): string {
  const columns = loss?.columns.map(({ column }) => `“${column}”`) ?? [];
  if (columns.length === 0) return "The events cannot be loaded right now.";
  return `The events cannot be loaded right now: most records lack a readable ${
    columns.slice(0, 3).join(", ")
  }.`;
}

/** Makes the source. It starts nothing by itself: requests and the cron job do. */
export function createEventsSource({ store, ...options }: RenewalOptions) {
  const { kv, hook, now, sleep } = options;
  const renewal = store === null ? null : createRenewal({ ...options, store });
  let askedAt = -Infinity;
  let isFollowing = false;
  let hasNew = false;

  /** Waits for events that are fresh enough. */
  async function wait(of: NonNullable<typeof renewal>): Promise<Catalog> {
    const over = new AbortController();
    let cause: unknown = new Error("reading the events takes too long");
    try {
      if (of.pause() > 0) throw of.failure()?.error;
      await Promise.race([of.renewIfStale(), sleep(WAIT_MILLISECONDS, over.signal)]);
    } catch (error) {
      cause = error;
    } finally {
      over.abort();
    }
    const catalog = of.catalog();
    // What is stored may be fresh although the read that should replace it failed.
    if (catalog !== null && of.isFresh()) return catalog;
    const { fault, loss = null } = of.failure() ?? {};
    const seconds = of.pause() / 1_000 || RETRY_SECONDS;
    throw new PublicError("upstream_error", messageOf(loss), {
      hint: fault === "quota" ? QUOTA_HINT : "Try again after the time in the Retry-After header.",
      headers: { "retry-after": String(Math.ceil(seconds)) },
      cause,
    });
  }

  /** Has the store read when the notifications that wait are due, together with those that come meanwhile. */
  async function follow(): Promise<void> {
    hasNew = true;
    if (isFollowing || renewal === null) return;
    isFollowing = true;
    while (hasNew) {
      hasNew = false;
      try {
        for (;;) {
          await renewal.renew();
          const { isAwaited = false, dueAt = 0 } = renewal.freshness() ?? {};
          if (!isAwaited) break;
          await sleep(Math.max(POLL_MILLISECONDS, dueAt - now()));
        }
      } catch {
        // One that came before the failure, or comes during the pause, is served after it.
        await sleep(renewal.pause());
      }
    }
    isFollowing = false;
  }

  /** Reads the store if that is due. Never throws: a failure is logged, and stored for the status. */
  async function begin(): Promise<void> {
    await renewal?.renew().catch(() => {/* It was logged. */});
  }

  return {
    /**
     * A catalog that is fresh enough to answer with.
     *
     * @throws {PublicError} `server_misconfigured` without a store, `upstream_error` if no snapshot is
     *   young enough and the store cannot be read.
     */
    async catalog(): Promise<Catalog> {
      if (renewal === null) {
        throw new PublicError("server_misconfigured", "The events store is not configured.", {
          hint: "The operator sets AIRTABLE_TOKEN and AIRTABLE_BASE_ID, or EVENTS_FILE.",
        });
      }
      askedAt = now();
      const catalog = renewal.catalog();
      if (catalog === null || !renewal.isFresh()) return await wait(renewal);
      renewal.renewBehind();
      return catalog;
    },
    /** The catalog that was served last, whatever its age; null before the first. It waits for nothing. */
    latest: (): Catalog | null => renewal?.catalog() ?? null,
    begin,
    /** Does the work of the job: keeps the hook, and reads the store if that is due. Never throws. */
    async refresh(): Promise<void> {
      if (renewal !== null) await hook?.keep();
      await begin();
    },
    /**
     * Stores the notification that the record store has changed or is to be read, and has it read soon, together with
     * other changes. Resolves when it is stored: no crash loses it.
     */
    async notify(): Promise<void> {
      await storeNotification(kv, now());
      void follow();
    },
    /** Whether a request has asked this process for events within the last half hour, or its last read failed. */
    isWanted: () =>
      Math.abs(now() - askedAt) < WANTED_MILLISECONDS || (renewal?.failure() ?? null) !== null,
    /** Whether the last read succeeded, in any isolate; null without a store, or before the first read. */
    async isUp(): Promise<boolean | null> {
      if (store === null) return null;
      const [failure, { pointer }] = await Promise.all([readFailure(kv), getSnapshotEntry(kv)]);
      return failure === null ? pointer === null ? null : true : false;
    },
    /** The age of the stored snapshot in milliseconds, since its read began; null if there is none. */
    async age(): Promise<number | null> {
      const { pointer } = await getSnapshotEntry(kv);
      return pointer === null ? null : now() - pointer.meta.readAt;
    },
  };
}

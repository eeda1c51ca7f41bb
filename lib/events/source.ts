/**
 * Where routes and jobs get the events. No client sees data older than five minutes, its own cache included: a snapshot
 * that is fresh enough is served, an older one is served while it is renewed behind the request, and a request that finds
 * one too old waits for the renewal.
 */

import { PublicError } from "../platform/http/errors.ts";
import type { Catalog } from "./catalog.ts";
import { createInbox } from "./freshness.ts";
import { createFollower } from "./follower.ts";
import { createRenewal, type RenewalOptions } from "./renewal.ts";
import { readFailure } from "./store.ts";
import { getSnapshotEntry } from "./stored.ts";

/** Where routes and the cron job get the catalog. */
export type EventsSource = ReturnType<typeof createEventsSource>;

/** How long a request waits for events. The renewal itself continues. */
const WAIT_MILLISECONDS = 25_000;
/** How long a request waits for a change of the store while there are events to serve. */
const PATIENCE_MILLISECONDS = 2_000;
/** How often requests ask the store whether it has changed. */
const COMPARE_MILLISECONDS = 200;
/** While visitors come, the job reads for them, so that hardly any of them waits. */
const WANTED_MILLISECONDS = 30 * 60_000;
/** The longest wait of the job for the read that a notification asks for. */
const JOB_WAIT_MILLISECONDS = 60_000;
/** The advice after a failure that names no pause. */
const RETRY_SECONDS = 5;
/** The hint for callers; the status page tells operators more. */
const QUOTA_HINT =
  "The calls of the events store are used up for this month. The operator can choose a plan " +
  "with more calls, or have fewer made.";

/** Makes the source. It starts nothing by itself: requests and the cron job do. */
export function createEventsSource(options: RenewalOptions) {
  const { kv, store, hook, now, sleep } = options;
  const inbox = createInbox(kv, now);
  const renewal = createRenewal(options, inbox);
  const { follow, followNew } = createFollower(renewal, now, sleep);
  const { isFresh, renew } = renewal;
  let askedAt = -Infinity;
  let comparedAt = -Infinity;

  /** Whether the store says that it has changed: then the first request after the change shows it. */
  function hasChanged(): boolean {
    if (Math.abs(askedAt - comparedAt) < COMPARE_MILLISECONDS || renewal.pause() > 0) return false;
    comparedAt = askedAt;
    return renewal.hasChanged();
  }

  /** Waits for a renewal. Fresh events are served even if it fails or takes too long. */
  async function wait(isWanted: () => boolean, longest: number): Promise<Catalog> {
    const over = new AbortController();
    try {
      if (renewal.pause() > 0) throw renewal.failure()?.error;
      await Promise.race([renew(isWanted), sleep(longest, over.signal)]);
    } catch (error) {
      if (!isFresh()) throw refusal(error);
    } finally {
      over.abort();
    }
    const catalog = renewal.catalog();
    if (catalog !== null && isFresh()) return catalog;
    throw refusal(new Error("reading the events takes too long"));
  }

  function refusal(cause: unknown): PublicError {
    const isQuota = renewal.failure()?.fault === "quota";
    const seconds = renewal.pause() / 1_000 || RETRY_SECONDS;
    return new PublicError("upstream_error", "The events cannot be loaded right now.", {
      hint: isQuota ? QUOTA_HINT : "Try again after the time in the Retry-After header.",
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
      const catalog = renewal.catalog();
      if (catalog === null || !isFresh()) return wait(() => !isFresh(), WAIT_MILLISECONDS);
      if (hasChanged()) return wait(renewal.hasChanged, PATIENCE_MILLISECONDS);
      renewal.renewBehind();
      return catalog;
    },
    /** The catalog that was served last, whatever its age; null before the first. It waits for nothing. */
    latest: (): Catalog | null => renewal.catalog(),
    /** Reads the store if that is due, so that the log names a wrong token at the start. */
    async begin(): Promise<void> {
      if (store !== null) await renew().catch(() => {/* It was reported. */});
    },
    /**
     * Reads the store if that is due.
     *
     * @returns the error of a failed read; null after success. Only a read that a request began logs its error.
     */
    async refresh(): Promise<unknown> {
      if (store === null) return null;
      await hook?.keep();
      return await follow(JOB_WAIT_MILLISECONDS).then(() => null, (error: unknown) => error);
    },
    /**
     * Stores the notification that the record store has changed or is to be read, and has it read soon, together with
     * other changes. Resolves when it is stored: no crash loses it. One that cannot be stored still counts here.
     */
    async notify(): Promise<void> {
      await inbox.store();
      void followNew();
    },
    /** Whether a request has asked this process for events within the last half hour. */
    isWanted: () => Math.abs(now() - askedAt) < WANTED_MILLISECONDS,
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

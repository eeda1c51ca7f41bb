/**
 * Limits on the proxied requests in flight: on their number, and on the sum of their bodies' bytes.
 *
 * An account may use as much of each limit as it leaves free for others (dynamic thresholds, as in switches whose
 * ports share a buffer: Choudhury and Hahne, 1998). A single account gets half and the next at least half of
 * the rest, so something stays free however many accounts there are.
 */

import { PublicError } from "../platform/http/errors.ts";
import { withTimeout } from "../platform/timeout.ts";

/** One request's share of the limits. */
export interface Slot {
  /**
   * Counts the request towards its account.
   *
   * @throws {PublicError} `service_unavailable` if the account has too many.
   */
  claim(accountId: string): void;
  /**
   * Reserves memory for a part of the body until the slot is released.
   *
   * @throws {PublicError} `service_unavailable` if the account may take no more, or the slot was released.
   */
  hold(bytes: number): void;
  /** Frees everything. May be called more than once. */
  release(): void;
}

/** The requests in flight of one process. */
export interface InFlight {
  /** @throws {PublicError} `service_unavailable` if there are too many. */
  enter(): Slot;
  /** Resolves when no request is in flight, or after some milliseconds. */
  idle(milliseconds: number): Promise<void>;
}

/** The limits of a process. */
interface InFlightLimits {
  readonly maxRequests: number;
  readonly maxBodyBytes: number;
}

/** The use by one account. */
interface Share {
  requests: number;
  bodyBytes: number;
}

/** Creates the limits of a process. */
export function createInFlight({ maxRequests, maxBodyBytes }: InFlightLimits): InFlight {
  let [requests, bodyBytes] = [0, 0];
  /** By account; accounts without requests are absent. */
  const shares = new Map<string, Share>();
  let onIdle = () => {};

  return {
    enter() {
      if (requests >= maxRequests) throw overloaded();
      requests++;
      let held = 0;
      let owner: { readonly accountId: string; readonly share: Share } | null = null;
      let isReleased = false;
      return {
        claim(accountId) {
          const share = shares.get(accountId) ?? { requests: 0, bodyBytes: 0 };
          // `requests` includes this request already.
          if (share.requests + 1 > maxRequests - requests) throw overloaded();
          share.requests++;
          shares.set(accountId, share);
          owner = { accountId, share };
        },
        hold(bytes) {
          // Bytes that arrive after the release are refused, since they would never be freed.
          if (isReleased || owner === null) throw overloaded();
          const { share } = owner;
          if (share.bodyBytes + bytes > maxBodyBytes - bodyBytes - bytes) throw overloaded();
          bodyBytes += bytes;
          share.bodyBytes += bytes;
          held += bytes;
        },
        release() {
          if (isReleased) return;
          isReleased = true;
          bodyBytes -= held;
          if (owner !== null) {
            const { accountId, share } = owner;
            share.bodyBytes -= held;
            if (--share.requests === 0) shares.delete(accountId);
          }
          if (--requests === 0) onIdle();
        },
      };
    },
    async idle(milliseconds) {
      if (requests === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      onIdle = resolve;
      await withTimeout(milliseconds, promise, () => {});
    },
  };
}

function overloaded(): PublicError {
  return new PublicError("service_unavailable", "There are too many concurrent requests.", {
    hint: "Nothing was forwarded or charged. Try again in a moment.",
    headers: { "retry-after": "1" },
  });
}

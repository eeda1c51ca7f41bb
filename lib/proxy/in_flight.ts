/**
 * The proxied requests in flight: limits on how many there may be at once, and on the bytes of their bodies
 * together; and a way to wait until there are none.
 *
 * An account may have as much of both as it leaves free for the others (dynamic thresholds, as in switches
 * whose ports share a buffer: Choudhury and Hahne, 1998). Alone it has half; the next one has half of the rest
 * at least; and however many are greedy, something stays free.
 */

import { PublicError } from "../http/mod.ts";

/** A request's place among those in flight. */
export interface Slot {
  /**
   * Counts the request, once it is known whose it is, among those of an account.
   *
   * @throws {PublicError} `service_unavailable` if the account has too many.
   */
  claim(accountId: string): void;
  /**
   * Takes room for a part of the account's body, until the slot is released.
   *
   * @throws {PublicError} `service_unavailable` if there is none for the account, or the slot was released.
   */
  hold(bytes: number): void;
  /** Gives the place and the room back. May be called more than once. */
  release(): void;
}

/** The requests in flight of one process. */
export interface InFlight {
  /** @throws {PublicError} `service_unavailable` if there are too many. */
  enter(): Slot;
  /** Resolves when there are none, or after some milliseconds. */
  idle(milliseconds: number): Promise<void>;
}

/** What a process can bear. */
interface InFlightLimits {
  readonly maxRequests: number;
  readonly maxBodyBytes: number;
}

/** What an account holds. */
interface Share {
  requests: number;
  bodyBytes: number;
}

/** Starts counting. */
export function createInFlight({ maxRequests, maxBodyBytes }: InFlightLimits): InFlight {
  let [requests, bodyBytes] = [0, 0];
  /** By account; those without any requests are not in it. */
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
          // This request is among all requests already.
          if (share.requests + 1 > maxRequests - requests) throw overloaded();
          share.requests++;
          shares.set(accountId, share);
          owner = { accountId, share };
        },
        hold(bytes) {
          // Bytes that arrive after the request was given up: nothing would give their room back.
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
      const timer = setTimeout(resolve, milliseconds);
      await promise;
      clearTimeout(timer);
    },
  };
}

function overloaded(): PublicError {
  return new PublicError("service_unavailable", "There are too many requests at once.", {
    hint: "Nothing was forwarded or charged. Try again in a moment.",
    headers: { "retry-after": "1" },
  });
}

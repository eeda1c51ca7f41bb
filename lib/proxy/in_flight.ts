/**
 * The proxied requests in flight: limits on how many there may be at once, of all accounts and of one, and on
 * the bytes of their bodies together; and a way to wait until there are none.
 */

import { PublicError } from "../http/errors.ts";

/** A request's place among those in flight. */
export interface Slot {
  /**
   * Counts the request, once it is known whose it is, among those of an account.
   *
   * @throws {PublicError} `service_unavailable` if the account has too many.
   */
  claim(accountId: string): void;
  /**
   * Takes room for a body, until the slot is released.
   *
   * @throws {PublicError} `service_unavailable` if there is none, or the slot was released.
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
export interface InFlightLimits {
  readonly maxRequests: number;
  /** Of one account: bodies that trickle must not take every place from the others. */
  readonly maxRequestsOfAccount: number;
  readonly maxBodyBytes: number;
}

/** Starts counting. */
export function createInFlight(
  { maxRequests, maxRequestsOfAccount, maxBodyBytes }: InFlightLimits,
): InFlight {
  let [requests, bodyBytes] = [0, 0];
  /** Requests in flight, by account; those without any are not in it. */
  const ofAccount = new Map<string, number>();
  let onIdle = () => {};

  function leave(accountId: string): void {
    const others = (ofAccount.get(accountId) ?? 0) - 1;
    if (others > 0) ofAccount.set(accountId, others);
    else ofAccount.delete(accountId);
  }

  return {
    enter() {
      if (requests >= maxRequests) throw overloaded();
      requests++;
      let held = 0;
      let owner: string | null = null;
      let isReleased = false;
      return {
        claim(accountId) {
          const others = ofAccount.get(accountId) ?? 0;
          if (others >= maxRequestsOfAccount) throw overloaded();
          ofAccount.set(accountId, others + 1);
          owner = accountId;
        },
        hold(bytes) {
          // Bytes that arrive after the request was given up: nothing would give their room back.
          if (isReleased || bodyBytes + bytes > maxBodyBytes) throw overloaded();
          bodyBytes += bytes;
          held += bytes;
        },
        release() {
          if (isReleased) return;
          isReleased = true;
          bodyBytes -= held;
          if (owner !== null) leave(owner);
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

/**
 * The requests that the proxy is at work on: how many there may be at once, how large their bodies may be
 * together, and when there are none.
 */

import { PublicError } from "../http/errors.ts";

/** A request's place among those in flight. */
export interface Slot {
  /**
   * Takes room for a body, until the slot is released.
   *
   * @throws {PublicError} `service_unavailable` if there is none, or the slot was released.
   */
  hold(bytes: number): void;
  /** Gives the place and the room back; more than once is as good as once. */
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
  readonly maxBodyBytes: number;
}

/** Starts counting. */
export function createInFlight({ maxRequests, maxBodyBytes }: InFlightLimits): InFlight {
  let [requests, bodyBytes] = [0, 0];
  let onIdle = () => {};
  return {
    enter() {
      if (requests >= maxRequests) throw overloaded();
      requests++;
      let held = 0;
      let isReleased = false;
      return {
        hold(bytes) {
          // What comes after the request was given up would never be given back.
          if (isReleased || bodyBytes + bytes > maxBodyBytes) throw overloaded();
          bodyBytes += bytes;
          held += bytes;
        },
        release() {
          if (isReleased) return;
          isReleased = true;
          bodyBytes -= held;
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

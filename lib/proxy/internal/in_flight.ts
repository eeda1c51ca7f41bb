/**
 * Limits on the proxied requests in flight: on their number, on the sum of their bodies' bytes, on the number of large
 * messages of assistants, of which a process makes several copies, and on the number of large answers, of each of which
 * it holds up to a mebibyte while its caller does not read.
 *
 * One account has at most half of each limit, so that it takes nothing from another one.
 */

import { PublicError } from "../../platform/http/errors.ts";
import { withTimeout } from "../../platform/timeout.ts";
import { RETRY_SECONDS } from "../wait.ts";

/** The use of what is limited: by one request, by an account, or by all together. */
interface Use {
  requests: number;
  bodyBytes: number;
  largeMessages: number;
  largeAnswers: number;
}

const nothing = (): Use => ({ requests: 0, bodyBytes: 0, largeMessages: 0, largeAnswers: 0 });
const KINDS = Object.keys(nothing()) as (keyof Use)[];

/** The use of the limits by one request, until it is released. */
export type Slot = ReturnType<ReturnType<typeof createInFlight>["enter"]>;

/** Creates the limits of a process. */
export function createInFlight(max: Readonly<Use>) {
  const all = nothing();
  /** By account; accounts without requests are absent. */
  const uses = new Map<string, Use>();
  /** Wake the large answers that wait for a place. */
  const waiting = new Set<() => void>();
  let onIdle = () => {};

  /** Takes a part of a limit for an account; false if there is no more, or it would have more than half. */
  function take(kind: keyof Use, use: Use, count: number): boolean {
    if (use[kind] + count > max[kind] / 2 || all[kind] + count > max[kind]) return false;
    use[kind] += count;
    all[kind] += count;
    return true;
  }

  class Slot {
    #own: Use = { ...nothing(), requests: 1 };
    #accountId = "";
    /** The account's use, once it is known. */
    #use: Use | null = null;
    #isReleased = false;

    /**
     * Counts the request towards its account.
     *
     * @throws {PublicError} `service_unavailable` if the account has too many.
     */
    claim(accountId: string): void {
      const use = uses.get(accountId) ?? nothing();
      // The request itself is among all requests already.
      if (use.requests + 1 > max.requests / 2) throw overloaded();
      use.requests++;
      uses.set(accountId, use);
      this.#accountId = accountId;
      this.#use = use;
    }

    /**
     * Reserves memory for a part of the body, or the place of a large message, until the slot is released.
     *
     * @throws {PublicError} `service_unavailable` if the account may take no more.
     */
    hold(count: number, kind: "bodyBytes" | "largeMessages" = "bodyBytes"): void {
      if (this.#use === null || !take(kind, this.#use, count)) throw overloaded();
      this.#own[kind] += count;
    }

    /** The bytes that were reserved. */
    get bodyBytes(): number {
      return this.#own.bodyBytes;
    }

    /**
     * Waits for a place for a large answer. Those that have one need nothing more of anybody, so the wait ends.
     * Resolves to whether there was one.
     *
     * @throws the signal's reason, if it ends the wait.
     */
    async acquireLargeResponse(signal: AbortSignal): Promise<boolean> {
      let hasWaited = false;
      while (!this.#isReleased && this.#use !== null && !take("largeAnswers", this.#use, 1)) {
        hasWaited = true;
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const leave = () => reject(signal.reason);
        waiting.add(resolve);
        signal.addEventListener("abort", leave, { once: true });
        await promise.finally(() => {
          waiting.delete(resolve);
          signal.removeEventListener("abort", leave);
        });
      }
      if (!this.#isReleased && this.#use !== null) this.#own.largeAnswers++;
      return hasWaited;
    }

    /** Frees everything. May be called more than once. */
    release(): void {
      if (this.#isReleased) return;
      this.#isReleased = true;
      for (const kind of KINDS) {
        all[kind] -= this.#own[kind];
        if (this.#use !== null) this.#use[kind] -= this.#own[kind];
      }
      if (this.#use?.requests === 0) uses.delete(this.#accountId);
      for (const wake of waiting) wake();
      if (all.requests === 0) onIdle();
    }
  }

  return {
    /** @throws {PublicError} `service_unavailable` if there are too many requests. */
    enter(): Slot {
      if (all.requests >= max.requests) throw overloaded();
      all.requests++;
      return new Slot();
    },
    /** Resolves when no request is in flight, or after some milliseconds. */
    async idle(milliseconds: number): Promise<void> {
      if (all.requests === 0) return;
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

/**
 * The error of a large answer that found no place in time. The provider has answered, so the request has a usage record,
 * without a charge: it is no refusal.
 */
export function answersWait(): PublicError {
  return new PublicError("service_unavailable", "Too many large responses are read at once.", {
    hint: "Nothing was charged. Read the other responses to their end, and try again.",
    headers: { "retry-after": RETRY_SECONDS, "x-refused-by": "foyer" },
  });
}

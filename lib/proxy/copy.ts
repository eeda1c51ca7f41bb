/** A copy of external data in memory: renewed when it is no longer fresh, and served for a while if that fails. */

import type { Log } from "../platform/log.ts";

/** A value that was read, and when the read began (epoch milliseconds). */
export interface Copy<T> {
  readonly value: T;
  readonly readAt: number;
}

/** How long a request waits for a read while it may be given the old copy. */
const PATIENCE_MILLISECONDS = 2_000;

/**
 * Creates the function that returns the copy: at once if it is fresh, otherwise after an attempt to renew it. Requests
 * share a read. It throws the error of the last read if no copy is young enough.
 */
export function createCopy<T>(
  { name, read, freshMilliseconds, staleMilliseconds, pauseMilliseconds, now, sleep, log }: {
    /** For the log. */
    readonly name: string;
    readonly read: () => Promise<T>;
    /** Past this age a request waits for a read. */
    readonly freshMilliseconds: number;
    /** Past this age the copy is not served. */
    readonly staleMilliseconds: number;
    /** The pause after a failed read. */
    readonly pauseMilliseconds: number;
    readonly now: () => number;
    readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
    readonly log: Pick<Log, "error">;
  },
): () => Promise<Copy<T>> {
  let held: Copy<T> | null = null;
  let running: Promise<void> | null = null;
  let failure: { readonly error: unknown; readonly at: number } | null = null;

  /** The copy if it is young enough, by a clock that may have been set back. */
  function youngerThan(milliseconds: number): Copy<T> | null {
    return held !== null && Math.abs(now() - held.readAt) < milliseconds ? held : null;
  }

  async function renew(): Promise<void> {
    const readAt = now();
    try {
      held = { value: await read(), readAt };
      failure = null;
    } catch (error) {
      failure = { error, at: now() };
      if (youngerThan(staleMilliseconds)) {
        log.error("A copy cannot be renewed.", { name, cause: error });
      }
      throw error;
    } finally {
      running = null;
    }
  }

  return async function get() {
    const fresh = youngerThan(freshMilliseconds);
    if (fresh !== null) return fresh;
    const isPaused = failure !== null && Math.abs(now() - failure.at) < pauseMilliseconds;
    const old = youngerThan(staleMilliseconds);
    if (old === null) {
      if (isPaused) throw failure?.error;
      await (running ??= renew());
    } else if (!isPaused) {
      const over = new AbortController();
      const renewed = (running ??= renew()).catch(() => {});
      await Promise.race([renewed, sleep(PATIENCE_MILLISECONDS, over.signal)]);
      over.abort();
    }
    const copy = youngerThan(staleMilliseconds);
    if (copy === null) throw new Error(`the list ${name} was read too slowly`);
    return copy;
  };
}

/** What the service needs of the machine. Production opens it once, and tests replace it. */

import type { Log } from "./log.ts";
import type { StartTimer } from "./timeout.ts";

/**
 * Resolves a name to all of its addresses; null where there is no resolver.
 *
 * @throws {Error} if the name has none.
 */
export type ResolveName = (name: string) => Promise<readonly string[] | null>;

/** The world outside the service. Each part names those members that it needs. */
export interface Platform {
  readonly kv: Deno.Kv;
  readonly fetch: typeof fetch;
  readonly resolveName: ResolveName;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Waits. Rejects with the signal's reason if that is aborted first. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Starts a time limit. */
  readonly startLimit: StartTimer;
  readonly log: Log;
}

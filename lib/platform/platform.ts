/** What the service needs of the machine: opened once in production, and replaced in tests. */

import type { Log } from "./log.ts";
import type { StartTimer } from "./timeout.ts";

/**
 * All addresses that the system's resolver gives for a name; null where there is no resolver.
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
  /** Rejects with the signal's reason if it is aborted first. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Starts a time limit. */
  readonly startLimit: StartTimer;
  readonly log: Log;
}

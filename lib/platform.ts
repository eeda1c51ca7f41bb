/** What the service takes from outside when it runs for real: the database, the clock, the network. */

import { setTimeout } from "node:timers/promises";
import type { Config } from "./config.ts";
import { openKv } from "./kv/open.ts";
import type { Platform } from "./services.ts";

/**
 * Opens the database and gathers the rest.
 *
 * @throws {Error} naming KV_PATH if the database cannot be opened.
 */
export async function openPlatform(config: Config): Promise<Platform> {
  return {
    kv: await openKv(config.KV_PATH),
    fetch,
    now: Date.now,
    sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, signal && { signal }),
    log: console,
  };
}

/** The platform in production: the databases, the clock, the network, the log. */

import { setTimeout } from "node:timers/promises";
import type { Config } from "./config.ts";
import { openAnalyticsKv } from "./analytics/mod.ts";
import { createPictures } from "./pictures/mod.ts";
import { openKv } from "./kv/mod.ts";
import type { Platform } from "./services.ts";
import { openLog } from "./telemetry/mod.ts";
import { startRealTimer } from "./timeout.ts";

/**
 * Opens the databases, and collects the rest.
 *
 * @throws {Error} naming KV_PATH or ANALYTICS_KV_PATH if one cannot be opened.
 */
export async function openPlatform(config: Config): Promise<Platform> {
  const kv = await openKv(config.KV_PATH);
  const log = openLog({ isExported: config.OTEL_DENO_CONSOLE !== "ignore" });
  return {
    kv,
    analyticsKv: await openAnalyticsKv(config, kv),
    fetch,
    openCache: "caches" in globalThis ? () => caches.open("foyer") : null,
    pictures: "Command" in Deno ? createPictures({ kv, now: Date.now, log }) : null,
    now: Date.now,
    sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, signal && { signal }),
    startLimit: startRealTimer,
    log,
  };
}

/** Which analytics store a configuration means. */

import type { Config } from "../config.ts";
import { openKv } from "../kv/mod.ts";
import { createClickHouseStore } from "./clickhouse.ts";
import type { ClickHouseOptions } from "./clickhouse_http.ts";
import { createEmbeddedStore } from "./embedded.ts";
import type { UsageStore } from "./store.ts";

/** What a store needs from outside. */
interface StorePlatform {
  /** The database that {@linkcode openAnalyticsKv} gave. */
  readonly analyticsKv: Deno.Kv;
  readonly fetch: typeof fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** ClickHouse at ANALYTICS_URL; without that, the embedded store. */
export function createUsageStore(
  config: Config,
  { analyticsKv, fetch, now }: StorePlatform,
): UsageStore {
  const retention = { days: config.ANALYTICS_RETENTION_DAYS ?? null, now };
  const options = clickHouseOptions(config, fetch);
  return options === null
    ? createEmbeddedStore(analyticsKv, retention)
    : createClickHouseStore(options, retention);
}

/** Where ClickHouse is; null if there is none. */
export function clickHouseOptions(
  { ANALYTICS_URL: url, ANALYTICS_USER: user, ANALYTICS_PASSWORD: password }: Config,
  fetch: ClickHouseOptions["fetch"],
): ClickHouseOptions | null {
  return url === undefined ? null : { url, user, password, fetch };
}

/**
 * The database of the embedded store: that at ANALYTICS_KV_PATH, or else the service's own, where its keys
 * are apart (on Deno Deploy there is no other).
 *
 * @throws {Error} naming ANALYTICS_KV_PATH if it cannot be opened.
 */
export async function openAnalyticsKv(
  { ANALYTICS_URL, ANALYTICS_KV_PATH: path }: Config,
  kv: Deno.Kv,
): Promise<Deno.Kv> {
  if (ANALYTICS_URL !== undefined || path === undefined) return kv;
  try {
    return await openKv(path);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(`ANALYTICS_${error.message}`, { cause: error.cause });
  }
}

/** Creates the configured analytics store. */

import type { Config } from "../../platform/config/config.ts";
import { openKv } from "../../platform/kv/open.ts";
import { createClickHouseStore } from "./clickhouse.ts";
import type { ClickHouseOptions } from "./clickhouse_http.ts";
import { createEmbeddedStore } from "./embedded.ts";
import type { UsageStore } from "./store.ts";

/**
 * Creates the store on ClickHouse at ANALYTICS_URL, or without that the embedded store in the database from
 * {@linkcode openAnalyticsKv}.
 */
export function createUsageStore(
  config: Config,
  { analyticsKv, fetch, now }: {
    readonly analyticsKv: Deno.Kv;
    readonly fetch: ClickHouseOptions["fetch"];
    readonly now: () => number;
  },
): UsageStore {
  const retention = { days: config.ANALYTICS_RETENTION_DAYS ?? null, now };
  const options = clickHouseOptions(config, fetch);
  return options === null
    ? createEmbeddedStore(analyticsKv, retention)
    : createClickHouseStore(options, retention);
}

/** How to reach ClickHouse; null if it is not configured. */
export function clickHouseOptions(
  { ANALYTICS_URL: url, ANALYTICS_USER: user, ANALYTICS_PASSWORD: password }: Config,
  fetch: ClickHouseOptions["fetch"],
): ClickHouseOptions | null {
  return url === undefined ? null : { url, user, password, fetch };
}

/**
 * Opens the database of the embedded store: that at ANALYTICS_KV_PATH, or else the service's own, where its
 * keys have a prefix of their own (Deno Deploy offers no second database).
 *
 * @throws {Error} naming ANALYTICS_KV_PATH if it cannot be opened.
 */
export async function openAnalyticsKv(
  { ANALYTICS_URL, ANALYTICS_KV_PATH: path }: Config,
  kv: Deno.Kv,
): Promise<Deno.Kv> {
  const isSeparate = ANALYTICS_URL === undefined && path !== undefined;
  return isSeparate ? await openKv(path, "ANALYTICS_KV_PATH") : kv;
}

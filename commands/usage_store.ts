/** The configured analytics store, for a command. */

import { createUsageStore, openAnalyticsKv, type UsageStore } from "../lib/analytics/mod.ts";
import { upstreamFetch } from "../lib/telemetry/mod.ts";
import type { Workplace } from "./tool.ts";

/** Works with the store, and closes what was opened for it. */
export async function withUsageStore<T>(
  { config, kv, now }: Workplace,
  work: (store: UsageStore) => Promise<T>,
): Promise<T> {
  const analyticsKv = await openAnalyticsKv(config, kv);
  try {
    return await work(createUsageStore(config, { analyticsKv, fetch: upstreamFetch(fetch), now }));
  } finally {
    if (analyticsKv !== kv) analyticsKv.close();
  }
}

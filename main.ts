/**
 * The composition root: the configuration, the parts, the app and the jobs. A build's server imports
 * `app` from here, and `serve.ts` imports `stop`.
 */

import { createApp } from "./app.tsx";
import { loadConfig } from "./lib/config.ts";
import { listJobs, runJob } from "./lib/jobs.ts";
import { openPlatform } from "./lib/platform.ts";
import { createServices } from "./lib/services.ts";

const config = loadConfig();
const platform = await openPlatform(config);
const services = createServices(config, platform);

export const app = createApp(services);

for (const job of listJobs(services)) {
  Deno.cron(job.name, job.schedule, () => runJob(job, platform));
}

/** After so long at most a process that ends takes no more connections: a load balancer then asks another one. */
const REFUSING_MILLISECONDS = 5_000;
/** How long answers that are on their way may take in all. */
const STREAMS_MILLISECONDS = 30_000;
/** How long everything else may take then; refusals may wait for two seconds (`lib/proxy/refusal_pause.ts`). */
const REST_MILLISECONDS = 3_000;

/**
 * Ends the service with nothing lost: new requests are refused and `/up` says `down`, streams may end,
 * then what was spent is booked and the database closed.
 */
export async function stop(server: Pick<Deno.HttpServer, "shutdown">): Promise<void> {
  const { health, proxy, ledger } = services;
  health.drain();
  await proxy.idle(REFUSING_MILLISECONDS);
  const closed = server.shutdown();
  await proxy.idle(STREAMS_MILLISECONDS - REFUSING_MILLISECONDS);
  await Promise.race([closed, platform.sleep(REST_MILLISECONDS)]);
  await ledger.flush();
  platform.kv.close();
  if (platform.analyticsKv !== platform.kv) platform.analyticsKv.close();
}

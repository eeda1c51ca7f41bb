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

/** How long answers that are on their way may take when the process is asked to end. */
const STREAMS_MILLISECONDS = 30_000;

/**
 * Ends the service with nothing lost: new requests are refused and `/up` says `down`, streams may end,
 * then what was spent is booked and the database closed.
 */
export async function stop(server: Pick<Deno.HttpServer, "shutdown">): Promise<void> {
  services.health.drain();
  await services.proxy.idle(STREAMS_MILLISECONDS);
  await Promise.race([server.shutdown(), platform.sleep(1_000)]);
  await services.ledger.flush();
  platform.kv.close();
  if (platform.analyticsKv !== platform.kv) platform.analyticsKv.close();
}

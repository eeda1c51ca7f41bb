/**
 * The composition root: the configuration, the parts, the app and the jobs. A build's server imports
 * `app` from here, and `serve.ts` imports `stop`.
 */

import { createApp } from "./app.ts";
import { listStrayNames, loadConfig, readEnvironment } from "./lib/config.ts";
import { listJobs, runJob } from "./lib/jobs.ts";
import { openPlatform } from "./lib/platform.ts";
import { createServices, createServicesByHost } from "./lib/services.ts";
import { logStart } from "./lib/start.ts";

const config = loadConfig();
const platform = await openPlatform(config);
const services = createServices(config, platform);
logStart(config, listStrayNames(readEnvironment()), platform.log);
// A database that fails is reported by what needs it.
services.warnOfBudget().catch(() => {});

export const app = createApp(
  config.baseUrlFrom === "request" ? createServicesByHost(config, platform) : () => services,
);

for (const job of listJobs(services)) {
  Deno.cron(job.name, job.schedule, () => runJob(job, platform));
}

/** Drain time after SIGTERM: requests are still served, and each response closes its connection. */
const LEAVING_MILLISECONDS = 1_000;
/** The longest wait for responses in progress, drain time included. */
const ANSWERS_MILLISECONDS = 30_000;

/**
 * Ends the service without losing a request. `/up` reports down, so that load balancers switch to other processes;
 * then no more connections are accepted, responses finish, costs are booked and the databases are closed.
 */
export async function stop(server: Pick<Deno.HttpServer, "shutdown">): Promise<void> {
  const { health, proxy, ledger } = services;
  health.leave();
  await platform.sleep(LEAVING_MILLISECONDS);
  const left = ANSWERS_MILLISECONDS - LEAVING_MILLISECONDS;
  const closed = Promise.race([server.shutdown(), platform.sleep(left)]);
  await Promise.all([closed, proxy.idle(left)]);
  await ledger.flush();
  platform.kv.close();
  if (platform.analyticsKv !== platform.kv) platform.analyticsKv.close();
}

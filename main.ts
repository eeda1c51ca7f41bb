/**
 * The composition root: the configuration, the parts, the app and the jobs. A build's server imports
 * `app` from here, and `serve.ts` imports `stop`.
 */

import { createApp } from "./app.ts";
import { loadConfig } from "./lib/platform/config/config.ts";
import { createJobRunner, CRON, listJobs } from "./lib/operate/jobs.ts";
import { openPlatform } from "./lib/operate/platform.ts";
import { createServices } from "./lib/operate/services.ts";
import { logStart } from "./lib/operate/start.ts";
import { leavePlatform, stopService } from "./lib/operate/stop.ts";

const config = loadConfig();
const platform = await openPlatform(config);
const services = createServices(config, platform);
logStart(config, platform.log);
// The parts that need the database report its failures. On Deno Deploy isolates start all the time, and each read
// costs.
if (!config.hosting.isDenoDeploy) void services.events.begin();

export const app = createApp(services);

const jobs = createJobRunner(listJobs(services), { ...platform, config });
services.whenBooked(jobs.wake);
// A process before this one may have died. On Deno Deploy isolates start all the time; there the cron does what it left.
if (!config.hosting.isDenoDeploy) jobs.wake();
// So the log names a problem of the logo or the font at the start, and not at the first request for a page. On Deno
// Deploy, isolates that serve no page must not read them.
if (!config.hosting.isDenoDeploy) void services.branding.ready();
// So the log names a problem of the webhook at the start, and not when the cron first runs.
if (services.airtableHook !== null) void jobs.runDue();
Deno.cron(CRON.name, CRON.schedule, jobs.runDue);

// Nothing calls `stop` there: the platform itself serves.
if (config.hosting.isDenoDeploy) {
  Deno.addSignalListener("SIGINT", async () => {
    await leavePlatform(services, platform);
    Deno.exit(0);
  });
}

/** Ends the service without losing a request; see {@linkcode stopService}. */
export function stop(server: Pick<Deno.HttpServer, "shutdown">): Promise<void> {
  return stopService(server, services, platform);
}

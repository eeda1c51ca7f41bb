/**
 * The whole service in a process of its own, as the environment configures it, ended by SIGTERM as `serve.ts` is. Its
 * clock can be set: each line on the standard input states how many milliseconds it is ahead from then on.
 */

import { stdin } from "node:process";
import { createInterface } from "node:readline";
import { Builder } from "fresh/dev";
import { createApp } from "../../app.ts";
import freshConfig from "../../fresh.config.ts";
import { loadConfig } from "../../lib/platform/config/config.ts";
import { createJobRunner, listJobs } from "../../lib/operate/jobs.ts";
import { openPlatform } from "../../lib/operate/platform.ts";
import { createServices } from "../../lib/operate/services.ts";
import { stopService } from "../../lib/operate/stop.ts";

let ahead = Number(Deno.env.get("ORDEAL_AHEAD"));
createInterface({ input: stdin }).on("line", (line) => ahead = Number(line));

const config = loadConfig();
const platform = await openPlatform(config, () => Date.now() + ahead);
const services = createServices(config, platform);
const app = createApp(services);
const jobs = createJobRunner(listJobs(services), { ...platform, config });
services.whenBooked(jobs.wake);
void jobs.runDue();
// Five times as often as the service's own, because an ordeal may be short.
Deno.cron("run what is due", "* * * * *", jobs.runDue);
await (await new Builder(freshConfig).build({ snapshot: "memory" }))(app);
const server = Deno.serve(
  // deno-lint-ignore no-console -- who starts this reads the port
  { port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) },
  app.handler(),
);
Deno.addSignalListener("SIGTERM", async () => {
  await stopService(server, services, platform);
  Deno.exit(0);
});

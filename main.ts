/**
 * The composition root: the configuration, the parts, the app and the jobs. A build's server imports
 * `app` from here; nothing else does.
 */

import { createApp } from "./app.tsx";
import { loadConfig } from "./lib/config.ts";
import { openPlatform } from "./lib/platform.ts";
import { createServices } from "./lib/services.ts";

const config = loadConfig();
const services = createServices(config, await openPlatform(config));

export const app = createApp(services);

Deno.cron("refresh events", "* * * * *", () => services.events.refresh());
Deno.cron("charge abandoned reservations", "* * * * *", async () => {
  await services.ledger.sweep();
});

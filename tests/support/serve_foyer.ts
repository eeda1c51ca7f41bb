/** A Foyer in a process of its own, as the environment configures it; prints its port. */
// deno-lint-ignore-file no-console -- the test that starts this reads the port

import { Builder } from "fresh/dev";
import freshConfig from "../../fresh.config.ts";
import { createApp } from "../../app.ts";
import { loadConfig } from "../../lib/platform/config/config.ts";
import { openPlatform } from "../../lib/operate/platform.ts";
import { createServices } from "../../lib/operate/services.ts";

const config = loadConfig();
const services = createServices(config, await openPlatform(config));
const app = createApp(services);
await (await new Builder(freshConfig).build({ snapshot: "memory" }))(app);
Deno.serve(
  { port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) },
  app.handler(),
);

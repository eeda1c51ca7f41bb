/** A Foyer in a process of its own, as the environment configures it; prints its port. */
// deno-lint-ignore-file no-console -- the test that starts this reads the port

import { Builder } from "fresh/dev";
import { createApp } from "../../app.tsx";
import { loadConfig } from "../../lib/config.ts";
import { openPlatform } from "../../lib/platform.ts";
import { createServices } from "../../lib/services.ts";

const config = loadConfig();
const app = createApp(createServices(config, await openPlatform(config)));
const root = new URL("../../", import.meta.url).pathname.slice(0, -1);
await (await new Builder({ root }).build({ snapshot: "memory" }))(app);
Deno.serve(
  { port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) },
  app.handler(),
);

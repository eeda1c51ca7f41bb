/**
 * A Foyer in a process of its own, as the environment configures it; prints its port. A request of
 * `/test/sweep?ahead=<milliseconds>` sets the clock ahead, sweeps until everything asked for is
 * durable, and answers with the number of reservations charged.
 */
// deno-lint-ignore-file no-console -- the test that starts this reads the port

import { Builder } from "fresh/dev";
import freshConfig from "../../fresh.config.ts";
import { createApp } from "../../app.tsx";
import { loadConfig } from "../../lib/config.ts";
import { openPlatform } from "../../lib/platform.ts";
import { createServices } from "../../lib/services.ts";

let ahead = 0;
const config = loadConfig();
const platform = { ...await openPlatform(config), now: () => Date.now() + ahead };
const services = createServices(config, platform);
const app = createApp(services);
await (await new Builder(freshConfig).build({ snapshot: "memory" }))(app);
const handler = app.handler();

async function sweep(): Promise<Response> {
  await services.ledger.flush();
  return Response.json(await services.ledger.sweep());
}

Deno.serve(
  { port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) },
  (request, info) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/test/sweep") return handler(request, info);
    ahead = Number(searchParams.get("ahead"));
    return sweep();
  },
);

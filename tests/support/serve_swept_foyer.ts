/**
 * The proxy in a process of its own, as the environment configures it, without pages and their build; prints its
 * port. `/test/sweep?ahead=<milliseconds>` waits until every booking is durable, sets the clock ahead, sweeps, and
 * responds with the number of charged reservations.
 */
// deno-lint-ignore-file no-console -- the test that starts this reads the port

import { loadConfig } from "../../lib/platform/config/config.ts";
import { toPublicError } from "../../lib/platform/http/errors.ts";
import { openPlatform } from "../../lib/operate/platform.ts";
import type { Incoming } from "../../lib/proxy/proxy.ts";
import { createServices } from "../../lib/operate/services.ts";

let ahead = 0;
const config = loadConfig();
const platform = await openPlatform(config, () => Date.now() + ahead);
const { proxy, ledger } = createServices(config, platform);

/** The same routes as in `routes/proxy/v1/`. */
const ROUTES: Record<string, (incoming: Incoming) => Promise<Response>> = {
  "/proxy/v1/websearch/search": (incoming) => proxy.forward("search", incoming),
  "/proxy/v1/websearch/answer": (incoming) => proxy.forward("answer", incoming),
  "/proxy/v1/decision/systemone": (incoming) => proxy.forward("decision", incoming),
};

async function sweep(milliseconds: number): Promise<Response> {
  await ledger.flush();
  ahead = milliseconds;
  return Response.json(await ledger.sweep());
}

async function handle(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === "/test/sweep") return await sweep(Number(searchParams.get("ahead")));
  const requestId = crypto.randomUUID();
  try {
    const response = await ROUTES[pathname]?.({ request, requestId, notes: {} });
    response?.headers.set("x-request-id", requestId);
    return response ?? new Response(null, { status: 404 });
  } catch (thrown) {
    return new Response(null, { status: toPublicError(thrown).status });
  }
}

Deno.serve(
  { port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) },
  handle,
);

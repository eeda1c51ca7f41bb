/**
 * Serves a build (`deno task build`) at the configured address. A start that fails reports why in one line. SIGTERM
 * and SIGINT end the process gracefully; a second signal ends it immediately.
 *
 * `deno task start` uses the packages as the build left them (`--node-modules-dir=manual`). Otherwise Deno checks them
 * again for each import, which takes a quarter of a start. That task also makes V8 collect garbage early
 * (`--v8-flags`), and makes glibc give a large buffer back at once (`MALLOC_MMAP_THRESHOLD_`). By their own bounds,
 * they let the process grow to 350 MB under load, of which 35 MB are in use.
 */

import { loadConfig } from "./lib/platform/config/config.ts";

/** A supervisor and `deno task` may both forward one signal: within this time, copies count as one. */
const ECHO_MILLISECONDS = 1_000;

try {
  const { PORT: port, HOST: hostname } = loadConfig();
  const { default: server } = await importBuild();
  const { stop } = await import("./main.ts");
  let answer: Deno.ServeHandler = server.fetch;
  let askedAt: number | null = null;
  // First, because Deno says that it listens before `serve` returns, and a supervisor may send its signal then.
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    Deno.addSignalListener(signal, async () => {
      if (askedAt !== null) {
        if (performance.now() - askedAt > ECHO_MILLISECONDS) Deno.exit(1);
        return;
      }
      askedAt = performance.now();
      answer = answerAndClose(server.fetch);
      await stop(running);
      Deno.exit(0);
    });
  }
  const running = listen(
    () => Deno.serve({ port, hostname }, (request, info) => answer(request, info)),
    `${hostname}:${port}`,
  );
} catch (error) {
  // deno-lint-ignore no-console -- the log needs a configuration
  console.error(error instanceof Error ? error.message : error);
  Deno.exit(1);
}

async function importBuild() {
  const isBuilt = await Deno.stat(new URL("./_fresh/server.js", import.meta.url)).catch(() => null);
  if (isBuilt === null) throw new Error("There is no build here. Run `deno task build`.");
  return await import("./_fresh/server.js");
}

/** Handles requests, and closes each connection after its response. */
function answerAndClose(fetch: Deno.ServeHandler): Deno.ServeHandler {
  return async function closing(request, info) {
    const response = await fetch(request, info);
    response.headers.set("connection", "close");
    return response;
  };
}

function listen(serve: () => Deno.HttpServer, address: string): Deno.HttpServer {
  try {
    return serve();
  } catch (cause) {
    const reason = cause instanceof Deno.errors.AddrInUse ? "it is in use" : String(cause);
    throw new Error(`PORT, HOST: cannot listen on ${address}: ${reason}`, { cause });
  }
}

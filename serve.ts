/**
 * Serves a build (`deno task build`) at the configured address. A start that cannot succeed says why
 * in one line and ends. SIGTERM and SIGINT end it gracefully; a second one at once.
 */

import { ConfigError, loadConfig } from "./lib/config.ts";

try {
  const { PORT: port, HOST: hostname } = loadConfig();
  const { default: server } = await import("./_fresh/server.js");
  const { stop } = await import("./main.ts");
  const running = listen(() => Deno.serve({ port, hostname }, server.fetch), `${hostname}:${port}`);
  let isStopping = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    Deno.addSignalListener(signal, async () => {
      // Whoever asks twice does not want to wait.
      if (isStopping) Deno.exit(1);
      isStopping = true;
      await stop(running);
      Deno.exit(0);
    });
  }
} catch (error) {
  // deno-lint-ignore no-console -- there is no log before there is a configuration
  console.error(error instanceof ConfigError || error instanceof Error ? error.message : error);
  Deno.exit(1);
}

function listen(serve: () => Deno.HttpServer, address: string): Deno.HttpServer {
  try {
    return serve();
  } catch (cause) {
    const reason = cause instanceof Deno.errors.AddrInUse ? "it is in use" : String(cause);
    throw new Error(`PORT, HOST: cannot listen on ${address}: ${reason}`, { cause });
  }
}

/**
 * Serves a build (`deno task build`) at the configured address. A start that cannot succeed says why
 * in one line and ends.
 */

import { ConfigError, loadConfig } from "./lib/config.ts";

try {
  const { PORT: port, HOST: hostname } = loadConfig();
  const { default: server } = await import("./_fresh/server.js");
  Deno.serve({ port, hostname }, server.fetch);
} catch (error) {
  // deno-lint-ignore no-console -- there is no log before there is a configuration
  console.error(error instanceof ConfigError || error instanceof Error ? error.message : error);
  Deno.exit(1);
}

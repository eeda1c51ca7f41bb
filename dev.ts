/**
 * `deno task dev`: the whole service on this machine, rebuilt and reloaded on change, with stand-ins
 * for whatever the environment does not name. `deno task build`: the build for `deno task start`.
 */

import { Builder } from "fresh/dev";
import { demonstrationKey, demonstrationRequests } from "./commands/demonstration.ts";
import config from "./fresh.config.ts";
import { loadConfig, readEnvironment } from "./lib/config.ts";
import { startSandbox } from "./lib/sandbox/start.ts";
import { openLog } from "./lib/telemetry/log.ts";

const DEV_KV_PATH = ".data/dev.sqlite3";
const builder = new Builder(config);

if (Deno.args.includes("build")) {
  await builder.build();
} else {
  openLog({ format: "text" });
  Deno.mkdirSync(".data", { recursive: true });
  fillEnvironment([{ KV_PATH: DEV_KV_PATH }, ...startSandbox().env]);
  const { PORT: port, HOST: hostname, KV_PATH, BASE_URL } = loadConfig();
  await builder.listen(() => import("./main.ts"), { port, hostname });
  // A database of somebody's own gets no account that nobody asked for.
  const lines = KV_PATH === DEV_KV_PATH
    ? demonstrationRequests(BASE_URL, await demonstrationKey(DEV_KV_PATH, ".data/dev-key"))
    : ["KV_PATH is set, so no key was made: see `deno task accounts --help`."];
  // deno-lint-ignore no-console -- what a newcomer copies into a shell
  console.log(["\nTry the proxy:", ...lines, ""].join("\n"));
}

/**
 * Sets each group of variables of which none is set: what is given wins, and a real upstream is never
 * mixed with the settings of a stand-in.
 */
function fillEnvironment(groups: readonly Readonly<Record<string, string>>[]): void {
  const given = readEnvironment();
  for (const group of groups) {
    if (Object.keys(group).some((name) => given[name])) continue;
    for (const [name, value] of Object.entries(group)) Deno.env.set(name, value);
  }
}

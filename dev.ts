/**
 * `deno task dev` runs the whole service on this machine, rebuilt and reloaded on change, with stand-ins for the
 * upstreams that the environment does not configure. `deno task build` makes the build for `deno task start`.
 */

import { Builder } from "fresh/dev";
import { demonstrationKey, demonstrationRequests } from "./commands/demonstration.ts";
import config from "./fresh.config.ts";
import { loadConfig, readEnvironment } from "./lib/platform/config/config.ts";
import { startSandbox } from "./lib/sandbox/start.ts";
import { openLog } from "./lib/platform/log.ts";

const DEV_KV_PATH = ".data/dev.sqlite3";
/** The variable that lists the variables set by this program. */
const FILLED = "FOYER_DEV_FILLED";
const builder = new Builder(config);

if (Deno.args.includes("build")) {
  await builder.build();
  // deno-lint-ignore no-console -- output of a command
  console.log("Built into _fresh/. Run `deno task start` to serve it.");
} else {
  openLog("text");
  Deno.mkdirSync(".data", { recursive: true });
  fillEnvironment([{ KV_PATH: DEV_KV_PATH }, ...startSandbox().env]);
  const { PORT: port, HOST: hostname, KV_PATH, BASE_URL, SIGN_IN_ISSUER } = loadConfig();
  await builder.listen(() => import("./main.ts"), { port, hostname }).catch((error) => {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    // deno-lint-ignore no-console -- instead of a stack trace
    console.error(`PORT: ${port} is in use; try another, such as \`PORT=8001 deno task dev\`.`);
    Deno.exit(1);
  });
  // No account is created in a database that the developer chose.
  const lines = KV_PATH === DEV_KV_PATH
    ? demonstrationRequests(BASE_URL, await demonstrationKey(DEV_KV_PATH, ".data/dev-key"))
    : ["KV_PATH is set, so no API key was created. Create one: `deno task accounts --help`."];
  // deno-lint-ignore no-console -- a newcomer copies this into a shell
  console.log(
    [
      `\nThe site: ${BASE_URL}`,
      ...SIGN_IN_ISSUER === undefined ? [] : [
        `Members sign in: ${BASE_URL}/account`,
        `Operators (Olga) sign in: ${BASE_URL}/account/sign-in?for=desk`,
      ],
      `Its events: curl -s '${BASE_URL}/api/v1/events?limit=1'`,
      "The proxy:",
      ...lines,
      "",
    ].join("\n"),
  );
}

/**
 * Sets the variables of each group, unless one of the group is set already: the settings of a real upstream and of a
 * stand-in are never mixed.
 */
function fillEnvironment(groups: readonly Readonly<Record<string, string>>[]): void {
  // `--watch` restarts in the same process, so these variables still name the previous run's stand-ins.
  for (const name of Deno.env.get(FILLED)?.match(/\S+/g) ?? []) Deno.env.delete(name);
  const given = readEnvironment();
  const filled = groups.filter((group) => !Object.keys(group).some((name) => given[name]))
    .flatMap(Object.entries);
  // The stand-in can reach this machine, so an edit in it is shown within seconds.
  const hasStandIn = filled.some(([name]) => name === "AIRTABLE_API_URL");
  if (hasStandIn && !given["AIRTABLE_NOTIFICATIONS"]) filled.push(["AIRTABLE_NOTIFICATIONS", "on"]);
  for (const [name, value] of filled) Deno.env.set(name, value);
  Deno.env.set(FILLED, filled.map(([name]) => name).join(" "));
}

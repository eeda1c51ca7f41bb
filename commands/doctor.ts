/** `deno task doctor`: examines an installation from wherever it is run. */

import { examine, type Examined, type Finding } from "../lib/operate/mod.ts";
import { openKv } from "../lib/platform/kv/open.ts";
import { readEnvironment } from "../lib/platform/config/config.ts";
import { runProcessWith } from "./process.ts";
import type { Tool } from "./tool.ts";
import { alignColumns, printable } from "./values.ts";

const SIGNS: Readonly<Record<Finding["state"], string>> = {
  ok: "ok",
  warning: "WARNING",
  failed: "FAILED",
  unknown: "-",
};

/** The tool. */
export const tool: Tool<Examined> = {
  name: "doctor",
  summary: "Examines the configuration, the database, the clock, the jobs, the events\n" +
    "store, the providers, and the service at BASE_URL: a line each. It changes nothing.\n" +
    "The exit code is 1 if anything failed.",
  examples: [
    ["", "with the variables of this environment and of .env"],
    ["--json | jq '.[] | select(.state == \"failed\")'", "only what failed"],
  ],
  async run(_given, world) {
    const findings = await examine(world);
    const rows = findings.map(({ name, state, sentence }) =>
      [SIGNS[state], name, sentence].map(printable)
    );
    const isWell = findings.every(({ state }) => state !== "failed");
    return { json: findings, text: alignColumns(rows).join("\n"), exitCode: isWell ? 0 : 1 };
  },
};

if (import.meta.main) {
  const environment = readEnvironment();
  // Deno looks for the token of a remote database in the environment only.
  const token = environment["DENO_KV_ACCESS_TOKEN"];
  if (token !== undefined) Deno.env.set("DENO_KV_ACCESS_TOKEN", token);
  const denoVersion = Deno.version.deno;
  await runProcessWith(
    tool,
    () => Promise.resolve({ environment, denoVersion, openKv, fetch, now: Date.now }),
  );
}

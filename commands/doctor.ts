/** `foyer doctor`: examines an installation from wherever it is run. */

import type { Command } from "commander";
import { examine, type Finding, type Installation } from "../lib/operate/doctor.ts";
import { type Result, subcommand } from "./frame.ts";
import { table } from "./values.ts";

const SIGNS: Readonly<Record<Finding["state"], string>> = {
  ok: "ok",
  warning: "WARNING",
  failed: "FAILED",
  unknown: "-",
};

/**
 * Adds the subcommand.
 *
 * @param act runs it without a workplace, since the configuration may be what is wrong.
 */
export function addDoctor(
  foyer: Command,
  act: (work: (installation: Installation) => Promise<Result>, called: Command) => Promise<void>,
): void {
  subcommand(
    foyer,
    "doctor",
    "Examine an installation: configuration, database, jobs, providers, service",
    [
      "doctor  # with the variables of this environment and of .env; exit code 1 if anything fails",
      "doctor --json | jq '.[] | select(.state != \"ok\")'  # only what is not well",
    ],
  ).action((_options: unknown, called: Command) =>
    act(async (installation) => {
      const findings = await examine(installation);
      const rows = findings.map(({ name, state, sentence }) => [SIGNS[state], name, sentence]);
      const isWell = findings.every(({ state }) => state !== "failed");
      return { json: findings, text: table(rows), exitCode: isWell ? 0 : 1 };
    }, called)
  );
}

/** The help of a tool and of its commands. */

import type { Command, Tool } from "./tool.ts";
import { alignColumns } from "./values.ts";

/** The help of a tool lists its commands. */
export function renderToolHelp(tool: Tool): string {
  const commands = Object.entries(tool.commands);
  return [
    tool.summary,
    "",
    `Usage: deno task ${tool.name} COMMAND [ARGUMENTS] [--json] [--help]`,
    "",
    "Commands:",
    ...indent(commands.map(([name, { parameters = [], summary }]) => [
      [name, ...parameters].join(" "),
      summary,
    ])),
    "",
    "Examples:",
    ...commands.flatMap(([, { examples }]) => examples.slice(0, 1).flatMap(([call]) => call))
      .map((call) => `  deno task ${tool.name} ${call}`),
    "",
    `\`deno task ${tool.name} COMMAND --help\` describes a command.`,
    "The configuration is the service's: the environment, then .env. KV_PATH is the database.",
    "Exit codes: 0 done, 1 could not be done, 2 call not understood.",
  ].join("\n");
}

/** The help of a command lists its options and examples. */
export function renderCommandHelp(tool: Tool, name: string, command: Command): string {
  const options = Object.entries(command.options ?? {}).map(([option, { value, summary }]) => [
    value === null ? `--${option}` : `--${option} ${value}`,
    summary,
  ]);
  return [
    command.summary,
    "",
    `Usage: ${usage(tool, name, command)}`,
    "",
    "Options:",
    ...indent([
      ...options,
      ["--json", "print one JSON value"],
      ["--help", "print this help"],
    ]),
    "",
    "Examples:",
    ...command.examples.flatMap(([call, about]) => [
      `  # ${about}`,
      `  deno task ${tool.name} ${call}`,
    ]),
  ].join("\n");
}

function usage(tool: Tool, name: string, { parameters = [], options = {} }: Command): string {
  const optional = Object.entries(options).map(([option, { value }]) =>
    value === null ? `[--${option}]` : `[--${option} ${value}]`
  );
  const words = ["deno task", tool.name, name, ...parameters, ...optional, "[--json]"];
  // The only command of a tool has an empty name.
  return words.filter((word) => word !== "").join(" ");
}

function indent(rows: readonly (readonly string[])[]): string[] {
  return alignColumns(rows).map((line) => `  ${line}`);
}

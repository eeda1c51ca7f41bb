/** Parses the arguments of a call strictly: each mistake comes with a hint. Renders the help. */

import { parseArgs } from "node:util";
import { closest, distance } from "fastest-levenshtein";
import { type Command, type Given, Mistake, ONLY_COMMAND, type Tool } from "./tool.ts";
import { alignColumns } from "./values.ts";

/**
 * Parses the arguments that follow a tool's name.
 *
 * @returns the command to run, or the text of the help that is asked for.
 * @throws {Mistake} for an unknown command or option, a missing, surplus or repeated one.
 */
export function readArguments<Place>(
  tool: Tool<Place>,
  args: readonly string[],
): string | { readonly command: Command<Place>; readonly given: Given } {
  const hasOne = Object.hasOwn(tool.commands, ONLY_COMMAND);
  const { positionals, options } = readTokens(tool, hasOne ? [ONLY_COMMAND, ...args] : args);
  const isHelp = options.some(({ name }) => name === "help") || positionals[0] === "help";
  const [name, ...rest] = positionals[0] === "help" ? positionals.slice(1) : positionals;
  if (name === undefined) {
    if (isHelp) return renderToolHelp(tool);
    const names = Object.keys(tool.commands).join(", ");
    throw new Mistake(`no command given; expected one of ${names}, or --help`);
  }
  const command = Object.hasOwn(tool.commands, name) ? tool.commands[name] : undefined;
  if (command === undefined) {
    throw new Mistake(`no command ${name}; ${suggest(name, Object.keys(tool.commands))}`);
  }
  if (isHelp) return renderCommandHelp(tool, name, command);
  const values = readOptions(name, command, options);
  const { parameters = [] } = command;
  const usage = joinWords(tool.name, name, ...parameters);
  const missing = parameters[rest.length];
  if (missing !== undefined) throw new Mistake(`${missing} is missing; write \`${usage}\``);
  const surplus = rest[parameters.length];
  if (surplus !== undefined) {
    throw new Mistake(
      `“${surplus}” is one too many; write \`${usage}\`, and names with spaces in quotes`,
    );
  }
  return {
    command,
    given: {
      argument(parameter) {
        const value = rest[parameters.indexOf(parameter)];
        if (value === undefined) throw new Error(`${name} has no parameter ${parameter}`);
        return value;
      },
      option: (option) => values.get(option) ?? null,
      has: (option) => values.has(option),
    },
  };
}

function readTokens<Place>(tool: Tool<Place>, args: readonly string[]) {
  const known = Object.values(tool.commands).flatMap(({ options = {} }) => Object.entries(options));
  const types = known.map(([name, { value }]) =>
    [name, { type: value === null ? "boolean" : "string" }] as const
  );
  const { tokens } = parseArgs({
    args: args.map(hideNumber),
    // Strict parsing would throw messages without a hint.
    strict: false,
    tokens: true,
    options: { ...Object.fromEntries(types), help: { type: "boolean", short: "h" } },
  });
  return {
    positionals: tokens.flatMap((token) =>
      token.kind === "positional" ? [showNumber(token.value)] : []
    ),
    options: tokens.filter((token) => token.kind === "option"),
  };
}

/** Hides a negative number from `parseArgs`, which reads it as options. No argument contains NUL. */
const hideNumber = (text: string) => text.replace(/^-(?=[\d.])/, "\0-");
const showNumber = (text: string) => text.replace(/^\0/, "");

/** The options of a call with their values: "" for those without one. */
function readOptions<Place>(
  name: string,
  command: Command<Place>,
  options: ReturnType<typeof readTokens>["options"],
): ReadonlyMap<string, string> {
  const known: Required<Command>["options"] = {
    ...command.options,
    json: { value: null, summary: "" },
  };
  const values = new Map<string, string>();
  for (const { name: option, rawName: raw, value = "", inlineValue } of options) {
    const declared = Object.hasOwn(known, option) ? known[option] : undefined;
    if (declared === undefined || !raw.startsWith("--")) {
      const names = [...Object.keys(known), "help"].map((each) => `--${each}`);
      const what = name === "" ? "this command" : name;
      throw new Mistake(`${what} has no option ${raw}; ${suggest(raw, names)}`);
    }
    if (values.has(option)) throw new Mistake(`${raw} is given twice; once is enough`);
    if (declared.value === null && inlineValue) {
      throw new Mistake(`${raw} takes no value; write ${raw} alone`);
    }
    if (declared.value !== null && (value === "" || !inlineValue && value.startsWith("-"))) {
      throw new Mistake(`${raw} needs a value; write ${raw} ${declared.value}`);
    }
    values.set(option, showNumber(value));
  }
  return values;
}

/** At more edits a word is another word, not a typo. */
const MAX_DISTANCE = 3;

/** The hint for an unknown word: the nearest known word if it is near, else all of them. */
export function suggest(given: string, known: readonly string[]): string {
  const nearest = closest(given, known);
  const edits = distance(given, nearest);
  return edits <= Math.min(MAX_DISTANCE, nearest.replaceAll("-", "").length / 2)
    ? `did you mean ${nearest}?`
    : `expected one of ${known.join(", ")}`;
}

/** The help of a tool lists its commands. */
function renderToolHelp<Place>(tool: Tool<Place>): string {
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
function renderCommandHelp<Place>(
  tool: Tool<Place>,
  name: string,
  command: Command<Place>,
): string {
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

function usage<Place>(
  tool: Tool<Place>,
  name: string,
  { parameters = [], options = {} }: Command<Place>,
): string {
  const optional = Object.entries(options).map(([option, { value }]) =>
    value === null ? `[--${option}]` : `[--${option} ${value}]`
  );
  const call = ["deno task", tool.name, name, ...parameters];
  const whole = joinWords(...call, ...optional, "[--json]");
  return whole.length <= MAX_USAGE_LENGTH ? whole : joinWords(...call, "[OPTIONS]");
}

/** A longer line would wrap; the options are listed below it. */
const MAX_USAGE_LENGTH = 90;

/** The words of a call: the only command of a tool has an empty name. */
function joinWords(...words: readonly string[]): string {
  return words.filter((word) => word !== "").join(" ");
}

function indent(rows: readonly (readonly string[])[]): string[] {
  return alignColumns(rows).map((line) => `  ${line}`);
}

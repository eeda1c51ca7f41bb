/** Parses the arguments of a call strictly: each mistake comes with a hint. Renders the help. */

import { parseArgs } from "node:util";
import { nearestName } from "../lib/platform/nearest.ts";
import { type Command, type Given, Mistake, type Tool } from "./tool.ts";
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
  const { positionals, options } = readTokens(tool, args);
  const hasHelp = options.some(({ name }) => name === "help");
  if ("run" in tool) {
    return hasHelp
      ? renderCommandHelp(tool.name, tool)
      : readCall(tool.name, "this command", tool, positionals, options);
  }
  const isHelp = hasHelp || positionals[0] === "help";
  const [name, ...rest] = positionals[0] === "help" ? positionals.slice(1) : positionals;
  const names = Object.keys(tool.commands);
  if (name === undefined) {
    if (isHelp) return renderToolHelp(tool);
    throw new Mistake(`no command given; expected one of ${names.join(", ")}, or --help`);
  }
  const command = Object.hasOwn(tool.commands, name) ? tool.commands[name] : undefined;
  if (command === undefined) throw new Mistake(`no command ${name}; ${suggest(name, names)}`);
  const call = `${tool.name} ${name}`;
  return isHelp ? renderCommandHelp(call, command) : readCall(call, name, command, rest, options);
}

/** Reads the arguments and options of a command; `name` is its subject in the sentence about a mistake. */
function readCall<Place>(
  call: string,
  name: string,
  command: Command<Place>,
  words: readonly string[],
  tokens: readonly OptionToken[],
) {
  const values = readOptions(name, command, tokens);
  const { parameters = [] } = command;
  const usage = [call, ...parameters].join(" ");
  const missing = parameters[words.length];
  if (missing !== undefined) throw new Mistake(`${missing} is missing; write \`${usage}\``);
  const surplus = words[parameters.length];
  if (surplus !== undefined) {
    throw new Mistake(
      `“${surplus}” is one too many; write \`${usage}\`, and names with spaces in quotes`,
    );
  }
  const given: Given = {
    call,
    argument(parameter) {
      const value = words[parameters.indexOf(parameter)];
      if (value === undefined) throw new Error(`${name} has no parameter ${parameter}`);
      return value;
    },
    option: (option) => values.get(option) ?? null,
    has: (option) => values.has(option),
  };
  return { command, given };
}

type OptionToken = ReturnType<typeof readTokens>["options"][number];

function readTokens<Place>(tool: Tool<Place>, args: readonly string[]) {
  const commands = "run" in tool ? [tool] : Object.values(tool.commands);
  const types = commands.flatMap(({ options = {} }) => [...placeholdersOf(options)])
    .map(([name, value]) => [name, { type: value === undefined ? "boolean" : "string" }] as const);
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

/** The placeholder of each option's value by the option's name; undefined for an option without a value. */
function placeholdersOf(options: NonNullable<Command["options"]>): Map<string, string | undefined> {
  return new Map(
    Object.keys(options).map((option) => {
      const [name = "", placeholder] = option.split(" ");
      return [name, placeholder];
    }),
  );
}

/** Hides a negative number from `parseArgs`, which reads it as options. No argument contains NUL. */
const hideNumber = (text: string) => text.replace(/^-(?=[\d.])/, "\0-");
const showNumber = (text: string) => text.replace(/^\0/, "");

/** The options of a call with their values: "" for those without one. */
function readOptions<Place>(
  name: string,
  command: Command<Place>,
  options: readonly OptionToken[],
): ReadonlyMap<string, string> {
  const known = placeholdersOf({ ...command.options, json: "" });
  const values = new Map<string, string>();
  for (const { name: option, rawName: raw, value = "", inlineValue } of options) {
    if (!known.has(option) || !raw.startsWith("--")) {
      const names = [...known.keys(), "help"].map((each) => `--${each}`);
      throw new Mistake(`${name} has no option ${raw}; ${suggest(raw, names)}`);
    }
    if (values.has(option)) throw new Mistake(`${raw} is given twice; once is enough`);
    const placeholder = known.get(option);
    if (placeholder === undefined && inlineValue) {
      throw new Mistake(`${raw} takes no value; write ${raw} alone`);
    }
    if (placeholder !== undefined && (value === "" || !inlineValue && value.startsWith("-"))) {
      throw new Mistake(`${raw} needs a value; write ${raw} ${placeholder}`);
    }
    values.set(option, showNumber(value));
  }
  return values;
}

/** At more edits a word is another word, not a typo. */
const MAX_DISTANCE = 3;

/** The hint for an unknown word: the nearest known word if it is near, else all of them. */
export function suggest(given: string, known: readonly string[]): string {
  const { name = "", edits = Infinity } = nearestName(given, known) ?? {};
  return edits <= Math.min(MAX_DISTANCE, name.replaceAll("-", "").length / 2)
    ? `did you mean ${name}?`
    : `expected one of ${known.join(", ")}`;
}

/** The help of a tool lists its commands. */
function renderToolHelp<Place>(
  { name: tool, summary, commands }: Exclude<Tool<Place>, Command<Place>>,
): string {
  const entries = Object.entries(commands);
  return [
    summary,
    "",
    `Usage: deno task ${tool} COMMAND [ARGUMENTS] [--json] [--help]`,
    "",
    "Commands:",
    ...indent(entries.map(([name, { parameters = [], summary }]) => [
      [name, ...parameters].join(" "),
      summary,
    ])),
    "",
    "Examples:",
    ...entries.flatMap(([, { examples }]) => examples.slice(0, 1))
      .map(([call]) => `  deno task ${tool} ${call}`),
    "",
    `\`deno task ${tool} COMMAND --help\` describes a command.`,
    "The configuration is the service's: the environment, then .env. KV_PATH is the database.",
    "Exit codes: 0 done, 1 could not be done, 2 call not understood.",
  ].join("\n");
}

/** The help of a command lists its options and examples. */
function renderCommandHelp<Place>(
  call: string,
  { summary, parameters = [], options = {}, examples }: Command<Place>,
): string {
  const [tool] = call.split(" ");
  const words = ["deno task", call, ...parameters];
  const usage = [...words, ...Object.keys(options).map((name) => `[--${name}]`), "[--json]"]
    .join(" ");
  return [
    summary,
    "",
    `Usage: ${usage.length <= MAX_USAGE_LENGTH ? usage : `${words.join(" ")} [OPTIONS]`}`,
    "",
    "Options:",
    ...indent([
      ...Object.entries(options).map(([name, about]) => [`--${name}`, about]),
      ["--json", "print one JSON value"],
      ["--help", "print this help"],
    ]),
    "",
    "Examples:",
    ...examples.flatMap(([call, about]) => [`  # ${about}`, `  deno task ${tool} ${call}`]),
  ].join("\n");
}

/** A longer line would wrap; the options are listed below it. */
const MAX_USAGE_LENGTH = 90;

function indent(rows: readonly (readonly string[])[]): string[] {
  return alignColumns(rows).map((line) => `  ${line}`);
}

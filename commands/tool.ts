/** What a command-line tool is. Every command has `--help` and `--json`. */

import type { Config } from "../lib/config.ts";

/** Where a tool writes: each function takes lines without their last line break. */
export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** What a command works with. */
export interface Workplace {
  readonly kv: Deno.Kv;
  readonly config: Config;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** An option of a command, by its name without dashes. */
export interface Option {
  /** What stands for the value in the help, such as `USD`; null for an option that is only set. */
  readonly value: string | null;
  readonly summary: string;
}

/** What was given to a command: as many arguments as it has parameters. */
export interface Given {
  /** @throws {Error} for a name that is no parameter of the command. */
  argument(name: string): string;
  /** The value of an option, or null if it was not given. */
  option(name: string): string | null;
  /** Whether an option was given. */
  has(name: string): boolean;
}

/** What a command has to say. */
export interface Result {
  /** One JSON value for `--json`, printed on one line. */
  readonly json: unknown;
  /** The same for people. */
  readonly text: string;
  /** What should be noticed besides; goes to `err`. */
  readonly notes?: readonly string[];
}

/** A command of a tool. */
export interface Command {
  readonly summary: string;
  /** The names of its arguments, all of which must be given. */
  readonly parameters: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  /** What follows the tool's name, each with a line about it. */
  readonly examples: readonly (readonly [call: string, about: string])[];
  /** @throws {Mistake} for what cannot be done. */
  readonly run: (given: Given, place: Workplace) => Promise<Result>;
}

/** The name of a command that is its tool's only one: whoever calls the tool leaves it out. */
export const ONLY_COMMAND = "";

/** A command-line tool; `deno task <name>` runs it. */
export interface Tool {
  readonly name: string;
  readonly summary: string;
  /** By name; a tool with {@linkcode ONLY_COMMAND} has no other. */
  readonly commands: Readonly<Record<string, Command>>;
}

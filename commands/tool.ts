/** The shape of a command-line tool. Every command has `--help` and `--json`. */

import type { Config } from "../lib/platform/config/config.ts";

/** Where a tool writes: each function takes a text without its last line break. */
export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** The configuration, database and clock that a command works with. */
export interface Workplace {
  readonly kv: Deno.Kv;
  readonly config: Config;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The system's user who runs the command; absent if the system names none. */
  readonly user?: string | undefined;
  /** Writes to the terminal, without a line break; absent if standard error is none. */
  readonly terminal?: ((text: string) => void) | undefined;
}

/** The arguments and options of a call: as many arguments as the command has parameters. */
export interface Given {
  /** The tool and its command, such as `accounts ban`. */
  readonly call: string;
  /** @throws {Error} if the command has no such parameter. */
  argument(name: string): string;
  /** The value of an option, or null if it was not given. */
  option(name: string): string | null;
  /** Whether an option was given. */
  has(name: string): boolean;
}

/** The outcome of a command. */
export interface Result {
  /** One JSON value for `--json`, printed on one line. */
  readonly json: unknown;
  /** The same for people. */
  readonly text: string;
  /** Further notes, written to `err`. */
  readonly notes?: readonly string[];
  /** 0 unless the command found something wrong. */
  readonly exitCode?: 0 | 1;
}

/** A command of a tool; `Place` is its environment. */
export interface Command<Place = Workplace> {
  readonly summary: string;
  /** The names of its arguments, all required. */
  readonly parameters?: readonly string[];
  /** What each option does, by its name without dashes and the placeholder of its value, if any: `limit USD`. */
  readonly options?: Readonly<Record<string, string>>;
  /** Calls without the tool's name, each with a description. */
  readonly examples: readonly (readonly [call: string, about: string])[];
  /** @throws {Mistake} if it cannot be done. */
  readonly run: (given: Given, place: Place) => Promise<Result>;
}

/** A command-line tool; `deno task <name>` runs it. It has several commands, or is one itself. */
export type Tool<Place = Workplace> =
  & { readonly name: string }
  & (Command<Place> | {
    readonly summary: string;
    readonly commands: Readonly<Record<string, Command<Place>>>;
  });

/** A foreseen failure: one sentence that states the mistake and the remedy. */
export class Mistake extends Error {
  override name = "Mistake";

  /**
   * @param message the rest of a sentence that begins with the tool's name.
   * @param exitCode 2: the call was not understood. 1: it was, and cannot be done.
   */
  constructor(message: string, readonly exitCode: 1 | 2 = 2) {
    super(message);
  }
}

/** The frame of all subcommands: their place, their result, and their description. */

import { type Command, InvalidArgumentError } from "commander";
import { findReasonFault } from "../lib/accounts/account.ts";
import type { Origin } from "../lib/accounts/audit_log.ts";
import type { Config } from "../lib/platform/config/config.ts";
import type { Platform } from "../lib/platform/platform.ts";

/** The configuration, database and clock that a subcommand works with. */
export interface Workplace extends Pick<Platform, "kv" | "now"> {
  readonly config: Config;
  /** The system's user who runs the command; absent if the system names none. */
  readonly user?: string | undefined;
}

/** A workplace, and the subcommand that is called, such as `accounts ban`. */
export interface Place extends Workplace {
  readonly call: string;
}

/** The outcome of a subcommand. */
export interface Result {
  /** One value for `--json`, printed on one line as `toJson` makes it. */
  readonly json: unknown;
  /** The same for people. */
  readonly text: string;
  /** Further notes, written to standard error. */
  readonly notes?: readonly string[];
  /** 0 unless the subcommand found something wrong. */
  readonly exitCode?: 0 | 1;
}

/** A foreseen failure: one sentence that states the mistake and the remedy. */
export class Mistake extends Error {
  override name = "Mistake";

  /** @param exitCode 2: the call was not understood. 1: it was, and cannot be done. */
  constructor(message: string, readonly exitCode: 1 | 2 = 2) {
    super(message);
  }
}

/** Makes the action of a subcommand, which prints the result of some work. */
export type Act = <Given extends unknown[]>(
  work: (place: Place, ...given: Given) => Promise<Result>,
) => (...given: Given) => Promise<void>;

/**
 * Adds a subcommand.
 *
 * @param usage its name and its arguments, such as `limit <account> <usd>`.
 * @param summary one line, perhaps followed by a paragraph that only the subcommand's own help shows.
 * @param examples calls after the name of the command that it belongs to, each with a comment.
 */
export function subcommand(
  parent: Command,
  usage: string,
  summary: string,
  examples: readonly string[] = [],
): Command {
  const prefix = ["deno task", ...parent.parent === null ? [] : [parent.name()]].join(" ");
  const lines = examples.map((line) => `\n  ${prefix} ${line}`);
  const [first = ""] = summary.split("\n");
  return parent.command(usage).summary(first).description(summary.replace("\n", "\n\n"))
    .option("--json", "print one JSON value")
    .addHelpText("after", lines.length === 0 ? "" : `\nExamples:${lines.join("")}`);
}

/** The option of each subcommand that changes an account or key. */
export const WHY = ["--why <text>", "the reason, for the audit log", readReason] as const;

/** The options of a subcommand that changes an account or key. */
export interface Why {
  readonly why?: string;
}

/** The origin of what a subcommand changes. */
export function originOf({ call, now, user }: Place, { why }: Why): Origin {
  return { at: now(), by: { command: call, user: user ?? null }, why: why ?? null };
}

function readReason(text: string): string {
  const fault = text === "" ? null : findReasonFault(text);
  if (fault !== null) throw new InvalidArgumentError(`The reason ${fault}.`);
  return text;
}

/** The time between two lines of progress, in milliseconds. */
const PROGRESS_MILLISECONDS = 200;

/**
 * Shows on a terminal how far a command is, on one line of standard error, which its end removes.
 *
 * @param all how many steps there are; null if that is not known.
 */
export function startProgress(all: number | null, what: string) {
  const isTerminal = Deno.stderr.isTerminal();
  const write = (text: string) =>
    void Deno.stderr.writeSync(new TextEncoder().encode(`\r\x1b[K${text}`));
  let [done, shownAt] = [0, -Infinity];
  return {
    step(): void {
      done++;
      if (!isTerminal || performance.now() - shownAt < PROGRESS_MILLISECONDS) return;
      shownAt = performance.now();
      write(`${done}${all === null ? "" : ` of ${all}`} ${what}`);
    },
    [Symbol.dispose](): void {
      if (isTerminal) write("");
    },
  };
}

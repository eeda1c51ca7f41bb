/** `deno task foyer`: everything that operators do, by subcommands. */

import { userInfo } from "node:os";
import { Command, CommanderError } from "commander";
import { InvalidValueError } from "../lib/accounts/account.ts";
import { redactKeys } from "../lib/accounts/key_text.ts";
import type { Installation } from "../lib/operate/doctor.ts";
import { loadConfig, readEnvironment } from "../lib/platform/config/config.ts";
import { openKv } from "../lib/platform/kv/open.ts";
import { addAccounts } from "./accounts.ts";
import { addAnalytics } from "./analytics.ts";
import { addBackup } from "./backup.ts";
import { addDoctor } from "./doctor.ts";
import { addEvents } from "./events.ts";
import { type Act, Mistake, type Result, type Workplace } from "./frame.ts";
import { addKeys } from "./keys.ts";
import { addRecord } from "./record.ts";
import { addRequests } from "./requests.ts";
import { addStatus } from "./status.ts";
import { addUsage } from "./usage.ts";
import { printable, toJson } from "./values.ts";

const ABOUT = `
The configuration is the service's: the environment, then .env. KV_PATH is the database.
\`deno task accounts …\` is short for \`deno task foyer accounts …\`, and so is each of the others.
Exit codes: 0 done, 1 could not be done, 2 call not understood.`;

/** Where the program writes: each function takes a text without its last line break. */
interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** The resources that the program opens when a subcommand needs them; not for help, nor for a call that is not understood. */
interface Means {
  readonly open: () => Promise<Workplace>;
  /** The installation that `doctor` examines: it must not fail where the configuration is wrong. */
  readonly installation: () => Installation;
}

/**
 * Runs a call: writes the result to `out`, and notes and mistakes to `err`.
 *
 * @returns the exit code: 0, 2 if the call was not understood, 1 if it could not be done.
 */
export async function runFoyer(
  args: readonly string[],
  { out, err }: Streams,
  { open, installation }: Means,
): Promise<number> {
  let exitCode = 0;
  const safe = (text: string) => text.split("\n").map(printable).join("\n");
  // The arguments may contain a whole key, whose secret must not reach a log.
  const tell = (text: string) => err(redactKeys(safe(text.trimEnd())));

  function print({ json, text, notes = [], exitCode: code = 0 }: Result, asJson: boolean): void {
    out(asJson ? JSON.stringify(toJson(json)) : safe(text));
    for (const note of notes) err(`Note: ${note}`);
    exitCode = code;
  }

  const act: Act = (work) => async (...given) => {
    // The library ends the arguments with the subcommand that was called.
    const called = given.at(-1) as unknown as Command;
    const parent = called.parent?.parent ? `${called.parent.name()} ` : "";
    const place = { ...await open(), call: `${parent}${called.name()}` };
    print(await work(place, ...given), isJson(called));
  };

  const foyer = new Command("deno task foyer")
    .description("Foyer for operators: accounts, keys, reports, and the care of an installation.")
    .addHelpText("after", ABOUT)
    .exitOverride()
    .configureOutput({ writeOut: (text) => out(text.trimEnd()), writeErr: tell });
  addAccounts(foyer, act);
  addKeys(foyer, act);
  addUsage(foyer, act);
  addRequests(foyer, act);
  addRecord(foyer, act);
  addEvents(foyer, act);
  addStatus(foyer, act);
  addDoctor(foyer, async (examine, called) => print(await examine(installation()), isJson(called)));
  addAnalytics(foyer, act);
  addBackup(foyer, act);

  try {
    await foyer.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (thrown) {
    // Its message is written already.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
    tell(`error: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    if (thrown instanceof InvalidValueError) return 2;
    return thrown instanceof Mistake ? thrown.exitCode : 1;
  }
}

const isJson = (called: Command) => called.opts<{ json?: true }>().json === true;

function openInstallation(): Installation {
  const environment = readEnvironment();
  // Deno looks for the token of a remote database in the environment only.
  const token = environment["DENO_KV_ACCESS_TOKEN"];
  if (token !== undefined) Deno.env.set("DENO_KV_ACCESS_TOKEN", token);
  return { environment, denoVersion: Deno.version.deno, openKv, fetch, now: Date.now };
}

async function openWorkplace({ err }: Streams): Promise<Workplace> {
  const config = loadConfig();
  if (config.KV_PATH === ":memory:") {
    err("Note: KV_PATH is :memory:, a database that is lost when this command ends.");
  }
  if (config.KV_PATH === undefined) {
    err(
      "Note: KV_PATH is not set, so this is Deno's default database for this folder; set " +
        "KV_PATH=.data/dev.sqlite3 for the database of `deno task dev`.",
    );
  }
  const kv = await openKv(config.KV_PATH);
  addEventListener("unload", () => kv.close());
  return { config, kv, now: Date.now, user: systemUser() };
}

/** The name of the system's user; undefined where the system has no entry for it, as in some containers. */
function systemUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

/** Writes lines to a stream until its reader closes it, as `| head` does. */
function lineWriter(stream: { writeSync(bytes: Uint8Array): number }): (text: string) => void {
  let isOpen = true;
  return (text) => {
    try {
      let rest = new TextEncoder().encode(`${text}\n`);
      while (isOpen && rest.length > 0) rest = rest.subarray(stream.writeSync(rest));
    } catch (error) {
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
      isOpen = false;
    }
  };
}

if (import.meta.main) {
  const streams = { out: lineWriter(Deno.stdout), err: lineWriter(Deno.stderr) };
  const means = { open: () => openWorkplace(streams), installation: openInstallation };
  // While a database does not respond, Deno retries for ever, which would keep the process alive.
  Deno.exit(await runFoyer(Deno.args, streams, means));
}

/** Runs a tool, and a process with it: streams, configuration, database and exit code. */

import { userInfo } from "node:os";
import { redactKeys } from "../lib/proxy/mod.ts";
import { loadConfig } from "../lib/platform/config/config.ts";
import { openKv } from "../lib/platform/kv/open.ts";
import { readArguments } from "./arguments.ts";
import { Mistake, type Streams, type Tool, type Workplace } from "./tool.ts";

/**
 * Runs a call of a tool: writes the result to `out`, and notes and mistakes to `err`.
 *
 * @param open opens the workplace; not called for help or for a call that is not understood.
 * @returns the exit code: 0, 2 if the call was not understood, 1 if it could not be done.
 */
export async function runTool<Place>(
  tool: Tool<Place>,
  args: readonly string[],
  { out, err }: Streams,
  open: () => Promise<Place>,
): Promise<number> {
  try {
    const asked = readArguments(tool, args);
    if (typeof asked === "string") {
      out(asked);
      return 0;
    }
    const { json, text, notes = [], exitCode = 0 } = await asked.command.run(
      asked.given,
      await open(),
    );
    out(asked.given.has("json") ? JSON.stringify(json) : text);
    for (const note of notes) err(`Note: ${note}`);
    return exitCode;
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    // The arguments may contain a whole key, and its secret must not reach a log.
    err(redactKeys(`${tool.name}: ${message}`));
    return thrown instanceof Mistake ? thrown.exitCode : 1;
  }
}

/** Runs a tool with the arguments of this process, and ends it with the exit code. */
export function runProcess(tool: Tool): Promise<never> {
  return runProcessWith(tool, openWorkplace);
}

/** The same for a tool with an environment of its own, which `open` opens. */
export async function runProcessWith<Place>(
  tool: Tool<Place>,
  open: (streams: Streams) => Promise<Place>,
): Promise<never> {
  const streams = { out: lineWriter(Deno.stdout), err: lineWriter(Deno.stderr) };
  // While a database does not respond, Deno retries for ever, which would keep the process alive.
  Deno.exit(await runTool(tool, Deno.args, streams, () => open(streams)));
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
  const write = (text: string) => void Deno.stderr.writeSync(new TextEncoder().encode(text));
  const terminal = Deno.stderr.isTerminal() ? write : undefined;
  return { config, kv, now: Date.now, user: systemUser(), terminal };
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

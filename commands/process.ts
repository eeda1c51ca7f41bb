/** A tool as a process: its streams, its configuration, its database and its exit code. */

import { loadConfig } from "../lib/config.ts";
import { openKv } from "../lib/kv/mod.ts";
import { runTool } from "./run_tool.ts";
import type { Tool } from "./tool.ts";

/** Runs a tool with the arguments of this process, and ends it with the exit code. */
export async function runProcess(tool: Tool): Promise<never> {
  // Deno asks a database that is silent without end, and the process would not end before.
  Deno.exit(await run(tool));
}

async function run(tool: Tool): Promise<number> {
  const streams = { out: lineWriter(Deno.stdout), err: lineWriter(Deno.stderr) };
  using resources = new DisposableStack();
  return await runTool(tool, Deno.args, streams, async () => {
    const config = loadConfig();
    if (config.KV_PATH === ":memory:") {
      streams.err("Note: KV_PATH is :memory:, a database that ends with this command.");
    }
    if (config.KV_PATH === undefined) {
      streams.err(
        "Note: KV_PATH is not set, so this is Deno's own database for this folder; the database of" +
          " `deno task dev` is KV_PATH=.data/dev.sqlite3.",
      );
    }
    const kv = resources.use(await openKv(config.KV_PATH));
    return { config, kv, now: Date.now };
  });
}

/** Writes lines to a stream until nobody reads it: `| head` closes it, and wants no complaint. */
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

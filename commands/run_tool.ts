/**
 * How a call of a tool runs: results on `out`, one sentence about a mistake on `err`, the exit code as the
 * result.
 */

import { redactKeys } from "../lib/accounts/mod.ts";
import { readArguments } from "./arguments.ts";
import { Mistake } from "./mistake.ts";
import type { Streams, Tool, Workplace } from "./tool.ts";

/**
 * Runs a call of a tool.
 *
 * @param open gives the workplace; not called for help and for calls that are not understood.
 * @returns the exit code: 0, 2 if the call was not understood, 1 if it could not be done.
 */
export async function runTool(
  tool: Tool,
  args: readonly string[],
  { out, err }: Streams,
  open: () => Promise<Workplace>,
): Promise<number> {
  try {
    const asked = readArguments(tool, args);
    if (asked.kind === "help") {
      out(asked.text);
      return 0;
    }
    const { json, text, notes = [] } = await asked.command.run(asked.given, await open());
    out(asked.given.has("json") ? JSON.stringify(json) : text);
    for (const note of notes) err(`Note: ${note}`);
    return 0;
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    // A whole key may have been given where an id belongs; its secret must not reach a log.
    err(redactKeys(`${tool.name}: ${message}`));
    return thrown instanceof Mistake ? thrown.exitCode : 1;
  }
}

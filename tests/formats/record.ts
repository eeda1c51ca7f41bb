/**
 * Records a database as this tree writes it, for later trees:
 *
 *     deno run -A --no-check tests/formats/record.ts <number of the format>
 *
 * Run it in a clean tree before a change that raises a number in `lib/platform/kv/formats.ts`. The clock is a test's,
 * and a dump is loaded without lifetimes, so nothing in it ever expires.
 */

import assert from "node:assert/strict";
import { recordDump } from "./scenario.ts";

const [format] = Deno.args;
assert.ok(format !== undefined, "name the number of the format: record.ts 1");
const git = new Deno.Command("git", { args: ["rev-parse", "--short", "HEAD"] });
const commit = new TextDecoder().decode((await git.output()).stdout).trim();
const { entries, ...head } = await recordDump(commit);
const lines = entries.map((entry) => `    ${JSON.stringify(entry)}`).join(",\n");
const text = JSON.stringify(head, null, 2).replace(
  /\n\}$/,
  `,\n  "entries": [\n${lines}\n  ]\n}\n`,
);
await Deno.writeTextFile(new URL(`./format_${format}.json`, import.meta.url), text);
// The stand-ins' pauses would delay the end of the process.
Deno.exit(0);

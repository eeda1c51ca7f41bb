/** `deno task backup`: copies the database while the service runs. */

import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { backUp, setBackupTime } from "../lib/operate/mod.ts";
import type { Config } from "../lib/platform/config/config.ts";
import { runProcess } from "./process.ts";
import { withProgress } from "./progress.ts";
import { Mistake, type Result, type Tool, type Workplace } from "./tool.ts";
import { formatCount, toIso } from "./values.ts";

/** The tool. */
export const tool: Tool = {
  name: "backup",
  summary:
    "Copies all data that cannot be made again into a new file, from a database file or a remote database;\n" +
    "processes may be using it meanwhile. `deno task restore` fills an empty database from the file.",
  parameters: ["FILE"],
  options: {
    snapshot: "copy the file of KV_PATH as it is, as an SQLite database",
  },
  examples: [
    ["backups/2026-11-21.gz", "copies the database of KV_PATH"],
    ["copy.gz --json", "with the audit: the values and the sums of amounts of each kind"],
    ["copy.sqlite3 --snapshot", "the fastest way for a database file"],
  ],
  async run(given, place) {
    const target = given.argument("FILE");
    if (exists(target)) throw new Mistake(`${target} exists already; name a new file`);
    const folder = dirname(target);
    if (!exists(folder)) throw new Mistake(`the folder ${folder} does not exist; create it first`);
    const file = given.has("snapshot") ? databaseFile(place.config) : null;
    const [first] = await Array.fromAsync(place.kv.list({ prefix: [] }, { limit: 1 }));
    // A mistyped path opens a new, empty database.
    if (first === undefined) {
      throw new Mistake(`${place.config.KV_PATH ?? "the database"} is empty; is KV_PATH right?`, 1);
    }
    return file === null ? await copyValues(place, target) : copyFile(file, target);
  },
};

async function copyValues({ kv, now, terminal }: Workplace, target: string): Promise<Result> {
  const part = `${target}.part`;
  if (exists(part)) Deno.removeSync(part);
  const { at, count, audit, digest } = await withProgress(
    terminal,
    (values) => `${formatCount(values, "value")} copied`,
    (report) => backUp(kv, part, now(), report),
  );
  Deno.renameSync(part, target);
  await setBackupTime(kv, at);
  const { size: bytes } = Deno.statSync(target);
  return {
    json: { file: target, bytes, values: count, audit, sha256: digest, at: toIso(at) },
    text: `Copied ${formatCount(count, "value")} to ${target} (${bytes} bytes). To restore them ` +
      `into an empty database: deno task restore ${target}`,
  };
}

/** One transaction reads everything (SQLite's VACUUM INTO), so the copy is consistent and compact. */
function copyFile(file: string, target: string): Result {
  const database = new DatabaseSync(file);
  try {
    database.prepare("VACUUM INTO ?").run(target);
  } finally {
    database.close();
  }
  const { size } = Deno.statSync(target);
  const text = `Copied ${size} bytes to ${target}. To restore: stop every process, replace the ` +
    "file of KV_PATH with the copy, and remove the files beside it that end in -wal and -shm.";
  return { json: { file: target, bytes: size }, text };
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function databaseFile({ KV_PATH: path }: Config): string {
  if (path !== undefined && path !== ":memory:" && !/^https?:/.test(path)) return path;
  const found = path ?? "not set";
  throw new Mistake(
    `KV_PATH is ${found}, and only a file can be copied as it is; leave out --snapshot`,
    1,
  );
}

if (import.meta.main) await runProcess(tool);

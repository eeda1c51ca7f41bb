/** `deno task backup`: copies the database file as of one moment, while the service runs. */

import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Config } from "../lib/config.ts";
import { runProcess } from "./process.ts";
import { type Command, Mistake, ONLY_COMMAND, type Tool } from "./tool.ts";

const backup: Command = {
  summary: "Copies the database file into a new file; processes may be using it meanwhile.",
  parameters: ["FILE"],
  examples: [
    ["backups/2026-11-21.sqlite3", "copies the file of KV_PATH"],
    ["copy.sqlite3 --json", "with the size of the copy in bytes"],
  ],
  async run(given, { config, kv }) {
    const target = given.argument("FILE");
    if (exists(target)) throw new Mistake(`${target} exists already; name a new file`);
    const folder = dirname(target);
    if (!exists(folder)) throw new Mistake(`the folder ${folder} does not exist; create it first`);
    const path = databaseFile(config);
    const [first] = await Array.fromAsync(kv.list({ prefix: [] }, { limit: 1 }));
    // A mistyped path opens a new, empty database.
    if (first === undefined) throw new Mistake(`${path} is empty; is KV_PATH right?`, 1);
    copyDatabase(path, target);
    const { size } = Deno.statSync(target);
    const text = `Copied ${size} bytes to ${target}. To restore: stop every process, replace the ` +
      "file of KV_PATH with the copy, and remove the files beside it that end in -wal and -shm.";
    return { json: { file: target, bytes: size }, text };
  },
};

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function databaseFile({ KV_PATH: path }: Config): string {
  if (path !== undefined && path !== ":memory:" && !/^https?:/.test(path)) return path;
  const found = path ?? "not set";
  throw new Mistake(
    `KV_PATH is ${found}, and only a file can be copied; a remote KV has its own backups`,
    1,
  );
}

/** One transaction reads everything (SQLite's VACUUM INTO), so the copy is consistent and compact. */
function copyDatabase(path: string, target: string): void {
  const database = new DatabaseSync(path);
  try {
    database.prepare("VACUUM INTO ?").run(target);
  } finally {
    database.close();
  }
}

/** The tool. */
export const tool: Tool = {
  name: "backup",
  summary: "Backups of the database file.",
  commands: { [ONLY_COMMAND]: backup },
};

if (import.meta.main) await runProcess(tool);

/** `deno task backup`: a copy of the database file as it is at one moment, while the service runs. */

import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Config } from "../lib/config.ts";
import { Mistake } from "./mistake.ts";
import { runProcess } from "./process.ts";
import { type Command, ONLY_COMMAND, type Tool } from "./tool.ts";

const backup: Command = {
  summary: "Copies the database file, while processes may be using it, into a new file.",
  parameters: ["FILE"],
  options: {},
  examples: [
    ["backups/2026-11-21.sqlite3", "the file of KV_PATH as it is now"],
    ["copy.sqlite3 --json", "with the size of the copy in bytes"],
  ],
  async run(given, { config, kv }) {
    const target = given.argument("FILE");
    if (exists(target)) throw new Mistake(`${target} exists; name a file that does not`);
    const folder = dirname(target);
    if (!exists(folder)) throw new Mistake(`the folder ${folder} does not exist; make it first`);
    const path = databaseFile(config);
    const [first] = await Array.fromAsync(kv.list({ prefix: [] }, { limit: 1 }));
    // A path with a slip in it is a new and empty database.
    if (first === undefined) throw new Mistake(`${path} holds nothing; is KV_PATH right?`, 1);
    copyDatabase(path, target);
    const { size } = Deno.statSync(target);
    const text = `Copied ${size} bytes to ${target}. To restore, stop every process, put the copy` +
      " in the place of KV_PATH, and remove the files beside it that end in -wal and -shm.";
    return { json: { file: target, bytes: size }, text };
  },
};

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function databaseFile({ KV_PATH: path }: Config): string {
  if (path !== undefined && path !== ":memory:" && !/^https?:/.test(path)) return path;
  throw new Mistake(
    `KV_PATH is ${
      path ?? "not set"
    }, and only a file can be copied; a remote KV has its own backups`,
    1,
  );
}

/** One transaction reads everything (SQLite's VACUUM INTO), so the copy is whole and compact. */
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

/** `foyer backup`: copies the database while the service runs. */

import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import type { Command } from "commander";
import { backUp, type Contents, setBackupTime } from "../lib/operate/mod.ts";
import { type Act, Mistake, type Place, type Result, subcommand } from "./frame.ts";
import { formatCount, toIso } from "./values.ts";

/** Adds the subcommand. */
export function addBackup(foyer: Command, act: Act): void {
  subcommand(
    foyer,
    "backup <file>",
    "Copy all data that cannot be made again into a new file, while the service runs",
    [["backup backups/2026-11-21.gz", "copies the database of KV_PATH; `restore` reads the file"]],
  ).action(act(backup));
}

async function backup({ kv, now, config }: Place, target: string): Promise<Result> {
  if (exists(target)) throw new Mistake(`${target} exists already; name a new file`);
  const folder = dirname(target);
  if (!exists(folder)) throw new Mistake(`the folder ${folder} does not exist; create it first`);
  const [first] = await Array.fromAsync(kv.list({ prefix: [] }, { limit: 1 }));
  // A mistyped path opens a new, empty database.
  if (first === undefined) {
    throw new Mistake(`${config.KV_PATH ?? "the database"} is empty; is KV_PATH right?`, 1);
  }
  const part = `${target}.part`;
  if (exists(part)) Deno.removeSync(part);
  const at = now();
  const contents = await backUp(kv, part, at);
  Deno.renameSync(part, target);
  await setBackupTime(kv, at);
  const { size: bytes } = Deno.statSync(target);
  return {
    json: { file: target, bytes, ...contents, at: toIso(at) },
    text: `Copied ${contentsInWords(contents)} to ${target} (${formatBytes(bytes)}).\n` +
      `To restore them into an empty database: deno task restore ${target}`,
  };
}

/** What a backup has, for people: "2 accounts, 2 keys, 3 usage records and the sums of 4 days". */
export function contentsInWords(
  { accounts, keys, records, days }: Contents,
): string {
  return `${formatCount(accounts, "account")}, ${formatCount(keys, "key")}, ` +
    `${formatCount(records, "usage record")} and the sums of ${formatCount(days, "day")}`;
}

function formatBytes(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

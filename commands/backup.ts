/** `foyer backup` and `foyer restore`: copies the database while the service runs, and fills an empty one from a copy. */

import { existsSync, lstatSync } from "node:fs";
import { dirname } from "node:path";
import type { Command } from "commander";
import { hasAccount } from "../lib/accounts/durable_database.ts";
import { differencesInWords } from "../lib/operate/reconcile.ts";
import { backUp, type Contents, setBackupTime } from "../lib/operate/backup/backup.ts";
import { BackupFileError } from "../lib/operate/backup/file.ts";
import { NotEmptyError, restore } from "../lib/operate/backup/restore.ts";
import { openKv } from "../lib/platform/kv/open.ts";
import { counted } from "../lib/platform/text.ts";
import { reportAudit } from "./accounts.ts";
import { type Act, Mistake, type Place, type Result, startProgress, subcommand } from "./frame.ts";
import { formatMoment } from "./values.ts";

/** Adds the subcommands. */
export function addBackup(foyer: Command, act: Act): void {
  subcommand(
    foyer,
    "backup <file>",
    "Copy all data that cannot be made again into a new file, while the service runs",
    ["backup backups/2026-11-21.gz  # copies the database of KV_PATH; `restore` reads the file"],
  ).action(act(copy));
  subcommand(
    foyer,
    "restore <file>",
    "Fill the database of KV_PATH, which must be empty, from a backup\n" +
      "The whole file is checked before anything is written, and at the end the sums of all accounts are " +
      "compared with their records. If it is interrupted, run it again.",
    [
      "restore backups/2026-11-21.gz  # as of the backup; lists what to repeat by hand",
      "restore copy.gz --against old.sqlite3  # accounts and keys as in old.sqlite3; `record --since` lists what has changed since",
    ],
  )
    .option(
      "--against <old>",
      "the old database, written as in KV_PATH; it gives the accounts, keys, bans and deletions",
    )
    .action(act(fill));
}

async function copy({ kv, now, config }: Place, target: string): Promise<Result> {
  if (exists(target)) throw new Mistake(`${target} exists already; name a new file`);
  const folder = dirname(target);
  if (!existsSync(folder)) {
    throw new Mistake(`the folder ${folder} does not exist; create it first`);
  }
  const [first] = await Array.fromAsync(kv.list({ prefix: [] }, { limit: 1 }));
  // A mistyped path opens a new, empty database.
  if (first === undefined) {
    throw new Mistake(`${config.KV_PATH ?? "the database"} is empty; is KV_PATH right?`, 1);
  }
  const part = `${target}.part`;
  if (exists(part)) Deno.removeSync(part);
  const at = now();
  using progress = startProgress(null, "values");
  const contents = await backUp(kv, part, at, progress.step);
  Deno.renameSync(part, target);
  await setBackupTime(kv, at);
  const { size: bytes } = Deno.statSync(target);
  return {
    json: { file: target, bytes, ...contents, at },
    text: `Copied ${contentsInWords(contents)} to ${target} (${formatBytes(bytes)}).\n` +
      `To restore them into an empty database: deno task restore ${target}`,
  };
}

/** The contents of a backup: "2 accounts, 2 keys, 3 usage records and the sums of 4 days". */
function contentsInWords({ accounts, keys, records, days }: Contents): string {
  return `${counted(accounts, "account")}, ${counted(keys, "key")}, ` +
    `${counted(records, "usage record")} and the sums of ${counted(days, "day")}`;
}

function formatBytes(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

async function fill(
  { kv, now }: Place,
  path: string,
  { against }: { against?: string },
): Promise<Result> {
  // A mistyped path would open a new, empty database.
  if (against !== undefined && !/^https?:/.test(against) && !existsSync(against)) {
    throw new Mistake(`--against: there is no file ${against}`);
  }
  using newer = against === undefined ? null : await openKv(against);
  if (newer !== null && !await hasAccount(newer)) {
    throw new Mistake(`--against: ${against} has no accounts; is it the old database?`, 1);
  }
  using progress = startProgress(null, "values");
  const options = { newer, now: now(), step: progress.step };
  const { at, contents, corrected } = await restore(kv, path, options).catch((error) => {
    if (error instanceof BackupFileError) throw new Mistake(error.message, 1);
    if (error instanceof NotEmptyError) {
      throw new Mistake(`the database of KV_PATH cannot be filled: ${error.message}`, 1);
    }
    if (error instanceof Deno.errors.NotFound) throw new Mistake(`there is no file ${path}`);
    throw error;
  });
  const audit = await reportAudit(kv, now());
  const moment = formatMoment(at);
  return {
    ...audit,
    json: {
      ...contents,
      backupAt: at,
      corrected: corrected.map(({ accountId, day }) => ({ accountId, day })),
      audit: audit.json,
    },
    text: [
      `Restored ${contentsInWords(contents)}, as of ${moment}.`,
      ...corrected.length === 0 ? [] : [
        "Sums that were copied at another moment than their records were corrected:",
        ...differencesInWords(corrected),
      ],
      audit.text,
    ].join("\n"),
    notes: newer === null ? repeatByHand(moment) : [],
  };
}

/** The changes after the backup, which it cannot have. */
function repeatByHand(moment: string): string[] {
  return [
    `changes after ${moment} are lost. With the old database, restore with --against; without it, repeat by hand:`,
    "revoke the keys that were revoked or reported as leaked since: they work again.",
    "ban the accounts that were banned, and unverify those that were unverified: they are admitted again.",
    "tell members who deleted their account that it exists again: they sign in and delete it.",
    "set the limits of accounts and keys, and the endpoints of keys, that were changed.",
    "create the accounts and keys that were created: their keys are refused.",
  ];
}

/** Whether anything is at a path, a broken symbolic link too. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** `deno task restore`: fills an empty database from a backup. */

import { existsSync } from "node:fs";
import { BackupFileError, NotEmptyError, restore } from "../lib/backup/mod.ts";
import { openKv } from "../lib/kv/mod.ts";
import { differenceInWords, toDifferenceJson } from "./audit.ts";
import { runProcess } from "./process.ts";
import { withProgress } from "./progress.ts";
import { Mistake, type Tool } from "./tool.ts";
import { formatCount, formatMoment, toIso } from "./values.ts";

/** The tool. */
export const tool: Tool = {
  name: "restore",
  summary:
    "Fills the database of KV_PATH from a backup. The database must have no accounts and no books.\n" +
    "The whole file is checked before anything is written. If it is interrupted, run it again.",
  parameters: ["FILE"],
  options: {
    "against KV":
      "a newer database, as KV_PATH names one: its accounts and keys replace those of the backup",
  },
  examples: [
    [
      "backups/2026-11-21.gz",
      "changes after the backup are lost, and keys revoked since then work again",
    ],
    [
      "copy.gz --against old.sqlite3",
      "keys and bans are those of old.sqlite3; prints the differences",
    ],
  ],
  async run(given, { kv, terminal, now }) {
    const path = given.argument("FILE");
    const against = given.option("against");
    // A mistyped path would open a new, empty database.
    if (against !== null && !/^https?:/.test(against) && !existsSync(against)) {
      throw new Mistake(`--against: there is no file ${against}`);
    }
    using newer = against === null ? null : await openKv(against);
    const { backup, corrected, changes } = await withProgress(
      terminal,
      (values) => `${formatCount(values, "value")} restored`,
      (onProgress) => restore(kv, path, { newer, now: now(), onProgress }),
    ).catch((error) => {
      if (error instanceof BackupFileError) throw new Mistake(error.message, 1);
      if (error instanceof NotEmptyError) {
        throw new Mistake(`the database of KV_PATH cannot be filled: ${error.message}`, 1);
      }
      if (error instanceof Deno.errors.NotFound) throw new Mistake(`there is no file ${path}`);
      throw error;
    });
    return {
      json: {
        values: backup.count,
        backupAt: toIso(backup.at),
        corrected: corrected.map(toDifferenceJson),
        changes,
      },
      text: [
        `Restored ${formatCount(backup.count, "value")} of ${formatMoment(backup.at)}.`,
        ...corrected.map((each) => `Corrected: ${differenceInWords(each)}`),
        ...(changes ?? []).map(({ kind, id, what }) =>
          `Since the backup: the ${kind} ${id} was ${what}.`
        ),
      ].join("\n"),
      notes: changes === null
        ? [
          `keys that were revoked and accounts that were banned after ${formatMoment(backup.at)} ` +
          "work again; revoke and ban them now, or restore with --against if you have the old database",
        ]
        : [],
    };
  },
};

if (import.meta.main) await runProcess(tool);

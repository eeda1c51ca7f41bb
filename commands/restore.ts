/** `deno task restore`: fills an empty database from a backup. */

import { existsSync } from "node:fs";
import { hasAccount } from "../lib/proxy/mod.ts";
import { BackupFileError, NotEmptyError, restore } from "../lib/operate/mod.ts";
import { openKv } from "../lib/platform/kv/open.ts";
import { differenceInWords, toDifferenceJson } from "./audit.ts";
import { runProcess } from "./process.ts";
import { withProgress } from "./progress.ts";
import { Mistake, type Tool } from "./tool.ts";
import { formatCount, formatMoment, toIso } from "./values.ts";

/** The tool. */
export const tool: Tool = {
  name: "restore",
  summary:
    "Fills the database of KV_PATH, which must be empty, from a backup. The whole file is checked before\n" +
    "anything is written. If it is interrupted, run it again.",
  parameters: ["FILE"],
  options: {
    "against OLD":
      "the database before the loss, as KV_PATH names one: accounts, keys, bans and deletions are taken from it",
  },
  examples: [
    ["backups/2026-11-21.gz", "as of the backup; lists what to repeat by hand"],
    [
      "copy.gz --against old.sqlite3",
      "accounts and keys as in old.sqlite3; prints what differs from the backup",
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
    if (newer !== null && !await hasAccount(newer)) {
      throw new Mistake(`--against: ${against} has no accounts; is it the old database?`, 1);
    }
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
      notes: changes === null ? repeatByHand(formatMoment(backup.at)) : [],
    };
  },
};

/** What the backup cannot know, because it happened after it. */
function repeatByHand(at: string): string[] {
  return [
    `changes after ${at} are lost. With the old database, restore with --against; without it, repeat by hand:`,
    "revoke the keys that were revoked or reported as leaked since: they work again.",
    "ban the accounts that were banned, and unverify those that were unverified: they are admitted again.",
    "tell members who deleted their account that it exists again: they sign in and delete it.",
    "set the limits of accounts and keys, and the endpoints of keys, that were changed.",
    "create the accounts and keys that were created: their keys are refused.",
  ];
}

if (import.meta.main) await runProcess(tool);

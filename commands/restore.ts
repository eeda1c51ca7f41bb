/** `foyer restore`: fills an empty database from a backup. */

import { existsSync } from "node:fs";
import type { Command } from "commander";
import { hasAccount } from "../lib/proxy/mod.ts";
import { BackupFileError, NotEmptyError, restore } from "../lib/operate/mod.ts";
import { openKv } from "../lib/platform/kv/open.ts";
import { contentsInWords } from "./backup.ts";
import { type Act, Mistake, type Place, type Result, subcommand } from "./frame.ts";
import { withProgress } from "./progress.ts";
import { differenceInWords, formatCount, formatMoment, toDifferenceJson, toIso } from "./values.ts";

/** Adds the subcommand. */
export function addRestore(foyer: Command, act: Act): void {
  subcommand(
    foyer,
    "restore <file>",
    "Fill the database of KV_PATH, which must be empty, from a backup\n" +
      "The whole file is checked before anything is written. If it is interrupted, run it again.",
    [
      ["restore backups/2026-11-21.gz", "as of the backup; lists what to repeat by hand"],
      [
        "restore copy.gz --against old.sqlite3",
        "accounts and keys as in old.sqlite3; prints what differs from the backup",
      ],
    ],
  )
    .option(
      "--against <old>",
      "the database before the loss, as KV_PATH names one: accounts, keys, bans and deletions are taken from it",
    )
    .action(act(fill));
}

async function fill(
  { kv, terminal, now }: Place,
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
      ...backup.contents,
      backupAt: toIso(backup.at),
      corrected: corrected.map(toDifferenceJson),
      changes,
    },
    text: [
      `Restored ${contentsInWords(backup.contents)}, as of ${formatMoment(backup.at)}.`,
      ...corrected.map((each) => `Corrected: ${differenceInWords(each)}`),
      ...(changes ?? []).map(({ kind, id, what }) =>
        `Since the backup: the ${kind} ${id} was ${what}.`
      ),
    ].join("\n"),
    notes: changes === null ? repeatByHand(formatMoment(backup.at)) : [],
  };
}

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

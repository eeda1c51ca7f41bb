/** `foyer restore`: fills an empty database from a backup. */

import { existsSync } from "node:fs";
import type { Command } from "commander";
import { hasAccount } from "../lib/proxy/mod.ts";
import { BackupFileError, NotEmptyError, restore } from "../lib/operate/mod.ts";
import { openKv } from "../lib/platform/kv/open.ts";
import { auditBooks } from "./accounts.ts";
import { contentsInWords } from "./backup.ts";
import { type Act, Mistake, type Place, type Result, subcommand } from "./frame.ts";
import { formatMoment, toIso } from "./values.ts";

/** Adds the subcommand. */
export function addRestore(foyer: Command, act: Act): void {
  subcommand(
    foyer,
    "restore <file>",
    "Fill the database of KV_PATH, which must be empty, from a backup\n" +
      "The whole file is checked before anything is written, and at the end the sums of all accounts are\n" +
      "compared with their records. If it is interrupted, run it again.",
    [
      ["restore backups/2026-11-21.gz", "as of the backup; lists what to repeat by hand"],
      [
        "restore copy.gz --against old.sqlite3",
        "accounts and keys as in old.sqlite3; `record --since` lists what has changed since",
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
  const backup = await restore(kv, path, { newer, now: now() }).catch((error) => {
    if (error instanceof BackupFileError) throw new Mistake(error.message, 1);
    if (error instanceof NotEmptyError) {
      throw new Mistake(`the database of KV_PATH cannot be filled: ${error.message}`, 1);
    }
    if (error instanceof Deno.errors.NotFound) throw new Mistake(`there is no file ${path}`);
    throw error;
  });
  const audit = await auditBooks(kv, now());
  const at = formatMoment(backup.at);
  return {
    ...audit,
    json: { ...backup.contents, backupAt: toIso(backup.at), audit: audit.json },
    text: `Restored ${contentsInWords(backup.contents)}, as of ${at}.\n${audit.text}`,
    notes: newer === null ? repeatByHand(at) : [],
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

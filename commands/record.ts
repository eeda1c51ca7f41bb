/** `foyer record`: the changes of accounts and keys. */

import type { Command } from "commander";
import { describeAuditEntry } from "../lib/operate/describe_audit_entry.ts";
import { listAuditEntries, listAuditLog } from "../lib/accounts/audit_log.ts";
import { BOOK_DAYS } from "../lib/proxy/ledger/retention.ts";
import { findAccount } from "./find.ts";
import { type Act, type Place, type Result, subcommand } from "./frame.ts";
import { formatMoment, readTime, table } from "./values.ts";

/** Adds the subcommand. */
export function addRecord(foyer: Command, act: Act): void {
  subcommand(
    foyer,
    "record",
    "List the changes of accounts and keys, the newest first: when, by whom, what and why\n" +
      `They are kept for ${BOOK_DAYS} days. A deletion of an account removes the reasons.`,
    [
      "record --since 7d  # of all accounts",
      "record --account 'Ada' --json | jq '.[] | .what'  # of one",
    ],
  )
    .option("--account <account>", "only this account and its keys, by id or name")
    .option("--since <when>", "only from then on: 12h, 30d, or a date (00:00 UTC)")
    .action(act(record));
}

async function record(
  { kv, now }: Place,
  { account, since }: { account?: string; since?: string },
): Promise<Result> {
  const from = since === undefined ? 0 : readTime(since, now(), "past");
  const id = account === undefined ? null : (await findAccount(kv, account)).id;
  const all = id === null
    ? await Array.fromAsync(listAuditLog(kv, from))
    : (await Array.fromAsync(listAuditEntries(kv, id))).filter(({ at }) => at >= from)
      .map((change) => ({ ...change, accountId: id })).reverse();
  return {
    json: all.map(({ keyId = null, why = null, ...change }) => ({ keyId, why, ...change })),
    text: all.length === 0 ? "No changes." : table([
      ["TIME", "ACCOUNT", "KEY", "WHAT", "BEFORE AND AFTER", "BY", "WHY"],
      ...all.map((change) => {
        const { accountId, keyId = "-", why } = change;
        const { what, values, by } = describeAuditEntry(change);
        return [formatMoment(change.at), accountId, keyId, what, values || "-", by, why ?? ""];
      }),
    ]),
  };
}

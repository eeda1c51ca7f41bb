/** `foyer requests`: an account's latest requests, and why some of them were refused. */

import type { Command } from "commander";
import { listKeys } from "../lib/accounts/key.ts";
import { listLatestUsage } from "../lib/proxy/ledger/read.ts";
import { USAGE_DAYS } from "../lib/proxy/ledger/transitions.ts";
import type { UsageRecord } from "../lib/proxy/ledger/values.ts";
import {
  type Refusal,
  REFUSAL_DAYS,
  refusalInWords,
  statusOfCode,
} from "../lib/proxy/records/refusal.ts";
import { listRefusals } from "../lib/proxy/records/refusals.ts";
import { exactUsd } from "../lib/platform/money.ts";
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from "../lib/platform/time.ts";
import { counted } from "../lib/platform/text.ts";
import { findAccount } from "./find.ts";
import { type Act, Mistake, type Place, type Result, subcommand } from "./frame.ts";
import { formatMoment, readDuration, table } from "./values.ts";

const MAX_REQUESTS = 1_000;

/** Adds the subcommand. */
export function addRequests(foyer: Command, act: Act): void {
  subcommand(
    foyer,
    "requests",
    "List an account's requests, the oldest first, also those that Foyer refused, with the reason\n" +
      `Refused requests cost nothing and are kept for ${REFUSAL_DAYS} days. Equal ones of a day share a line, with their ` +
      "number and the time of the last.",
    [
      "requests --account acc_5vKkU1GmWq2c  # what happened in the last hour",
      "requests --account 'Ada' --since 14d --refused  # why Ada's requests were refused",
      "requests --account acc_5vKkU1GmWq2c --json | jq .refused  # for a program",
    ],
  )
    .requiredOption("--account <account>", "whose requests, by id or name")
    .option(
      "--since <duration>",
      "how far back, such as 30m, 12h or 14d (default: 1h)",
      readDuration,
    )
    .option("--refused", "only those that were refused")
    .action(act(requests));
}

async function requests(
  { kv, now }: Place,
  options: { account: string; since?: number; refused?: true },
): Promise<Result> {
  const at = now();
  const since = at - (options.since ?? HOUR_MILLISECONDS);
  const { id, name } = await findAccount(kv, options.account);
  const names = new Map((await listKeys(kv, id)).map(({ id, label }) => [id, label]));
  if (options.refused !== true && at - since > USAGE_DAYS * DAY_MILLISECONDS) {
    throw new Mistake(
      `--since reaches too far back; usage records are kept for ${USAGE_DAYS} days`,
    );
  }
  const charged = options.refused === true
    ? []
    : await listLatestUsage(kv, id, { since, count: MAX_REQUESTS });
  const refused = (await listRefusals(kv, id, at)).filter(({ lastAt }) => lastAt >= since);
  return {
    json: {
      account: id,
      name,
      since,
      requests: charged.map(({ accountId: _account, cost, ...record }) => ({
        ...record,
        keyName: names.get(record.keyId) ?? null,
        costUsd: cost,
        costNanoUsd: String(cost),
      })),
      refused: refused.map(({ accountId: _account, ...refusal }) => ({
        ...refusal,
        keyName: refusal.keyId === null ? null : names.get(refusal.keyId) ?? null,
        status: Number(statusOfCode(refusal.code)) || null,
        message: refusalInWords(refusal),
      })),
    },
    text: charged.length + refused.length === 0
      ? `No requests since ${formatMoment(since)}.`
      : render(charged, refused, names),
    notes: charged.length < MAX_REQUESTS
      ? []
      : [`only the latest ${MAX_REQUESTS} charged requests are listed.`],
  };
}

/** @param names of keys by id; null for a key without one. */
function render(
  charged: readonly UsageRecord[],
  refused: readonly Refusal[],
  names: ReadonlyMap<string, string | null>,
): string {
  const keyOf = (keyId: string | null) => keyId === null ? "(several)" : names.get(keyId) ?? keyId;
  const rows = [
    ...charged.map(({ at, endpoint, keyId, status, cost, durationMs, reason = "" }) =>
      [at, endpoint, keyOf(keyId), status, exactUsd(cost), durationMs, reason] as const
    ),
    ...refused.map((refusal) => {
      const { lastAt, endpoint, keyId, code, requests } = refusal;
      const times = requests === 1 ? "" : `${counted(requests, "time")}: `;
      const why = times + refusalInWords(refusal);
      const status = statusOfCode(code);
      return [lastAt, endpoint ?? "(several)", keyOf(keyId), status, null, null, why] as const;
    }),
  ].sort(([a], [b]) => a - b);
  return table([
    ["TIME (UTC)", "ENDPOINT", "KEY", "STATUS", "COST", "MS", "WHY"],
    ...rows.map(([at, ...cells]) => [
      new Date(at).toISOString().slice(0, 19).replace("T", " "),
      ...cells.map((cell) => String(cell ?? "-")),
    ]),
  ]);
}

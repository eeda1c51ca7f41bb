/** `foyer requests`: an account's latest requests, and why some of them were refused. */

import type { Command } from "commander";
import {
  listKeys,
  listLatestUsage,
  listRefusals,
  type Refusal,
  REFUSAL_DAYS,
  refusalInWords,
  statusOfCode,
  USAGE_DAYS,
  type UsageRecord,
} from "../lib/proxy/mod.ts";
import { exactUsd } from "../lib/platform/money.ts";
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from "../lib/platform/time.ts";
import { findAccount } from "./find.ts";
import { type Act, Mistake, type Place, type Result, subcommand, type Workplace } from "./frame.ts";
import { formatCount, formatMoment, readDuration, table } from "./values.ts";

const MAX_REQUESTS = 1_000;

/** Adds the subcommand. */
export function addRequests(foyer: Command, act: Act): void {
  subcommand(
    foyer,
    "requests",
    "List an account's requests, the oldest first, also those that Foyer refused, with the reason\n" +
      `Refused ones cost nothing and are kept for ${REFUSAL_DAYS} days; alike ones of an hour are one line, with their\n` +
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
  place: Place,
  options: { account: string; since?: number; refused?: true },
): Promise<Result> {
  const since = place.now() - (options.since ?? HOUR_MILLISECONDS);
  const { id, name } = await findAccount(place.kv, options.account);
  const keys = await listKeys(place.kv, id);
  const names = new Map(keys.map(({ id, label }) => [id, label]));
  const charged = options.refused === true ? [] : await listCharged(place, id, since);
  const refused = (await listRefusals(place.kv, id, place.now()))
    .filter(({ lastAt }) => lastAt >= since);
  return {
    json: {
      account: id,
      name,
      since,
      requests: charged.map((record) => toRequestJson(record, names)),
      refused: refused.map((refusal) => toRefusalJson(refusal, names)),
    },
    text: charged.length + refused.length === 0
      ? `No requests since ${formatMoment(since)}.`
      : render(charged, refused, names),
    notes: charged.length < MAX_REQUESTS
      ? []
      : [`only the latest ${MAX_REQUESTS} charged requests are listed.`],
  };
}

/** The charged requests, the latest first. */
async function listCharged(
  { kv, now }: Workplace,
  accountId: string,
  since: number,
): Promise<UsageRecord[]> {
  if (now() - since > USAGE_DAYS * DAY_MILLISECONDS) {
    throw new Mistake(
      `--since reaches too far back; usage records are kept for ${USAGE_DAYS} days`,
    );
  }
  return await listLatestUsage(kv, accountId, { since, count: MAX_REQUESTS });
}

/** Names of keys by id; null for a key without one. */
type KeyNames = ReadonlyMap<string, string | null>;

function toRequestJson({ accountId: _account, cost, ...record }: UsageRecord, names: KeyNames) {
  const keyName = names.get(record.keyId) ?? null;
  return { ...record, keyName, costUsd: cost, costNanoUsd: String(cost) };
}

function toRefusalJson({ accountId: _account, ...rest }: Refusal, names: KeyNames) {
  const { keyId, code } = rest;
  const keyName = keyId === null ? null : names.get(keyId) ?? null;
  const status = Number(statusOfCode(code)) || null;
  return { ...rest, keyName, status, message: refusalInWords(rest) };
}

function render(
  charged: readonly UsageRecord[],
  refused: readonly Refusal[],
  names: KeyNames,
): string {
  const keyOf = (keyId: string | null) => keyId === null ? "(several)" : names.get(keyId) ?? keyId;
  const rows = [
    ...charged.map(({ at, endpoint, keyId, status, cost, durationMs }) => ({
      at,
      cells: [
        endpoint,
        keyOf(keyId),
        String(status ?? "-"),
        exactUsd(cost),
        String(durationMs ?? "-"),
        "",
      ],
    })),
    ...refused.map((refusal) => ({
      at: refusal.lastAt,
      cells: [
        refusal.endpoint ?? "(several)",
        keyOf(refusal.keyId),
        statusOfCode(refusal.code) ?? "-",
        "-",
        "-",
        timesOf(refusal) + refusalInWords(refusal),
      ],
    })),
  ].sort((a, b) => a.at - b.at);
  return table([
    ["TIME (UTC)", "ENDPOINT", "KEY", "STATUS", "COST", "MS", "WHY REFUSED"],
    ...rows.map(({ at, cells }) => [formatSecond(at), ...cells]),
  ]);
}

function timesOf({ requests }: Refusal): string {
  return requests === 1 ? "" : `${formatCount(requests, "time")}: `;
}

function formatSecond(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}

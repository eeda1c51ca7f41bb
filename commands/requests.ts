/** `deno task requests`: an account's latest requests, and why some of them were refused. */

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
import { formatUsd, toUsd } from "../lib/platform/money.ts";
import { DAY_MILLISECONDS } from "../lib/platform/time.ts";
import { findAccount } from "./find.ts";
import { runProcess } from "./process.ts";
import { Mistake, type Tool, type Workplace } from "./tool.ts";
import { alignColumns, formatCount, printable, readDuration, toIso } from "./values.ts";

const MAX_REQUESTS = 1_000;

/** The tool. */
export const tool: Tool = {
  name: "requests",
  summary:
    "Lists an account's requests, the oldest first: those that were charged, and those that Foyer refused,\n" +
    `with the reason. Refused ones cost nothing, are kept for ${REFUSAL_DAYS} days, and arrive within seconds;\n` +
    "those of an hour that are alike are one line, with their number and the time of the last. If there are\n" +
    "too many kinds, only the codes of some are kept, and those of a day are one line.",
  options: {
    "account ID|NAME": "whose requests; required",
    "since DURATION": "how far back, such as 30m, 12h or 14d (default: 1h)",
    refused: "only those that were refused",
  },
  examples: [
    ["--account acc_5vKkU1GmWq2c --since 1h", "what happened in the last hour"],
    ["--account 'Ada' --since 14d --refused", "why Ada's requests were refused"],
    ["--account acc_5vKkU1GmWq2c --json | jq .refused", "for a program"],
  ],
  async run(given, place) {
    const named = given.option("account");
    if (named === null) throw new Mistake("--account is missing; write --account ID|NAME");
    const since = place.now() - readDuration(given.option("since") ?? "1h");
    const { id, name } = await findAccount(place.kv, named);
    const keys = await listKeys(place.kv, id);
    const names = new Map(keys.map(({ id, label }) => [id, label]));
    const charged = given.has("refused") ? [] : await listCharged(place, id, since);
    const refused = (await listRefusals(place.kv, id, place.now()))
      .filter(({ lastAt }) => lastAt >= since);
    return {
      json: {
        account: id,
        name,
        since: toIso(since),
        requests: charged.map((record) => toRequestJson(record, names)),
        refused: refused.map((refusal) => toRefusalJson(refusal, names)),
      },
      text: charged.length + refused.length === 0
        ? `No requests since ${toIso(since)}.`
        : render(charged, refused, names),
      notes: charged.length < MAX_REQUESTS
        ? []
        : [`only the latest ${MAX_REQUESTS} charged requests are listed.`],
    };
  },
};

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

function toRequestJson(
  { accountId: _account, at, keyId, cost, ...rest }: UsageRecord,
  names: KeyNames,
) {
  return {
    at: toIso(at),
    keyId,
    keyName: names.get(keyId) ?? null,
    costUsd: toUsd(cost),
    costNanoUsd: String(cost),
    ...rest,
  };
}

function toRefusalJson(refusal: Refusal, names: KeyNames) {
  const { keyId, firstAt, lastAt, endpoint, code, reason, field, requests } = refusal;
  const status = statusOfCode(code);
  return {
    firstAt: toIso(firstAt),
    lastAt: toIso(lastAt),
    requests,
    keyId,
    keyName: keyId === null ? null : names.get(keyId) ?? null,
    endpoint,
    status: status === null ? null : Number(status),
    code,
    reason,
    field,
    message: refusalInWords(refusal),
  };
}

function render(
  charged: readonly UsageRecord[],
  refused: readonly Refusal[],
  names: KeyNames,
): string {
  const keyOf = (keyId: string | null) =>
    keyId === null ? "(several)" : printable(names.get(keyId) ?? keyId);
  const rows = [
    ...charged.map(({ at, endpoint, keyId, status, cost, durationMs }) => ({
      at,
      cells: [
        endpoint,
        keyOf(keyId),
        String(status ?? "-"),
        formatUsd(cost),
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
        timesOf(refusal) + printable(refusalInWords(refusal)),
      ],
    })),
  ].sort((a, b) => a.at - b.at);
  return alignColumns([
    ["TIME (UTC)", "ENDPOINT", "KEY", "STATUS", "COST USD", "MS", "WHY REFUSED"],
    ...rows.map(({ at, cells }) => [formatSecond(at), ...cells]),
  ]).join("\n");
}

function timesOf({ requests }: Refusal): string {
  return requests === 1 ? "" : `${formatCount(requests, "time")}: `;
}

function formatSecond(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}

if (import.meta.main) await runProcess(tool);

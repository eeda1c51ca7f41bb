/** Renders accounts. */

import { type Account, accountState, type DayBook } from "../lib/accounts/mod.ts";
import { type NanoUsd, toUsd } from "../lib/money.ts";
import { type KeyUse, renderKeys } from "./key_view.ts";
import { alignColumns, formatAmount, formatCount, formatMoment, toIso } from "./values.ts";

/** An account for `--json`. `limitUsd` is the limit in force: the account's own or the default. */
export function toAccountJson(account: Account, defaultLimit: NanoUsd) {
  const { id, name, limitNanoUsd, banned, verified, createdAt } = account;
  return {
    id,
    name,
    state: accountState(account),
    banned,
    verified,
    limitUsd: toUsd(limitNanoUsd ?? defaultLimit),
    isDefaultLimit: limitNanoUsd === null,
    createdAt: toIso(createdAt),
  };
}

/** A table of accounts. */
export function renderAccounts(accounts: readonly Account[], defaultLimit: NanoUsd): string {
  if (accounts.length === 0) {
    return "No accounts yet: `deno task accounts create NAME` creates one.";
  }
  return alignColumns([
    ["ID", "STATE", "DAILY LIMIT", "CREATED", "NAME"],
    ...accounts.map((account) => [
      account.id,
      accountState(account),
      formatLimit(account, defaultLimit),
      formatMoment(account.createdAt),
      account.name,
    ]),
  ]).join("\n");
}

/** The totals of a day. */
export type Spending = Pick<DayBook, "spent" | "reserved" | "requests">;

/** A day for `--json`. */
export function toDayJson({ spent, reserved, requests }: Spending) {
  return { spentUsd: toUsd(spent), reservedUsd: toUsd(reserved), requests };
}

/** One account in detail, with its day so far and its keys. */
export function renderAccount(
  account: Account,
  today: DayBook,
  keys: readonly KeyUse[],
  defaultLimit: NanoUsd,
  now: number,
): string {
  const facts = alignColumns([
    ["Account", account.id],
    ["Name", account.name],
    ["State", accountState(account)],
    ["Daily limit", formatLimit(account, defaultLimit)],
    ["Today", formatDay(today)],
    ["Created", formatMoment(account.createdAt)],
  ]);
  return [...facts, "", renderKeys(keys, now)].join("\n");
}

/** A day as text: `0.5 USD spent on 3 requests, 0 USD reserved`. */
export function formatDay({ spent, reserved, requests }: Spending): string {
  const count = formatCount(requests, "request");
  return `${formatAmount(spent)} spent on ${count}, ${formatAmount(reserved)} reserved`;
}

/** The limit in force, and whether it is the default. */
export function formatLimit({ limitNanoUsd }: Account, defaultLimit: NanoUsd): string {
  return formatAmount(limitNanoUsd ?? defaultLimit) + (limitNanoUsd === null ? " (default)" : "");
}

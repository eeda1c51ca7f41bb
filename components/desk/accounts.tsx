/** Accounts as the desk lists them. */

import {
  type Account,
  accountState,
  dailyLimitOf,
  findNameFault,
  getAccount,
} from "../../lib/accounts/account.ts";
import { dayOf } from "../../lib/platform/utc_days.ts";
import { readDays } from "../../lib/proxy/ledger/read.ts";
import { EMPTY_DAY } from "../../lib/proxy/ledger/transitions.ts";
import { type Fields, wrongField } from "../../lib/members/forms.ts";
import type { DeskSummary } from "../../lib/operate/desk_summary.ts";
import type { Services } from "../../lib/operate/services.ts";
import { formatUsd, type NanoUsd, toUsd } from "../../lib/platform/money.ts";
import type { TextFieldOf } from "../shared/fields.tsx";
import { Dollars } from "../shared/Spending.tsx";
import { Table } from "../shared/Table.tsx";

/** The states by which accounts are listed, by the value of the parameter `view`. */
export const VIEWS = {
  spenders: "Largest spenders",
  near: "Near their limit",
  banned: "Banned",
  unverified: "Not verified",
} as const satisfies Record<keyof DeskSummary["lists"], string>;

/** The accounts of some ids, in their order, without those that do not exist. */
export async function readAccounts(kv: Deno.Kv, ids: readonly string[]): Promise<Account[]> {
  const accounts = await Promise.all(ids.map((id) => getAccount(kv, id)));
  return accounts.filter((account) => account !== null);
}

/** A table of accounts with their limits and their spending today. */
export async function accountTable(
  { kv, config, now }: Services,
  label: string,
  accounts: readonly Account[],
) {
  const days = await Promise.all(accounts.map(({ id }) => readDays(kv, id, [dayOf(now())])));
  return (
    <Table
      label={label}
      head={["Name", "Spent today", "Reserved", "Daily limit", "State", "Reference", "Id"]}
      rows={accounts.map((account, at) => {
        const [{ spent, reserved } = EMPTY_DAY] = days[at] ?? [];
        return [
          <a key="name" href={`/desk/accounts/${account.id}`}>
            <bdi>{account.name}</bdi>
          </a>,
          <Dollars key="spent" amount={toUsd(spent)} />,
          <Dollars key="reserved" amount={toUsd(reserved)} />,
          <Dollars
            key="limit"
            amount={toUsd(dailyLimitOf(account, config.DAILY_LIMIT_USD, now()))}
          />,
          stateOf(account),
          account.reference ?? "",
          <code key="id">{account.id}</code>,
        ];
      })}
    />
  );
}

/** An account's state in a word or two. */
export function stateOf(account: Account): string {
  const state = accountState(account);
  const words = { active: "works", unverified: "not verified", withdrawn: "not admitted" };
  return words[state as keyof typeof words] ?? state;
}

/** The field of an account's name. */
export const NAME = { name: "name", label: "Name", maxLength: 100 };

/** An account's name. @throws {PublicError} `bad_request` for an invalid one. */
export function readName(fields: Fields): string {
  const name = fields.one(NAME.name);
  const fault = findNameFault(name);
  if (fault === null) return name;
  throw wrongField(NAME.name, `The name ${fault}.`);
}

/** A field for a limit; empty for the default. */
export function limitField(name: string, limit: NanoUsd | null = null): TextFieldOf {
  return {
    name,
    label: "Daily limit, USD",
    value: limit === null ? "" : formatUsd(limit),
    inputMode: "decimal",
    placeholder: "default",
    size: 8,
  };
}

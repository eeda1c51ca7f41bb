/** The desk's list of accounts: found by a word, or those in a state. */

import { type Account, accountState, type DaySums } from "../../lib/proxy/mod.ts";
import { type NanoUsd, toUsd } from "../../lib/platform/money.ts";
import { formatMinute } from "../../lib/platform/time.ts";
import { type Again, ButtonForm, TextField } from "../shared/fields.tsx";
import { LinkList } from "../shared/LinkList.tsx";
import { Dollars, dollars } from "../shared/Spending.tsx";
import { Table } from "../shared/Table.tsx";

/** The states by which accounts are listed, by the value of the parameter `view`. */
export const VIEWS = {
  near: "Near their limit",
  banned: "Banned",
  unverified: "Not verified",
} as const;

/** An account, its limit and its spending today. */
interface AccountLine {
  readonly account: Account;
  readonly limit: NanoUsd;
  readonly today: DaySums;
}

/** The page's content. */
export function AccountList({ word, view, lines, next, made, wrong }: Again & {
  readonly word: string;
  readonly view: keyof typeof VIEWS | null;
  readonly lines: readonly AccountLine[];
  /** The address of the next page. */
  readonly next: string | null;
  /** Of a view: when the overview was made (epoch milliseconds), and how many accounts are in the state. */
  readonly made: { readonly at: number; readonly count: number } | null;
}) {
  const views = Object.entries(VIEWS).map(([name, label]) => ({
    label,
    href: `/desk/accounts?view=${name}`,
    "aria-current": name === view ? "page" as const : undefined,
  }));
  return (
    <>
      <search>
        <form action="/desk/accounts">
          <input
            type="search"
            name="q"
            value={word}
            aria-label="Name, reference or id"
            placeholder="Name, reference or id"
            maxLength={100}
          />
          <button type="submit">Find</button>
        </form>
      </search>
      <LinkList class="row states" aria-label="States" links={views} />
      {made !== null && (
        <p class="fine">
          {made.count.toLocaleString("en")} at {formatMinute(made.at)}
          {lines.length < made.count && `; the first ${lines.length}`}
        </p>
      )}
      {lines.length === 0 ? <p>No account.</p> : (
        <Table
          label="Accounts"
          head={["Name", "Spent today", "Daily limit", "State", "Reference", "Id"]}
          rows={lines.map(({ account, limit, today }) => [
            <a key="name" href={`/desk/accounts/${account.id}`}>
              <bdi>{account.name}</bdi>
            </a>,
            <Dollars key="spent" amount={toUsd(today.spent)} />,
            dollars(toUsd(limit)),
            stateOf(account),
            account.reference ?? "",
            <code key="id">{account.id}</code>,
          ])}
        />
      )}
      {next !== null && (
        <p>
          <a class="plain-button" href={next} rel="next">Next page</a>
        </p>
      )}
      <details open={wrong !== undefined}>
        <summary>Create an account</summary>
        <ButtonForm action="/desk/accounts" label="Create the account">
          <TextField name="name" label="Name" maxLength={100} wrong={wrong} />
          <TextField name="reference" label="Reference, if any" maxLength={100} wrong={wrong} />
          <LimitField name="limit" wrong={wrong} />
        </ButtonForm>
      </details>
      <p>
        <a href="/desk/accounts/import">Import accounts</a> from a table
      </p>
    </>
  );
}

/** An account's state in a word or two. */
export function stateOf(account: Account): string {
  const state = accountState(account);
  return { active: "works", unverified: "not verified", withdrawn: "not admitted" }[
    state as string
  ] ?? state;
}

/** An amount of dollars; empty for the default. */
export function LimitField({ name, value = "", wrong }: Again & {
  readonly name: string;
  readonly value?: string;
}) {
  return (
    <TextField
      name={name}
      label="Daily limit, USD"
      value={value}
      inputMode="decimal"
      placeholder="default"
      size={8}
      wrong={wrong}
    />
  );
}

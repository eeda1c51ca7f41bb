/** The desk's first page: the service today. */

import type { HealthRecord, Overview, StatusDescription } from "../../lib/operate/mod.ts";
import { refusalInWords } from "../../lib/proxy/mod.ts";
import { type NanoUsd, toUsd } from "../../lib/platform/money.ts";
import { Dollars } from "../shared/Spending.tsx";
import { Moment } from "../shared/moments.tsx";
import { Table } from "../shared/Table.tsx";
import { VIEWS } from "./AccountsList.tsx";
import { OperatorsVerdict } from "./DeskFrame.tsx";

/** The figures of the providers' accounts, in words. */
const BALANCES = {
  balanceRemaining: "Router: credit left",
  keyLimitRemaining: "Router: left of the key’s limit",
  keyUsage: "Router: spent with the key",
  mediaUnusedCredit: "Media: credit left",
} as const satisfies Partial<Record<keyof HealthRecord, string>>;

/** What the page shows. */
interface TodayView {
  readonly status: StatusDescription;
  readonly health: HealthRecord;
  readonly overview: Overview;
  /** The names of accounts by their ids. */
  readonly names: ReadonlyMap<string, string>;
  /** `SERVICE_DAILY_LIMIT_USD`; null without it. */
  readonly limit: NanoUsd | null;
  readonly now: number;
}

/** The page. */
export function Today({ status, health, overview, names, limit, now }: TodayView) {
  const { at, day, accounts, requests, spent, reserved, spenders, refusals } = overview;
  const known = namesOf(BALANCES).flatMap((name) => {
    const amount = health[name];
    return amount === undefined ? [] : [[BALANCES[name], amount] as const];
  });
  return (
    <>
      <OperatorsVerdict operators={status.operators} href={whereToAct(status)} />
      <h2>Spending</h2>
      <p>
        <a href="#spenders">
          <Amount of={spent} />
        </a>{" "}
        spent and <Amount of={reserved} /> reserved on {day} (UTC) in{" "}
        {requests === 1 ? "one request" : `${whole(requests)} requests`}
        {limit !== null && (
          <>
            , of{" "}
            <a href="/desk/setup#variables">
              <Amount of={limit} />
            </a>{" "}
            for all accounts
          </>
        )}.
      </p>
      <p>
        <a href="/desk/accounts">
          {accounts === 1 ? "One account" : `${whole(accounts)} accounts`}
        </a>
        {namesOf(VIEWS).map((name) => (
          <span key={name}>
            ,{" "}
            <a href={`/desk/accounts?view=${name}`}>
              {whole(overview[name].count)} {VIEWS[name].toLowerCase()}
            </a>
          </span>
        ))}.
      </p>
      <p class="fine">
        Amounts and counts of <Moment at={at} now={now} />{" "}
        UTC. They are made again every five minutes.
      </p>
      <h2 id="spenders">Largest spenders</h2>
      <Table
        label="Largest spenders"
        head={["Account", "Spent", "Reserved", "Limit"]}
        rows={spenders.map(({ accountId, spent, reserved, limit }) => [
          names.get(accountId) ?? accountId,
          <a key="spent" href={`/desk/accounts/${accountId}`}>
            <Amount of={spent} />
          </a>,
          <Amount key="reserved" of={reserved} />,
          <Amount key="limit" of={limit} />,
        ])}
      />
      <h2>Refused requests</h2>
      <Table
        label="Refused requests"
        head={["Why", "Requests", "Accounts", "Most of them"]}
        rows={refusals.map(({ code, reason, requests, accounts, accountId }) => [
          refusalInWords({ code, reason }),
          accountId === null
            ? whole(requests)
            : <a key="requests" href={`/desk/accounts/${accountId}`}>{whole(requests)}</a>,
          whole(accounts),
          names.get(accountId ?? "") ?? accountId ?? "unknown",
        ])}
      />
      <h2>Balances at the providers</h2>
      {known.length === 0 ? <p>No provider tells one.</p> : (
        <Table
          label="Balances at the providers"
          head={["Provider", "Amount"]}
          rows={known.map(([words, amount]) => [
            words,
            <a key="amount" href="/desk/setup#providers">
              <Dollars amount={amount} />
            </a>,
          ])}
          hasFigures
        />
      )}
    </>
  );
}

/** The page where an operator can act on the state of the service. */
function whereToAct({ operators, groups }: StatusDescription): string {
  if (operators.state === "up") return "/status";
  const events = groups.find(({ id }) => id === "events")?.parts[0];
  return events?.state === "up" ? "/desk/setup#examination" : "/desk/events";
}

function Amount({ of }: { readonly of: NanoUsd }) {
  return <Dollars amount={toUsd(of)} />;
}

function namesOf<Name extends string>(record: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(record) as Name[];
}

function whole(count: number): string {
  return count.toLocaleString("en");
}

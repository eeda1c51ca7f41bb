/** `/desk`: the service today. */

import {
  describeStatus,
  type HealthRecord,
  type Overview,
  readStatus,
  type StatusDescription,
} from "../../lib/operate/mod.ts";
import { refusalInWords } from "../../lib/proxy/mod.ts";
import { type NanoUsd, toUsd } from "../../lib/platform/money.ts";
import { accountTable, readAccounts, VIEWS } from "../../components/desk/accounts.tsx";
import { deskMethods, OperatorsVerdict } from "../../components/desk/desk.tsx";
import { Facts } from "../../components/shared/keys.tsx";
import { Moment } from "../../components/shared/moments.tsx";
import { Dollars } from "../../components/shared/Spending.tsx";
import { Table } from "../../components/shared/Table.tsx";

const SPENDERS = 10;

/** The figures of the providers' accounts, in words. */
const BALANCES = {
  balanceRemaining: "Router: credit left",
  keyLimitRemaining: "Router: left of the key’s limit",
  keyUsage: "Router: spent with the key",
  mediaUnusedCredit: "Media: credit left",
} as const satisfies Partial<Record<keyof HealthRecord, string>>;

export const handler = deskMethods({
  async GET({ ctx: { state: { services } } }) {
    const { kv, config, now, health } = services;
    const [current, overview] = await Promise.all([health.get(), services.overview.get()]);
    const status = describeStatus(await readStatus({ kv, config, now: now(), current }));
    const spenders = await readAccounts(kv, overview.lists.spenders.ids.slice(0, SPENDERS));
    return {
      title: "Today",
      children: (
        <>
          <OperatorsVerdict operators={status.operators} href={whereToAct(status)} />
          <Sums overview={overview} limit={config.SERVICE_DAILY_LIMIT_USD ?? null} now={now()} />
          <h2>Largest spenders</h2>
          {await accountTable(services, "Largest spenders", spenders)}
          <h2>Refused requests</h2>
          {await refusalTable(kv, overview)}
          <h2>Balances at the providers</h2>
          <Balances health={current} />
        </>
      ),
    };
  },
});

/** The page where an operator can act on the state of the service. */
function whereToAct({ operators, groups }: StatusDescription): string {
  if (operators.state === "up") return "/status";
  const events = groups.find(({ id }) => id === "events")?.parts[0];
  return events?.state === "up" ? "/desk/setup#examination" : "/desk/events";
}

function Sums({ overview, limit, now }: {
  readonly overview: Overview;
  /** `SERVICE_DAILY_LIMIT_USD`; null without it. */
  readonly limit: NanoUsd | null;
  readonly now: number;
}) {
  const { at, day, accounts, requests, spent, reserved, lists } = overview;
  const listed = (view: keyof typeof VIEWS) => (
    <a href={`/desk/accounts?view=${view}`}>{whole(lists[view].count)}</a>
  );
  return (
    <>
      <h2>Spending on {day}</h2>
      <Facts
        facts={{
          "Spent": <Dollars amount={toUsd(spent)} />,
          "Reserved": <Dollars amount={toUsd(reserved)} />,
          "Limit of all accounts": limit === null ? null : <Dollars amount={toUsd(limit)} />,
          "Requests": whole(requests),
          "Accounts": <a href="/desk/accounts">{whole(accounts)}</a>,
          "Spending today": listed("spenders"),
          [VIEWS.near]: listed("near"),
          [VIEWS.banned]: listed("banned"),
          [VIEWS.unverified]: listed("unverified"),
        }}
      />
      <p class="fine">
        Counted at <Moment at={at} now={now} />{" "}
        UTC. The first look after five minutes begins the next count.
      </p>
    </>
  );
}

async function refusalTable(kv: Deno.Kv, { refusals }: Overview) {
  const known = await readAccounts(kv, refusals.flatMap(({ accountId }) => accountId ?? []));
  const names = new Map(known.map(({ id, name }) => [id, name]));
  return (
    <Table
      label="Refused requests"
      head={["Why", "Requests", "Accounts", "Most of them"]}
      rows={refusals.map(({ code, reason, requests, accounts, accountId }) => [
        refusalInWords({ code, reason }),
        whole(requests),
        whole(accounts),
        accountId === null
          ? "unknown"
          : <a key="most" href={`/desk/accounts/${accountId}`}>{names.get(accountId)}</a>,
      ])}
    />
  );
}

function Balances({ health }: { readonly health: HealthRecord }) {
  const facts = Object.entries(BALANCES).flatMap(([name, words]) => {
    const amount = health[name as keyof typeof BALANCES];
    return amount === undefined ? [] : [[words, <Dollars key={name} amount={amount} />] as const];
  });
  if (facts.length === 0) return <p>No provider tells one.</p>;
  return <Facts facts={Object.fromEntries(facts)} />;
}

function whole(count: number): string {
  return count.toLocaleString("en");
}

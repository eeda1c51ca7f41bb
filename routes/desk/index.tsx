/** `/desk`: the service today. */

import type { HealthRecord } from "../../lib/operate/health/report.ts";
import { findCausesOfSupplies } from "../../lib/operate/notices.ts";
import { type DeskSummary, FEW_ACCOUNTS } from "../../lib/operate/desk_summary.ts";
import { readStatus } from "../../lib/operate/status/report.ts";
import { describeStatus, type StatusDescription } from "../../lib/operate/status/words.ts";
import { refusalInWords } from "../../lib/proxy/records/refusal.ts";
import { toUsd } from "../../lib/platform/money.ts";
import { grouped } from "../../lib/platform/text.ts";
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

/** Where an operator acts on what needs attention, by the cause. */
const REMEDIES = new Map([
  ["backup", { href: "/desk/setup#backup", label: "Make one" }],
  ["limit", { href: "/desk/usage", label: "See who spends it" }],
  ["suspect", { href: "#suspect", label: "See them" }],
]);

function Remedy({ cause }: { readonly cause: string }) {
  const remedy = REMEDIES.get(cause);
  return remedy === undefined ? null : <a href={remedy.href}>{remedy.label}</a>;
}

export const handler = deskMethods({
  async GET({ ctx: { state: { services } } }) {
    const { kv, config, now, health } = services;
    const [current, deskSummary] = await Promise.all([health.get(), services.deskSummary.get()]);
    const status = describeStatus(await readStatus({ kv, config, now: now(), current }));
    const attention = await findCausesOfSupplies(services, current, deskSummary);
    const spenders = await readAccounts(kv, deskSummary.lists.spenders.ids.slice(0, SPENDERS));
    const limit = config.SERVICE_DAILY_LIMIT_USD;
    const { at, day, accounts, requests, spent, reserved, lists } = deskSummary;
    // The largest spenders have a table of their own.
    const { spenders: _, ...states } = VIEWS;
    const listed = Object.entries(states).map(([view, label]) => [
      label,
      <a key={view} href={`/desk/accounts?view=${view}`}>
        {grouped(lists[view as keyof typeof VIEWS].count)}
      </a>,
    ]);
    const balances = Object.entries(BALANCES).flatMap(([name, label]) => {
      const amount = current[name as keyof typeof BALANCES];
      return amount === undefined ? [] : [[label, <Dollars key={name} amount={amount} />]];
    });
    return {
      title: "Today",
      children: (
        <>
          <OperatorsVerdict operators={status.operators} href={whereToAct(status)} />
          {attention.size > 0 && (
            <ul class="verdict warning">
              {[...attention].map(([cause, sentence]) => (
                <li key={cause}>
                  {sentence} <Remedy cause={cause} />
                </li>
              ))}
            </ul>
          )}
          <h2>Spending on {day}</h2>
          <Facts
            facts={{
              "Spent": <Dollars amount={toUsd(spent)} />,
              "Reserved": <Dollars amount={toUsd(reserved)} />,
              "Limit of all accounts": limit === undefined
                ? null
                : <Dollars amount={toUsd(limit)} />,
              "Requests": grouped(requests),
              "Accounts": <a href="/desk/accounts">{grouped(accounts)}</a>,
              ...Object.fromEntries(listed),
            }}
          />
          <p class="fine">
            Counted at <Moment at={at} now={now()} /> UTC. Above {grouped(FEW_ACCOUNTS)}{" "}
            accounts, a count is kept for five minutes.
          </p>
          <h2>{VIEWS.spenders}</h2>
          {await accountTable(services, VIEWS.spenders, spenders)}
          <h2>Refused requests</h2>
          {await refusalTable(kv, deskSummary)}
          {deskSummary.suspectCosts.length > 0 && (
            <>
              <h2 id="suspect">Suspect costs</h2>
              <p>
                More than ten times what was reserved, or unusable. The warnings in the log name
                each request: compare them with the provider's bill.
              </p>
              <Table
                label="Suspect costs"
                head={["Day", "Account", "Requests"]}
                rows={deskSummary.suspectCosts.map(({ day, accountId, requests }) => [
                  day,
                  <a key="account" href={`/desk/accounts/${accountId}`}>{accountId}</a>,
                  grouped(requests),
                ])}
              />
            </>
          )}
          <h2>Balances at the providers</h2>
          {balances.length === 0
            ? <p>No provider tells one.</p>
            : <Facts facts={Object.fromEntries(balances)} />}
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

async function refusalTable(kv: Deno.Kv, { refusals }: DeskSummary) {
  const known = await readAccounts(kv, refusals.flatMap(({ accountId }) => accountId ?? []));
  const names = new Map(known.map(({ id, name }) => [id, name]));
  return (
    <Table
      label="Refused requests"
      head={["Why", "Today", "Last 7 days", "7 days before", "Accounts", "Most of them"]}
      rows={refusals.map(({ code, reason, today, requests, weekBefore, accounts, accountId }) => [
        refusalInWords({ code, reason }),
        grouped(today),
        grouped(requests),
        grouped(weekBefore),
        grouped(accounts),
        accountId === null
          ? "unknown"
          : <a key="most" href={`/desk/accounts/${accountId}`}>{names.get(accountId)}</a>,
      ])}
    />
  );
}

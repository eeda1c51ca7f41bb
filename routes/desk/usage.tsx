/** `/desk/usage`: requests and their cost on any days, in groups. */

import type { ComponentChild } from "preact";
import { z } from "zod";
import { getKey } from "../../lib/accounts/key.ts";
import { dayBefore, dayOf } from "../../lib/platform/utc_days.ts";
import { BOOK_DAYS, daysFrom } from "../../lib/proxy/ledger/retention.ts";
import { askRecords, askSums, needsRecords, RECORD_DAYS } from "../../lib/proxy/records/books.ts";
import { type Answer, GROUPINGS, type Question } from "../../lib/proxy/records/question.ts";
import { REFUSAL_DAYS, refusalInWords } from "../../lib/proxy/records/refusal.ts";
import { countRefusals } from "../../lib/proxy/records/refusals.ts";
import { searchOf } from "../../lib/platform/address.ts";
import { toUsd } from "../../lib/platform/money.ts";
import { grouped } from "../../lib/platform/text.ts";
import { readAccounts } from "../../components/desk/accounts.tsx";
import { deskMethods } from "../../components/desk/desk.tsx";
import { Choice, TextField } from "../../components/shared/fields.tsx";
import { Dollars, SpendingChart } from "../../components/shared/Spending.tsx";
import { Table } from "../../components/shared/Table.tsx";

/** How many groups are shown. */
const SHOWN = 100;
const CHOICES: Readonly<Record<Question["by"], string>> = {
  account: "Account",
  endpoint: "Endpoint",
  key: "Key",
  model: "Model",
  day: "Day",
  status: "Status",
};

type Amounts = Pick<Answer["total"], "requests" | "failed" | "cost">;
const NOTHING: Amounts = { requests: 0, failed: 0, cost: 0n };

export const handler = deskMethods({
  async GET({ ctx: { req, state: { services: { kv, now } } } }) {
    const question = readQuestion(new URLSearchParams(searchOf(req.url)), dayOf(now()));
    const { from, to, by } = question;
    const mistake = mistakeIn(question, dayOf(now()));
    return {
      title: "Usage",
      children: (
        <>
          <form class="fields" action="/desk/usage">
            <TextField name="from" label="From" type="date" value={from} wrong={undefined} />
            <TextField name="to" label="To" type="date" value={to} wrong={undefined} />
            <Choice name="by" label="By" choices={CHOICES} chosen={by} wrong={undefined} />
            <button type="submit">Show</button>
          </form>
          {mistake !== null
            ? <p class="mistake" role="alert">{mistake}</p>
            : await answer(kv, question, now())}
        </>
      ),
    };
  },
});

/** The question of a query; what it lacks is this month, by endpoint. */
function readQuestion(query: URLSearchParams, today: string): Question {
  const day = (name: string, otherwise: string) => {
    const text = query.get(name) ?? "";
    return z.iso.date().safeParse(text).success ? text : otherwise;
  };
  const to = day("to", today);
  return {
    from: day("from", `${today.slice(0, 8)}01`),
    // Days to come have nothing in them.
    to: to > today ? today : to,
    accountId: null,
    by: GROUPINGS.find((name) => name === query.get("by")) ?? "endpoint",
  };
}

/** Why the books cannot answer a question, and what they can answer; null if they can. */
function mistakeIn({ from, to, by }: Question, today: string): string | null {
  if (from > to) return `${from} is after ${to}.`;
  const first = dayBefore(today, BOOK_DAYS - 1);
  if (from < first) return `The books begin on ${first}.`;
  if (!needsRecords({ by }) || dayBefore(to, RECORD_DAYS - 1) <= from) return null;
  return `By ${
    CHOICES[by].toLowerCase()
  }, choose at most ${RECORD_DAYS} days: it is counted from single records.`;
}

async function answer(kv: Deno.Kv, question: Question, now: number) {
  const { from, to, by } = question;
  const asked = (needsRecords(question) ? askRecords : askSums)(kv, question);
  const [{ groups, total }, daily, refusals] = await Promise.all([
    asked,
    by === "day" ? asked : askSums(kv, { ...question, by: "day" }),
    countRefusals(kv, question, now),
  ]);
  const spent = new Map(daily.groups.map(({ key, totals }) => [key, toUsd(totals.cost)]));
  const refused = Map.groupBy(refusals, ({ key }) => key);
  const reasons = Map.groupBy(refusals, refusalInWords);
  const refusedIn = (some: typeof refusals = []) =>
    some.reduce((sum, { requests }) => sum + requests, 0);
  // A group may have refused requests alone.
  const known = new Set(groups.map(({ key }) => key));
  const others = [...refused.keys()].filter((key) => !known.has(key))
    .map((key) => ({ key, totals: NOTHING }));
  const all = [...groups, ...others];
  const shown = all.slice(0, SHOWN);
  const more = all.length - shown.length;
  const named = await nameGroups(kv, by, shown.flatMap(({ key }) => key ?? []));
  const days = daysFrom(from, to).toReversed()
    .map((day) => ({ day, spentUsd: spent.get(day) ?? 0 }));
  const row = (
    name: ComponentChild,
    { requests, failed, cost }: Amounts,
    refused: number,
  ): readonly [ComponentChild, ...ComponentChild[]] => [
    name,
    ...[requests, failed, refused].map(grouped),
    <Dollars key="cost" amount={toUsd(cost)} />,
  ];
  return (
    <>
      {days.length > 1 && total.cost > 0n && <SpendingChart days={days} />}
      <Table
        label={`Usage from ${from} to ${to}`}
        head={[CHOICES[by], "Requests", "Failed", "Refused", "Cost"]}
        rows={[
          ...shown.map(({ key, totals }) =>
            row(
              named.get(key) ?? key ?? "None",
              totals,
              refusedIn(refused.get(key)),
            )
          ),
          row("All", total, refusedIn(refusals)),
        ]}
      />
      {more > 0 && <p>and {grouped(more)} more</p>}
      {reasons.size > 0 && (
        <Table
          label="Refused requests"
          head={["Why refused", "Requests"]}
          rows={[...reasons].map(([why, some]) => [why, refusedIn(some)] as const)
            .sort(([, one], [, other]) => other - one)
            .map(([why, count]) => [why, grouped(count)])}
        />
      )}
      <p class="fine">
        Refused requests cost nothing, are not among the others, and are known of the last{" "}
        {REFUSAL_DAYS} days.
      </p>
    </>
  );
}

/** Links to the accounts or keys that groups are of, by their ids, with their names. */
async function nameGroups(kv: Deno.Kv, by: Question["by"], ids: readonly string[]) {
  const accounts = by === "account" ? await readAccounts(kv, ids) : [];
  const keys = by === "key" ? await Promise.all(ids.map((id) => getKey(kv, id))) : [];
  const links = [
    ...accounts.map(({ id, name }) => [id, name, id] as const),
    ...keys.flatMap((key) =>
      key === null ? [] : [[key.id, key.label ?? key.id, `${key.accountId}/${key.id}`] as const]
    ),
  ];
  return new Map<string | null, ComponentChild>(
    links.map(([id, name, path]) => [id, <a key="name" href={`/desk/accounts/${path}`}>{name}</a>]),
  );
}

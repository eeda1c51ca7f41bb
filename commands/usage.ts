/** `deno task usage`: totals of requests by account, endpoint, model, day or status. */

import { z } from "zod";
import {
  type Account,
  dailyLimitOf,
  dayOf,
  firstKeptDay,
  getAccount,
  GROUPINGS,
  type Question,
  readBacklog,
  REFUSAL_DAYS,
} from "../lib/proxy/mod.ts";
import { DAY_MILLISECONDS } from "../lib/platform/time.ts";
import { orNote, withUsageStore } from "./analytics.ts";
import { suggest } from "./arguments.ts";
import { findAccount } from "./find.ts";
import { runProcess } from "./process.ts";
import { withProgress } from "./progress.ts";
import { type Given, Mistake, type Tool, type Workplace } from "./tool.ts";
import { formatCount } from "./values.ts";
import { renderUsage, toUsageJson } from "./usage_view.ts";

/** The tool. */
export const tool: Tool = {
  name: "usage",
  summary:
    "Counts requests, their cost, tokens, failures and durations; for today by account also the limit,\n" +
    "the part of it that is used, and a ! from four fifths on.\n" +
    "A request has failed if its status is 400 or higher, or missing. A median or 95th percentile\n" +
    "is a duration that occurred: the one at the nearest rank. Requests that Foyer refused in the\n" +
    `last ${REFUSAL_DAYS} days cost nothing; they are counted apart, by reason.`,
  options: {
    "day DAY": "2026-11-21, today or yesterday, in UTC (default: today)",
    "from DAY": "the first of several days",
    "to DAY": "the last one (default: today)",
    "account ID|NAME": "only this account",
    "by GROUP": `${GROUPINGS.join(", ")} (default: account)`,
  },
  examples: [
    ["--by endpoint", "today, by endpoint"],
    ["--from 2026-11-01 --to 2026-11-30", "a month"],
    ["--account acc_5vKkU1GmWq2c --day yesterday --by model", "one account's yesterday"],
    ["--json | jq -r .total.costUsd", "what was spent today"],
  ],
  async run(given, place) {
    const period = readPeriod(given, place.now());
    const by = readGrouping(given);
    const named = given.option("account");
    const accountId = named === null ? null : (await findAccount(place.kv, named)).id;
    const question = { ...period, accountId, by };
    const [answer, { refused, notes }] = await withProgress(
      place.terminal,
      (records) => records === 0 ? "Counting…" : `Counting… ${records} records`,
      (onProgress) =>
        withUsageStore(place, async (store) =>
          [
            await store.query(question, onProgress),
            await orNote(store.countRefusals(question), "not counted"),
          ] as const),
    );
    const accounts = by === "account"
      ? await accountsOf(place.kv, [...answer.groups, ...refused])
      : [];
    const names = new Map(accounts.map(({ id, name }) => [id, name]));
    const isToday = period.from === period.to && period.to === dayOf(place.now());
    const { DAILY_LIMIT_USD } = place.config;
    const limitOf = (account: Account) => dailyLimitOf(account, DAILY_LIMIT_USD, place.now());
    const limits = accounts.length > 0 && isToday
      ? new Map(accounts.map((account) => [account.id, limitOf(account)]))
      : null;
    const report = { question, answer, refused, names, limits };
    return {
      json: toUsageJson(report),
      text: renderUsage(report),
      notes: [...removed(question, place), ...await behind(place.kv), ...notes],
    };
  },
};

const MAX_DAYS = 1_100;

/**
 * Reads the period from the options.
 *
 * @param now epoch milliseconds.
 * @throws {Mistake} for an invalid day, contradictory options, or too many days.
 */
function readPeriod(given: Given, now: number): Pick<Question, "from" | "to"> {
  const [day, first, last] = [given.option("day"), given.option("from"), given.option("to")];
  if (day !== null) {
    if (first !== null || last !== null) {
      throw new Mistake(
        "--day excludes --from and --to; give --day for one day, the others for several",
      );
    }
    const only = readDay(day, now);
    return { from: only, to: only };
  }
  if (first === null && last !== null) {
    throw new Mistake("--to needs --from; for one day give --day");
  }
  const from = readDay(first ?? "today", now);
  const to = readDay(last ?? "today", now);
  if (from > to) throw new Mistake(`--from ${from} is after --to ${to}`);
  const { days } = Temporal.PlainDate.from(from).until(to);
  if (days < MAX_DAYS) return { from, to };
  throw new Mistake(`${days + 1} days are too many at once; ask for at most ${MAX_DAYS}`);
}

function readDay(text: string, now: number): string {
  if (text === "today") return dayOf(now);
  if (text === "yesterday") return dayOf(now - DAY_MILLISECONDS);
  if (z.iso.date().safeParse(text).success) return text;
  throw new Mistake(`“${text}” is not a day; expected one such as 2026-11-21, today or yesterday`);
}

function readGrouping(given: Given): Question["by"] {
  const written = given.option("by") ?? "account";
  const by = GROUPINGS.find((grouping) => grouping === written);
  if (by !== undefined) return by;
  throw new Mistake(`--by ${written} is not a group; ${suggest(written, GROUPINGS)}`);
}

async function accountsOf(
  kv: Deno.Kv,
  groups: readonly { readonly key: string | null }[],
): Promise<Account[]> {
  const accounts: Account[] = [];
  for (const id of new Set(groups.map(({ key }) => key))) {
    const account = id === null ? null : await getAccount(kv, id);
    if (account !== null) accounts.push(account);
  }
  return accounts;
}

/** The note on a period that begins before the days that are kept. */
function removed({ from }: Question, { config, now }: Workplace): string[] {
  const { ANALYTICS_RETENTION_DAYS: days } = config;
  if (days === undefined) return [];
  const first = firstKeptDay(dayOf(now()), days);
  return from >= first
    ? []
    : [`days before ${first} are not counted, since ANALYTICS_RETENTION_DAYS is ${days}.`];
}

/** The notes on records that have not reached the store. */
async function behind(kv: Deno.Kv): Promise<string[]> {
  const { waiting, setAside } = await readBacklog(kv);
  const batches = formatCount(waiting, "batch of records is", "batches of records are");
  return [
    ...(waiting === 0 ? [] : [
      `${batches} not delivered yet, so figures may be behind; delivery is every minute, or by ` +
      "`deno task analytics flush`.",
    ]),
    ...(setAside === 0 ? [] : [
      `${setAside} batches could not be read and are missing; see \`deno task analytics status\`.`,
    ]),
  ];
}

if (import.meta.main) await runProcess(tool);

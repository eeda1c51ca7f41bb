/** `foyer usage`: totals of requests by account, endpoint, key, model, day or status. */

import { type Command, Option } from "commander";
import { dailyLimitOf, getAccount } from "../lib/accounts/account.ts";
import { getKey } from "../lib/accounts/key.ts";
import { dayBefore, dayOf } from "../lib/platform/utc_days.ts";
import { BOOK_DAYS } from "../lib/proxy/ledger/retention.ts";
import { askRecords, askSums, needsRecords, RECORD_DAYS } from "../lib/proxy/records/books.ts";
import {
  type Answer,
  GROUPINGS,
  type Question,
  type RefusalCount,
  type Totals,
} from "../lib/proxy/records/question.ts";
import { REFUSAL_DAYS, refusalInWords } from "../lib/proxy/records/refusal.ts";
import { countRefusals } from "../lib/proxy/records/refusals.ts";
import {
  exactUsd,
  isNearLimit,
  type NanoUsd,
  NEAR_LIMIT_LEFT_PERCENT,
  readableUsd,
  toUsd,
} from "../lib/platform/money.ts";
import { DAY_MILLISECONDS } from "../lib/platform/time.ts";
import { requireClickHouse } from "./analytics.ts";
import { findAccount } from "./find.ts";
import { type Act, Mistake, type Place, type Result, subcommand, type Workplace } from "./frame.ts";
import { readDay, table } from "./values.ts";

interface Options {
  readonly day?: string;
  readonly from?: string;
  readonly to?: string;
  readonly account?: string;
  readonly by: Question["by"];
  readonly details?: true;
  readonly source: "books" | "clickhouse";
}

/** Adds the subcommand. */
export function addUsage(foyer: Command, act: Act): void {
  subcommand(
    foyer,
    "usage",
    "Count requests, their cost and their failures, by account, endpoint, key, model, day or status\n" +
      "A request has failed if its status is 400 or higher, or missing. Today's report by account " +
      `also has each limit, and a ! where less than ${NEAR_LIMIT_LEFT_PERCENT} % of it is left. By model or status, or with ` +
      `--details, it has tokens and durations, from the records of at most ${RECORD_DAYS} days. Requests that Foyer refused in the ` +
      `last ${REFUSAL_DAYS} days cost nothing, and are counted apart, by reason.`,
    [
      "usage --by endpoint  # today, by endpoint",
      "usage --from 2026-11-01 --to 2026-11-30  # a month",
      "usage --account acc_5vKkU1GmWq2c --day yesterday --by model  # one account's yesterday",
      "usage --json | jq -r .total.costUsd  # what was spent today",
    ],
  )
    .addOption(
      new Option("--day <day>", "2026-11-21, today or yesterday, in UTC (default: today)")
        .argParser(readNamedDay).conflicts(["from", "to"]),
    )
    .option("--from <day>", "the first of several days (default: the last one)", readNamedDay)
    .option("--to <day>", "the last one (default: today)", readNamedDay)
    .option("--account <account>", "only this account, by id or name")
    .addOption(new Option("--by <group>", "the groups").choices(GROUPINGS).default("account"))
    .option("--details", `also tokens and durations, of at most ${RECORD_DAYS} days`)
    .addOption(
      new Option("--source <source>", "clickhouse has details of any days")
        .choices(["books", "clickhouse"]).default("books"),
    )
    .action(act(usage));
}

async function usage(place: Place, options: Options): Promise<Result> {
  const { kv, now, config: { DAILY_LIMIT_USD } } = place;
  const { by, source, account, details = false } = options;
  const period = readPeriod(options, now());
  const accountId = account === undefined ? null : (await findAccount(kv, account)).id;
  const question = { ...period, accountId, by };
  const answer = source === "clickhouse"
    ? await requireClickHouse(place).query(question)
    : await askBooks(place, question, details);
  const refused = await countRefusals(kv, question, now());
  const groups = [...answer.groups, ...refused];
  const accounts = by === "account" ? await findEach(groups, (id) => getAccount(kv, id)) : [];
  const keys = by === "key" ? await findEach(groups, (id) => getKey(kv, id)) : [];
  const names = new Map([
    ...accounts.map(({ id, name }) => [id, name] as const),
    ...keys.flatMap(({ id, label }) => label === null ? [] : [[id, label] as const]),
  ]);
  const isToday = period.from === period.to && period.to === dayOf(now());
  const limits = accounts.length > 0 && isToday
    ? new Map(
      accounts.map((account) => [account.id, dailyLimitOf(account, DAILY_LIMIT_USD, now())]),
    )
    : null;
  const report = { question, answer, refused, names, limits };
  return { json: toUsageJson(report), text: renderUsage(report) };
}

/** Answers from the books: from the sums, or from the records if they are needed. */
async function askBooks(
  { kv, now }: Workplace,
  question: Question,
  hasDetails: boolean,
): Promise<Answer> {
  const days = Temporal.PlainDate.from(question.from).until(question.to).days + 1;
  const first = dayBefore(dayOf(now()), BOOK_DAYS - 1);
  if (question.from < first) {
    throw new Mistake(
      `--from ${question.from} is too early: the books have the last ${BOOK_DAYS} days, from ` +
        `${first} on. If ANALYTICS_URL is set, ask for earlier ones with --source clickhouse`,
    );
  }
  if (!hasDetails && !needsRecords(question)) return await askSums(kv, question);
  if (days > RECORD_DAYS) {
    const what = hasDetails ? "--details" : `--by ${question.by}`;
    throw new Mistake(
      `${what} reads the records, of at most ${RECORD_DAYS} days at once; these are ${days}. Ask ` +
        "for fewer days, for --by account, endpoint, key or day without --details, or, if ANALYTICS_URL " +
        "is set, with --source clickhouse",
    );
  }
  return await askRecords(kv, question);
}

/**
 * Reads the period from the options.
 *
 * @param now epoch milliseconds.
 * @throws {Mistake} if it ends before it begins.
 */
function readPeriod({ day, from, to }: Options, now: number): Pick<Question, "from" | "to"> {
  const named = (text = "today") =>
    text === "today" ? dayOf(now) : text === "yesterday" ? dayOf(now - DAY_MILLISECONDS) : text;
  const [last, today] = [named(day ?? to), dayOf(now)];
  // Days to come have nothing in them.
  const period = { from: named(day ?? from ?? to), to: last > today ? today : last };
  if (period.from <= period.to) return period;
  throw new Mistake(`--from ${period.from} is after --to ${period.to}`);
}

function readNamedDay(text: string): string {
  return text === "today" || text === "yesterday" ? text : readDay(text);
}

type Keyed = readonly { readonly key: string | null }[];

/** The accounts or keys that the groups name, without those that this database does not have. */
async function findEach<T>(groups: Keyed, find: (id: string) => Promise<T | null>): Promise<T[]> {
  const found: T[] = [];
  for (const id of new Set(groups.map(({ key }) => key))) {
    const each = id === null ? null : await find(id);
    if (each !== null) found.push(each);
  }
  return found;
}

interface Report {
  readonly question: Question;
  readonly answer: Answer;
  /** Requests that were refused, which the answer does not count. */
  readonly refused: readonly RefusalCount[];
  /** Names of accounts or keys by id; other databases may have accounts that this one has not. */
  readonly names: ReadonlyMap<string | null, string>;
  /** Today's limit of each account, by id; null for a report of other days or groups. */
  readonly limits: ReadonlyMap<string | null, NanoUsd> | null;
}

/**
 * The report for `--json`. `costNanoUsd` is exact: it is text, since numbers are less precise. Details are null if the
 * answer has none.
 */
function toUsageJson({ question, answer, refused, names, limits }: Report) {
  const { from, to, by, accountId } = question;
  const identify = (key: string | null) => ({
    [by]: by === "status" && key !== null ? Number(key) : key,
    ...(by === "account" || by === "key") && { name: names.get(key) ?? null },
  });
  return {
    from,
    to,
    by,
    account: accountId,
    groups: answer.groups.map(({ key, totals }) => ({
      ...identify(key),
      ...toTotalsJson(totals),
      ...limits !== null && {
        limitUsd: limits.get(key) ?? null,
        shareOfLimit: shareOf(totals.cost, limits.get(key)),
      },
    })),
    total: toTotalsJson(answer.total),
    refused: refused.map(({ key, ...count }) => ({ ...identify(key), ...count })),
  };
}

function toTotalsJson({ requests, failed, cost, details }: Totals) {
  return {
    requests,
    failed,
    costUsd: cost,
    costNanoUsd: String(cost),
    inputTokens: details && Number(details.inputTokens),
    outputTokens: details && Number(details.outputTokens),
    medianMs: details && details.medianMs,
    p95Ms: details && details.p95Ms,
  };
}

/** The part of a limit that is spent; null without one. */
function shareOf(cost: NanoUsd, limit: NanoUsd | undefined): number | null {
  if (limit === undefined) return null;
  return limit === 0n ? 1 : toUsd(cost) / toUsd(limit);
}

/** The report for people: a table with the total below, and one of what was refused. */
function renderUsage(
  { question: { from, to, by }, answer, refused, names, limits }: Report,
): string {
  const labelOf = (key: string | null) => {
    const name = names.get(key);
    return (key ?? "(none)") + (name === undefined ? "" : `  ${name}`);
  };
  const parts: string[] = [];
  if (answer.groups.length > 0) {
    const hasDetails = answer.total.details !== null;
    const rows = answer.groups.map(({ key, totals }) => [
      labelOf(key),
      ...totalsInWords(totals),
      ...limits === null ? [] : limitInWords(totals.cost, limits.get(key)),
    ]);
    const heads = [
      ...["REQUESTS", "FAILED", "COST"],
      ...hasDetails ? ["TOKENS IN", "TOKENS OUT", "MEDIAN MS", "P95 MS"] : [],
      ...limits === null ? [] : ["LIMIT", "USED"],
    ];
    const total = ["total", ...totalsInWords(answer.total)];
    parts.push(table([[by.toUpperCase(), ...heads], ...rows, total], 1));
  } else {
    const what = refused.length === 0 ? "No requests" : "No requests were charged";
    parts.push(`${what} ${from === to ? `on ${from}` : `from ${from} to ${to}`} (UTC).`);
  }
  if (refused.length > 0) {
    const rows = refused.map(({ key, requests, ...refusal }) => [
      String(requests),
      labelOf(key),
      refusalInWords(refusal),
    ]);
    parts.push(table([["REFUSED", by.toUpperCase(), "WHY"], ...rows]));
  }
  return parts.join("\n\n");
}

function totalsInWords({ requests, failed, cost, details }: Totals): string[] {
  const { inputTokens, outputTokens, medianMs, p95Ms } = details ?? {};
  const numbers = details === null ? [] : [inputTokens, outputTokens, medianMs, p95Ms];
  return [requests, failed, readableUsd(cost), ...numbers].map((each) => String(each ?? "-"));
}

/** A limit, and the part of it that is used, marked when it is nearly used. */
function limitInWords(cost: NanoUsd, limit: NanoUsd | undefined): string[] {
  const share = shareOf(cost, limit);
  if (limit === undefined || share === null) return ["-", "-"];
  return [exactUsd(limit), `${Math.floor(100 * share)}%${isNearLimit(share, 1) ? " !" : ""}`];
}

/** `deno task usage`: totals of requests by account, endpoint, model, day or status. */

import { z } from "zod";
import {
  type Account,
  type Answer,
  askRecords,
  askSums,
  BOOK_DAYS,
  countRefusals,
  dailyLimitOf,
  dayOf,
  firstKeptDay,
  getAccount,
  GROUPINGS,
  needsRecords,
  type Question,
  readBacklog,
  RECORD_DAYS,
  REFUSAL_DAYS,
} from "../lib/proxy/mod.ts";
import { DAY_MILLISECONDS } from "../lib/platform/time.ts";
import { requireClickHouse } from "./analytics.ts";
import { suggest } from "./arguments.ts";
import { findAccount } from "./find.ts";
import { runProcess } from "./process.ts";
import { withProgress } from "./progress.ts";
import { type Given, Mistake, type Tool, type Workplace } from "./tool.ts";
import { formatCount } from "./values.ts";
import { renderUsage, toUsageJson } from "./usage_view.ts";

/** Where figures come from. */
const SOURCES = ["books", "clickhouse"] as const;
type Source = typeof SOURCES[number];

/** The tool. */
export const tool: Tool = {
  name: "usage",
  summary:
    "Counts requests, their cost and failures; for today by account also the limit, the part of it that\n" +
    "is used, and a ! from four fifths on. A request has failed if its status is 400 or higher, or missing.\n" +
    "By model or status, or with --details, it also counts tokens and durations, from the records of at\n" +
    `most ${RECORD_DAYS} days. A median or 95th percentile is a duration that occurred: the one at the nearest\n` +
    `rank. Requests that Foyer refused in the last ${REFUSAL_DAYS} days cost nothing; they are counted apart, by\n` +
    "reason.",
  options: {
    "day DAY": "2026-11-21, today or yesterday, in UTC (default: today)",
    "from DAY": "the first of several days",
    "to DAY": "the last one (default: today)",
    "account ID|NAME": "only this account",
    "by GROUP": `${GROUPINGS.join(", ")} (default: account)`,
    details: `also tokens and durations, of at most ${RECORD_DAYS} days`,
    "source SOURCE": `${SOURCES.join(" or ")} (default: books); clickhouse has details of any days`,
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
    const source = readSource(given);
    const named = given.option("account");
    const accountId = named === null ? null : (await findAccount(place.kv, named)).id;
    const question = { ...period, accountId, by };
    const answer = source === "clickhouse"
      ? await requireClickHouse(place).query(question)
      : await askBooks(place, question, given.has("details"));
    const refused = await countRefusals(place.kv, question, place.now());
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
      notes: source === "clickhouse" ? await behind(place.kv) : [],
    };
  },
};

/** Answers from the books: from the sums, or from the records if they are needed. */
async function askBooks(
  { kv, terminal, now }: Workplace,
  question: Question,
  hasDetails: boolean,
): Promise<Answer> {
  const days = countDays(question);
  const first = firstKeptDay(dayOf(now()), BOOK_DAYS - 1);
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
        "for fewer days, for --by account, endpoint or day without --details, or, if ANALYTICS_URL " +
        "is set, with --source clickhouse",
    );
  }
  return await withProgress(
    terminal,
    (records) => records === 0 ? "Counting…" : `Counting… ${records} records`,
    (onProgress) => askRecords(kv, question, onProgress),
  );
}

/** A question to ClickHouse has one row for each day. */
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
  const days = countDays({ from, to });
  if (days <= MAX_DAYS) return { from, to };
  throw new Mistake(`${days} days are too many at once; ask for at most ${MAX_DAYS}`);
}

function countDays({ from, to }: Pick<Question, "from" | "to">): number {
  return Temporal.PlainDate.from(from).until(to).days + 1;
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

function readSource(given: Given): Source {
  const written = given.option("source") ?? "books";
  const source = SOURCES.find((each) => each === written);
  if (source !== undefined) return source;
  throw new Mistake(`--source ${written} is no source; ${suggest(written, SOURCES)}`);
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

/** The note on records that have not reached ClickHouse. */
async function behind(kv: Deno.Kv): Promise<string[]> {
  const { waiting } = await readBacklog(kv);
  const records = formatCount(waiting, "record is", "records are");
  return waiting === 0 ? [] : [
    `${records} not delivered yet, so figures may be behind; delivery is every minute, or by ` +
    "`deno task analytics flush`.",
  ];
}

if (import.meta.main) await runProcess(tool);

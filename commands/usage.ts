/** `deno task usage`: what requests came to, by account, endpoint, model, day or status. */

import { dayOf, getAccount } from "../lib/accounts/mod.ts";
import {
  type Answer,
  firstKeptDay,
  type Grouping,
  GROUPINGS,
  readBacklog,
} from "../lib/analytics/mod.ts";
import { findAccount } from "./find.ts";
import { Mistake } from "./mistake.ts";
import { type Period, PERIOD_OPTIONS, readPeriod } from "./period.ts";
import { runProcess } from "./process.ts";
import { stderrTerminal, type Terminal, withProgress } from "./progress.ts";
import { suggest } from "./suggest.ts";
import { type Command, type Given, ONLY_COMMAND, type Tool, type Workplace } from "./tool.ts";
import { withUsageStore } from "./usage_store.ts";
import { renderUsage, renderUsageCsv, type Report, toUsageJson } from "./usage_view.ts";

const createReport = (terminal: Terminal | null): Command => ({
  summary: "Counts requests, their cost, tokens, failures and durations.\n" +
    "Failed are those with a status from 400, or with none. A median or 95th percentile is a\n" +
    "duration that occurred: the one at the nearest rank.",
  parameters: [],
  options: {
    ...PERIOD_OPTIONS,
    account: { value: "ID|NAME", summary: "of this account only" },
    by: { value: "GROUP", summary: `${GROUPINGS.join(", ")} (default: account)` },
    csv: { value: null, summary: "print CSV, the total in the last row" },
  },
  examples: [
    ["--by endpoint", "today, by endpoint"],
    ["--from 2026-11-01 --to 2026-11-30 --csv > november.csv", "a month, for a spreadsheet"],
    ["--account acc_5vKkU1GmWq2c --day yesterday --by model", "one account's yesterday"],
    ["--json | jq -r .total.costUsd", "what was spent today"],
  ],
  async run(given, place) {
    if (given.has("csv") && given.has("json")) {
      throw new Mistake("--json and --csv are two formats; give one of them");
    }
    const period = readPeriod(given, place.now());
    const by = readGrouping(given);
    const asked = given.option("account");
    const account = asked === null ? null : await findAccount(place.kv, asked);
    const accountId = account?.id ?? null;
    const answer = await withProgress(
      terminal,
      (records) => records === 0 ? "Counting…" : `Counting… ${records} records`,
      (report) =>
        withUsageStore(
          place,
          (store) => store.query({ ...period, accountId, by }, { onProgress: report }),
        ),
    );
    const names = by === "account" ? await namesOf(place.kv, answer) : new Map<string, string>();
    const report: Report = { period, by, accountId, answer, names };
    return {
      json: toUsageJson(report),
      // A tool's output ends with a line feed of its own, and the last CRLF needs its first half only.
      text: given.has("csv") ? renderUsageCsv(report).slice(0, -1) : renderUsage(report),
      notes: [...removed(period, place), ...await behind(place.kv)],
    };
  },
});

function readGrouping(given: Given): Grouping {
  const written = given.option("by") ?? "account";
  const by = GROUPINGS.find((grouping) => grouping === written);
  if (by !== undefined) return by;
  throw new Mistake(`--by ${written} is no group; ${suggest(written, GROUPINGS)}`);
}

async function namesOf(kv: Deno.Kv, { groups }: Answer): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const { key } of groups) {
    const account = key === null ? null : await getAccount(kv, key);
    if (account !== null) names.set(account.id, account.name);
  }
  return names;
}

/** What should be known of a period that begins before the days that are kept. */
function removed({ from }: Period, { config, now }: Workplace): string[] {
  const { ANALYTICS_RETENTION_DAYS: days } = config;
  if (days === undefined) return [];
  const first = firstKeptDay(dayOf(now()), days);
  return from >= first
    ? []
    : [`days before ${first} are not counted, since ANALYTICS_RETENTION_DAYS is ${days}.`];
}

/** What should be known of figures whose last part is on its way. */
async function behind(kv: Deno.Kv): Promise<string[]> {
  const { waiting, aside } = await readBacklog(kv);
  const pages = waiting === 1 ? "1 page" : `${waiting} pages`;
  return [
    ...(waiting === 0 ? [] : [
      `${pages} of records are not delivered yet, so figures may be behind; ` +
      "they are delivered every minute, or by `deno task analytics flush`.",
    ]),
    ...(aside === 0 ? [] : [
      `${aside} pages could not be read and are missing; \`deno task analytics status\` says more.`,
    ]),
  ];
}

/** The tool; it shows its progress on the terminal, if there is one. */
export function createTool(terminal: Terminal | null): Tool {
  return {
    name: "usage",
    summary: "Usage: what requests came to.",
    commands: { [ONLY_COMMAND]: createReport(terminal) },
  };
}

if (import.meta.main) await runProcess(createTool(stderrTerminal()));

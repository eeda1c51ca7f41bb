/** `deno task status`: what the status page tells everybody, and what only the operator should read. */

import { dayOf, daysUntil, listAccounts, readDayBooks } from "../lib/accounts/mod.ts";
import { readBacklog } from "../lib/analytics/mod.ts";
import { readStoredSnapshot } from "../lib/events/mod.ts";
import { readStatus } from "../lib/status/mod.ts";
import type { Spending } from "./account_view.ts";
import { runProcess } from "./process.ts";
import { renderStatus, type SuspectCosts, toStatusJson } from "./status_view.ts";
import { type Command, ONLY_COMMAND, type Tool } from "./tool.ts";

const status: Command = {
  summary:
    "Says how everything is, which records are left out and why, why jobs failed, what was spent " +
    "today, and which costs of the last seven days are suspect. Asks nobody but the database.",
  parameters: [],
  options: {},
  examples: [
    ["", "for people"],
    ["--json | jq '.leftOut[]'", "the records that need mending"],
    ["--json | jq -r .today.spentUsd", "what all accounts have spent today (UTC)"],
  ],
  async run(_given, { kv, config, now }) {
    const at = now();
    const [report, snapshot, { today, suspectCosts }, backlog] = await Promise.all([
      readStatus({ kv, config, now: at, current: null }),
      // Of one that is damaged the report says what there is to say.
      readStoredSnapshot(kv).catch(() => null),
      readSpending(kv, dayOf(at)),
      readBacklog(kv),
    ]);
    const whole = { report, problems: snapshot?.problems ?? [], today, suspectCosts, backlog };
    return { json: toStatusJson(whole), text: renderStatus(whole) };
  },
};

/** How many days are looked through for suspect costs: a week, so that a weekend hides none. */
const SUSPECT_DAYS = 7;

/** What all accounts together did today, and which of their costs were suspect lately. */
async function readSpending(
  kv: Deno.Kv,
  day: string,
): Promise<{ today: Spending; suspectCosts: SuspectCosts[] }> {
  let sum: Spending = { spent: 0n, reserved: 0n, requests: 0 };
  const suspectCosts: SuspectCosts[] = [];
  const days = daysUntil(day, SUSPECT_DAYS);
  for await (const { id } of listAccounts(kv)) {
    const books = await readDayBooks(kv, id, days);
    const { spent = 0n, reserved = 0n, requests = 0 } = books[0] ?? {};
    sum = {
      spent: sum.spent + spent,
      reserved: sum.reserved + reserved,
      requests: sum.requests + requests,
    };
    books.forEach(({ suspectCosts: count = 0 }, ago) => {
      if (count > 0) suspectCosts.push({ accountId: id, day: days[ago] ?? day, requests: count });
    });
  }
  return { today: sum, suspectCosts };
}

/** The tool. */
export const tool: Tool = {
  name: "status",
  summary: "Status: how the service is.",
  commands: { [ONLY_COMMAND]: status },
};

if (import.meta.main) await runProcess(tool);

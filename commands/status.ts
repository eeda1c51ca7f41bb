/** `deno task status`: the status page's content, and what only the operator should read. */

import { dayOf, daysUntil, listAccounts, readDayBooks } from "../lib/accounts/mod.ts";
import { readBacklog } from "../lib/analytics/mod.ts";
import { readStoredSnapshot } from "../lib/events/mod.ts";
import type { LeaveOut } from "../lib/kv/mod.ts";
import { readStatus } from "../lib/status/mod.ts";
import type { Spending } from "./account_view.ts";
import { collectNewer } from "./find.ts";
import { runProcess } from "./process.ts";
import { renderStatus, type SuspectCosts, toStatusJson } from "./status_view.ts";
import { type Command, ONLY_COMMAND, type Tool } from "./tool.ts";

const status: Command = {
  summary:
    "Shows the state of every part, which records are left out and why, why jobs failed, what was\n" +
    "spent today, and which costs of the last seven days are suspect. It reads only the database.",
  examples: [
    ["", "for people"],
    ["--json | jq '.leftOut[]'", "the records that need repair"],
    ["--json | jq -r .today.spentUsd", "what all accounts have spent today (UTC)"],
  ],
  async run(_given, { kv, config, now }) {
    const at = now();
    const newer = collectNewer();
    const [report, snapshot, { today, suspectCosts }, backlog] = await Promise.all([
      readStatus({ kv, config, now: at, current: null }),
      // The report describes a damaged snapshot.
      readStoredSnapshot(kv).catch(() => null),
      readSpending(kv, dayOf(at), newer.leaveOut),
      readBacklog(kv),
    ]);
    const whole = { report, problems: snapshot?.problems ?? [], today, suspectCosts, backlog };
    return { json: toStatusJson(whole), text: renderStatus(whole), notes: newer.notes() };
  },
};

/** Suspect costs are shown for a week, so that a weekend hides none. */
const SUSPECT_DAYS = 7;

/** The totals of all accounts today, and their recent suspect costs. */
async function readSpending(
  kv: Deno.Kv,
  day: string,
  leaveOut: LeaveOut,
): Promise<{ today: Spending; suspectCosts: SuspectCosts[] }> {
  let sum: Spending = { spent: 0n, reserved: 0n, requests: 0 };
  const suspectCosts: SuspectCosts[] = [];
  const days = daysUntil(day, SUSPECT_DAYS);
  for await (const { id } of listAccounts(kv, leaveOut)) {
    const books = await readDayBooks(kv, id, days, leaveOut);
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
  summary: "Status: the state of the service.",
  commands: { [ONLY_COMMAND]: status },
};

if (import.meta.main) await runProcess(tool);

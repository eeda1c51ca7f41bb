/** `deno task status`: what the status page tells everybody, and what only the operator should read. */

import { listAccounts } from "../lib/accounts/account.ts";
import { dayOf, readDayBook } from "../lib/accounts/books.ts";
import { readBacklog } from "../lib/analytics/backlog.ts";
import { readStoredSnapshot } from "../lib/events/source.ts";
import { readStatus } from "../lib/status/report.ts";
import type { Spending } from "./account_view.ts";
import { runProcess } from "./process.ts";
import { renderStatus, toStatusJson } from "./status_view.ts";
import { type Command, ONLY_COMMAND, type Tool } from "./tool.ts";

const status: Command = {
  summary:
    "Says how everything is, which records are left out and why, why jobs failed, and what " +
    "was spent today. Asks nobody but the database.",
  parameters: [],
  options: {},
  examples: [
    ["", "for people"],
    ["--json | jq '.leftOut[]'", "the records that need mending"],
    ["--json | jq -r .today.spentUsd", "what all accounts have spent today (UTC)"],
  ],
  async run(_given, { kv, config, now }) {
    const at = now();
    const [report, snapshot, today, backlog] = await Promise.all([
      readStatus({ kv, config, now: at, current: null }),
      // Of one that is damaged the report says what there is to say.
      readStoredSnapshot(kv).catch(() => null),
      sumOfDay(kv, dayOf(at)),
      readBacklog(kv),
    ]);
    const whole = { report, problems: snapshot?.problems ?? [], today, backlog };
    return { json: toStatusJson(whole), text: renderStatus(whole) };
  },
};

/** What all accounts together did on a day. */
async function sumOfDay(kv: Deno.Kv, day: string): Promise<Spending> {
  let sum: Spending = { spent: 0n, reserved: 0n, requests: 0 };
  for await (const { id } of listAccounts(kv)) {
    const { spent, reserved, requests } = await readDayBook(kv, id, day);
    sum = {
      spent: sum.spent + spent,
      reserved: sum.reserved + reserved,
      requests: sum.requests + requests,
    };
  }
  return sum;
}

/** The tool. */
export const tool: Tool = {
  name: "status",
  summary: "Status: how the service is.",
  commands: { [ONLY_COMMAND]: status },
};

if (import.meta.main) await runProcess(tool);

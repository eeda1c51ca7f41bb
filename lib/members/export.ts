/** Everything that is stored about a member, as one JSON text, yielded in parts. */

import { listAuditEntries } from "../accounts/audit_log.ts";
import { listKeys } from "../accounts/key.ts";
import { dayOf, daysUntil } from "../platform/utc_days.ts";
import { listUsage, readDays } from "../proxy/ledger/read.ts";
import { BOOK_DAYS } from "../proxy/ledger/retention.ts";
import type { RefusalRecorder } from "../proxy/records/refusals.ts";
import { isObject } from "../platform/json.ts";
import { formatUsd } from "../platform/money.ts";
import type { Platform } from "../platform/platform.ts";
import { listSessions, type Member } from "./sessions.ts";

interface Sources extends Pick<Platform, "kv" | "now"> {
  readonly refusals: Pick<RefusalRecorder, "list">;
}

/**
 * Reads everything but the long lists, and resolves to the text with them: bounded memory, however many requests there
 * are. Hashes of secrets are left out.
 */
export async function exportMember(
  sources: Sources,
  { account }: Member,
): Promise<AsyncGenerator<string>> {
  const { kv, refusals, now } = sources;
  const days = daysUntil(dayOf(now()), BOOK_DAYS);
  const sums = await readDays(kv, account.id, days);
  const head = {
    account,
    keys: (await listKeys(kv, account.id)).map(({ secretHash: _hash, ...key }) => key),
    sessions: await listSessions(kv, account.id, now()),
    days: days.flatMap((day, at) =>
      (sums[at]?.requests || sums[at]?.spent) ? [{ day, ...sums[at] }] : []
    ),
    refusals: (await refusals.list(account.id)).map(({ accountId: _account, ...each }) => each),
  };
  return writeExport(kv, account.id, toJson(head).slice(0, -2));
}

async function* writeExport(kv: Deno.Kv, accountId: string, head: string): AsyncGenerator<string> {
  yield head;
  yield* writeList("changes", listOwnChanges(kv, accountId));
  yield* writeList("requests", listUsage(kv, accountId));
  yield "\n}\n";
}

async function* writeList(name: string, values: AsyncIterable<unknown>): AsyncGenerator<string> {
  yield `,\n  ${JSON.stringify(name)}: [`;
  let separator = "\n    ";
  for await (const value of values) {
    yield separator + toJson(value, 0);
    separator = ",\n    ";
  }
  yield "\n  ]";
}

/** The audit log, without the names of the operators who made them. */
async function* listOwnChanges(kv: Deno.Kv, accountId: string) {
  for await (const { by, ...change } of listAuditEntries(kv, accountId)) {
    yield { ...change, by: "command" in by ? { command: by.command } : by };
  }
}

/**
 * JSON with amounts as text in USD, which their names then say, and times as in ISO 8601. The versions of stored values
 * are left out.
 */
function toJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, (name, each) => {
    if (name === "version") return undefined;
    if (isObject(each)) return Object.fromEntries(Object.entries(each).map(withUnit));
    const isTime = typeof each === "number" && /^(?:at|until|.*At)$/.test(name);
    return isTime ? new Date(each).toISOString() : each;
  }, indent);
}

/**
 * A member of an object; every bigint is an amount in nano-dollars: `spent` becomes `spentUsd`, and `limitNanoUsd`
 * becomes `limitUsd`, null included.
 */
function withUnit([name, value]: [string, unknown]): [string, unknown] {
  if (typeof value !== "bigint" && !name.endsWith("NanoUsd")) return [name, value];
  const amount = typeof value === "bigint" ? formatUsd(value) : value;
  return [`${name.replace(/NanoUsd$/, "")}Usd`, amount];
}

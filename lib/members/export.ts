/** Everything that is stored about a member, as one JSON text, yielded in parts. */

import {
  type DayBook,
  daysPrefix,
  listCapDays,
  listChanges,
  listKeys,
  MissingTableError,
  type Refusal,
  type RefusalRecorder,
  StoreError,
  type UsageRecord,
  usagesPrefix,
} from "../proxy/mod.ts";
import { PublicError } from "../platform/http/errors.ts";
import { listEntries } from "../platform/kv/list.ts";
import { isObject } from "../platform/json.ts";
import { formatUsd } from "../platform/money.ts";
import { listSessions, type Member } from "./sessions.ts";
import type { Log } from "../platform/log.ts";

const NEWER_IS_LEFT_OUT = { leaveOut() {} };

/** The sources of the text. */
interface Sources {
  readonly kv: Deno.Kv;
  readonly refusals: Pick<RefusalRecorder, "list">;
  readonly now: () => number;
  readonly log: Pick<Log, "warn">;
}

const NONE_STORED = "This service does not store refused requests.";

/**
 * Reads everything but the long lists, and resolves to the text with them: bounded memory, however many requests there
 * are. Hashes of secrets are left out.
 *
 * @throws {PublicError} `service_unavailable` if the analytics store does not respond.
 */
export async function exportMember(
  sources: Sources,
  { account }: Member,
): Promise<AsyncGenerator<string>> {
  const { kv, now } = sources;
  const days = [];
  for await (
    const { key, value } of listEntries<DayBook>(kv, daysPrefix(account.id), NEWER_IS_LEFT_OUT)
  ) {
    if (value.requests > 0) days.push({ day: String(key[2]), ...value });
  }
  const refusals = await listRefusals(sources, account.id);
  const head = {
    account,
    keys: (await listKeys(kv, account.id)).map(({ secretHash: _hash, ...key }) => key),
    sessions: await listSessions(kv, account.id, now()),
    days: days.toReversed(),
    refusals: (refusals ?? []).map(({ accountId: _account, ...each }) => each),
    ...refusals === null && { note: NONE_STORED },
  };
  return writeExport(kv, account.id, toJson(head).slice(0, -2));
}

/** Null if the operator has not created the table of refusals, so that none are stored. */
async function listRefusals(
  { refusals, log }: Pick<Sources, "refusals" | "log">,
  accountId: string,
): Promise<Refusal[] | null> {
  try {
    return await refusals.list(accountId);
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    if (cause instanceof MissingTableError) {
      log.warn("The copy of a member's data has no refused requests.", { cause });
      return null;
    }
    const message = "The analytics store does not respond, so refused requests would be missing.";
    throw new PublicError("service_unavailable", message, {
      hint: "Try again in a minute.",
      headers: { "retry-after": "60" },
      cause,
    });
  }
}

async function* writeExport(kv: Deno.Kv, accountId: string, head: string): AsyncGenerator<string> {
  yield head;
  yield* writeList("changes", listOwnChanges(kv, accountId));
  yield* writeList("capDays", listCapDays(kv, accountId));
  yield* writeList("requests", listRequests(kv, accountId));
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

/** The record of changes, without the names of the operators who made them. */
async function* listOwnChanges(kv: Deno.Kv, accountId: string) {
  for await (const { by, ...change } of listChanges(kv, accountId, NEWER_IS_LEFT_OUT.leaveOut)) {
    yield { ...change, by: "command" in by ? { command: by.command } : by };
  }
}

async function* listRequests(kv: Deno.Kv, accountId: string): AsyncGenerator<UsageRecord> {
  const batches = listEntries<UsageRecord[]>(kv, usagesPrefix(accountId), NEWER_IS_LEFT_OUT);
  for await (const { value } of batches) yield* value;
}

/** JSON with amounts as text in USD, which their names then say, and times as in ISO 8601. */
function toJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, (name, each) => {
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

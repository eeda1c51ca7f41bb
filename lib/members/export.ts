/** Everything that is stored about a member, as one JSON text, yielded in parts. */

import {
  type DayBook,
  daysPrefix,
  listKeys,
  type UsageRecord,
  usagesPrefix,
} from "../accounts/mod.ts";
import { listEntries } from "../kv/mod.ts";
import { formatUsd } from "../money.ts";
import { listSessions, type Member } from "../sign_in/mod.ts";

/** Yields the text: bounded memory, however many requests there are. Hashes of secrets are left out. */
export async function* exportMember(
  kv: Deno.Kv,
  { account }: Member,
  now: number,
): AsyncGenerator<string> {
  const newerIsLeftOut = { leaveOut() {} };
  const days = [];
  for await (
    const { key, value } of listEntries<DayBook>(kv, daysPrefix(account.id), newerIsLeftOut)
  ) {
    if (value.requests > 0) days.push({ day: String(key[2]), ...value });
  }
  const head = {
    account,
    keys: (await listKeys(kv, account.id)).map(({ secretHash: _hash, ...key }) => key),
    sessions: await listSessions(kv, account.id, now),
    days: days.toReversed(),
  };
  yield `${toJson(head).slice(0, -2)},\n  "requests": [`;
  let separator = "\n    ";
  const batches = listEntries<UsageRecord[]>(kv, usagesPrefix(account.id), newerIsLeftOut);
  for await (const { value } of batches) {
    for (const record of value) {
      yield separator + toJson(record, 0);
      separator = ",\n    ";
    }
  }
  yield "\n  ]\n}\n";
}

/** JSON with amounts as text in USD, and times as in ISO 8601. */
function toJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, (name, each) => {
    if (typeof each === "bigint") return formatUsd(each);
    const isTime = typeof each === "number" && (name === "at" || name.endsWith("At"));
    return isTime ? new Date(each).toISOString() : each;
  }, indent);
}

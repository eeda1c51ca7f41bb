/**
 * Stored refusals: one value for each account and day, with up to a hundred kinds. So a value stays small, however
 * many reasons there are, and a page reads an account's two weeks in a few reads.
 */

import { dayOf, daysUntil } from "../ledger/days.ts";
import { beginAtomic } from "../../platform/kv/write.ts";
import { getEntries, listEntries } from "../../platform/kv/list.ts";
import { retryLocked } from "../../platform/kv/open.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import {
  daysFrom,
  firstKeptDay,
  type Grouping,
  type Question,
  type RefusalCount,
} from "./question.ts";
import { mergeRefusals, type Refusal, REFUSAL_DAYS, statusOfCode } from "./refusal.ts";

/** The value of an account and a day: the latest refusals first. */
interface Stored {
  readonly list: readonly Refusal[];
}

const dayPrefix = (day: string): Deno.KvKey => ["refusals", day];
const refusalsKey = (day: string, accountId: string): Deno.KvKey => [...dayPrefix(day), accountId];

/** A KV value holds 65,536 bytes, and a refusal takes about 300. */
export const MAX_KINDS_PER_DAY = 100;
/** A self-hosted KV takes ten checks in a commit. */
const VALUES_PER_COMMIT = 10;
/** A value is read until the end of the 14th day after its own. One more day allows for clocks that differ. */
const LIFETIME = { expireIn: (REFUSAL_DAYS + 2) * DAY_MILLISECONDS };

/** Stores refusals. Stored again, they count again. */
export async function storeRefusals(kv: Deno.Kv, refusals: readonly Refusal[]): Promise<void> {
  const byDay = Map.groupBy(refusals, ({ lastAt }) => dayOf(lastAt));
  const lists = [...byDay].flatMap(([day, ofDay]) =>
    [...Map.groupBy(ofDay, ({ accountId }) => accountId)]
      .map(([accountId, list]) => [refusalsKey(day, accountId), list] as const)
  );
  for (let at = 0; at < lists.length; at += VALUES_PER_COMMIT) {
    await add(kv, lists.slice(at, at + VALUES_PER_COMMIT));
  }
}

/** Adds each list to the value of its key, all in one commit. */
async function add(
  kv: Deno.Kv,
  lists: readonly (readonly [Deno.KvKey, readonly Refusal[]])[],
): Promise<void> {
  for (;;) {
    const entries = await getEntries<Stored>(kv, lists.map(([key]) => key));
    const operation = beginAtomic(kv);
    for (const [index, [key, refusals]] of lists.entries()) {
      const { value, versionstamp } = entries[index] ?? { value: null, versionstamp: null };
      const list = mergeRefusals([...value?.list ?? [], ...refusals], MAX_KINDS_PER_DAY);
      operation.check({ key, versionstamp }).set(key, { list } satisfies Stored, LIFETIME);
    }
    if ((await retryLocked(() => operation.commit())).ok) return;
  }
}

/** An account's stored refusals of the last 14 days. */
export async function listRefusals(
  kv: Deno.Kv,
  accountId: string,
  now: number,
): Promise<Refusal[]> {
  return await listDays(kv, accountId, daysUntil(dayOf(now), REFUSAL_DAYS + 1));
}

async function listDays(
  kv: Deno.Kv,
  accountId: string,
  days: readonly string[],
): Promise<Refusal[]> {
  const entries = await getEntries<Stored>(kv, days.map((day) => refusalsKey(day, accountId)));
  return mergeRefusals(entries.flatMap(({ value }) => value?.list ?? []));
}

/** The key of a refusal's group. Refusals name no model. */
const KEYS = {
  account: ({ accountId }) => accountId,
  endpoint: ({ endpoint }) => endpoint,
  day: ({ lastAt }) => dayOf(lastAt),
  status: ({ code }) => statusOfCode(code),
  model: () => null,
} satisfies Record<Grouping, (refusal: Refusal) => string | null>;

/** Counts the refused requests of the last 14 days, the most frequent first, and equally frequent ones by their names. */
export async function countRefusals(
  kv: Deno.Kv,
  { from, to, accountId, by }: Question,
  now: number,
): Promise<RefusalCount[]> {
  const first = firstKeptDay(dayOf(now), REFUSAL_DAYS);
  const days = daysFrom(from < first ? first : from, to);
  const sums = new Map<string, RefusalCount>();
  for await (
    const refusal of accountId === null ? listAll(kv, days) : await listDays(kv, accountId, days)
  ) {
    const { code, reason, requests } = refusal;
    const key = KEYS[by](refusal);
    const name = `${key} ${code} ${reason}`;
    sums.set(name, { key, code, reason, requests: requests + (sums.get(name)?.requests ?? 0) });
  }
  return [...sums].sort(([a, { requests: ofA }], [b, { requests: ofB }]) =>
    ofB - ofA || (a < b ? -1 : 1)
  ).map(([, sum]) => sum);
}

async function* listAll(kv: Deno.Kv, days: readonly string[]): AsyncGenerator<Refusal> {
  for (const day of days) {
    for await (const { value } of listEntries<Stored>(kv, dayPrefix(day))) yield* value.list;
  }
}

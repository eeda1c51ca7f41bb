/**
 * Refusals in Deno KV: one value for each account and day, with up to a hundred kinds. So a value stays small, however
 * many reasons there are, and a page reads an account's two weeks in one read.
 */

import { dayOf, daysUntil } from "../ledger/books.ts";
import { beginAtomic } from "../../platform/kv/write.ts";
import { getEntries, listEntries } from "../../platform/kv/list.ts";
import { inFittingParts } from "../../platform/kv/commit_size.ts";
import { retryLocked } from "../../platform/kv/open.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import { mergeRefusals, type Refusal, REFUSAL_DAYS } from "./refusal.ts";
import { daysFrom, withoutPastDays } from "./retention.ts";
import type { Question, RefusalCount } from "./store.ts";
import { REFUSAL_KEYS, sumCounts } from "./tally.ts";

/** The value of an account and a day: the latest refusals first. */
interface Stored {
  readonly list: readonly Refusal[];
}

const dayPrefix = (day: string): Deno.KvKey => ["analytics", "refusals", day];
const refusalsKey = (day: string, accountId: string): Deno.KvKey => [...dayPrefix(day), accountId];

/** A KV value holds 65,536 bytes, and a refusal takes about 300. */
export const MAX_KINDS_PER_DAY = 100;
const VALUES_PER_COMMIT = 20;
/** A value is read until the end of the 14th day after its own. One more day allows for clocks that differ. */
const LIFETIME = { expireIn: (REFUSAL_DAYS + 2) * DAY_MILLISECONDS };

/** Creates the part of the embedded store that keeps refusals; its functions throw what the database throws. */
export function createEmbeddedRefusals(kv: Deno.Kv, now: () => number) {
  /** Adds each list to the value of its key, all in one commit. */
  async function add(lists: readonly (readonly [Deno.KvKey, readonly Refusal[]])[]): Promise<void> {
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

  async function list(accountId: string, days: readonly string[]): Promise<Refusal[]> {
    const entries = await getEntries<Stored>(kv, days.map((day) => refusalsKey(day, accountId)));
    return entries.flatMap(({ value }) => value?.list ?? []);
  }

  async function* listAll(days: readonly string[]): AsyncGenerator<Refusal> {
    for (const day of days) {
      for await (const { value } of listEntries<Stored>(kv, dayPrefix(day))) yield* value.list;
    }
  }

  return {
    async insertRefusals(refusals: readonly Refusal[]): Promise<void> {
      const byDay = Map.groupBy(refusals, ({ lastAt }) => dayOf(lastAt));
      const lists = [...byDay].flatMap(([day, ofDay]) =>
        [...Map.groupBy(ofDay, ({ accountId }) => accountId)]
          .map(([accountId, list]) => [refusalsKey(day, accountId), list] as const)
      );
      for (let at = 0; at < lists.length; at += VALUES_PER_COMMIT) {
        await inFittingParts(lists.slice(at, at + VALUES_PER_COMMIT), add);
      }
    },
    listRefusals: (accountId: string) => list(accountId, daysUntil(dayOf(now()), REFUSAL_DAYS + 1)),
    countRefusals(question: Question): Promise<RefusalCount[]> {
      const { from, to, accountId, by } = withoutPastDays(question, { days: REFUSAL_DAYS, now });
      const days = daysFrom(from, to);
      async function* counts() {
        const refusals = accountId === null ? listAll(days) : await list(accountId, days);
        for await (const refusal of refusals) yield { ...refusal, key: REFUSAL_KEYS[by](refusal) };
      }
      return sumCounts(counts());
    },
  };
}

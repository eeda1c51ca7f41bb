/**
 * Refusals in Deno KV: one value for each account and day, with up to a hundred kinds. So a value stays small, however
 * many reasons there are, and a page reads an account's two weeks in one read.
 */

import { dayOf, daysUntil } from "../ledger/mod.ts";
import { beginAtomic, getEntries, inFittingParts, listEntries, retryLocked } from "../kv/mod.ts";
import { DAY_MILLISECONDS } from "../time.ts";
import { mergeRefusals, type Refusal, REFUSAL_DAYS } from "./refusal.ts";
import { createRefusalCount } from "./refusal_count.ts";
import { daysFrom, withoutPastDays } from "./retention.ts";
import type { RefusalStore } from "./store.ts";

/** The value of an account and a day: the latest refusals first. */
interface Stored {
  readonly list: readonly Refusal[];
}

const REFUSALS = ["analytics", "refusals"];
const dayPrefix = (day: string): Deno.KvKey => [...REFUSALS, day];
const refusalsKey = (day: string, accountId: string): Deno.KvKey => [...dayPrefix(day), accountId];

/** A KV value holds 65,536 bytes, and a refusal takes about 300. */
export const MAX_KINDS_PER_DAY = 100;
const VALUES_PER_COMMIT = 20;
/** A value is read until the end of the 14th day after its own. One more day allows for clocks that differ. */
const LIFETIME = { expireIn: (REFUSAL_DAYS + 2) * DAY_MILLISECONDS };

/** Creates the part of the embedded store that keeps refusals; its functions throw what the database throws. */
export function createEmbeddedRefusals(kv: Deno.Kv, now: () => number): RefusalStore {
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

  return {
    async insertRefusals(refusals) {
      const byValue = Map.groupBy(
        refusals,
        ({ accountId, lastAt }) => `${dayOf(lastAt)} ${accountId}`,
      );
      const lists = [...byValue].map(([name, list]) => {
        const [day = "", accountId = ""] = name.split(" ");
        return [refusalsKey(day, accountId), list] as const;
      });
      for (let at = 0; at < lists.length; at += VALUES_PER_COMMIT) {
        await inFittingParts(lists.slice(at, at + VALUES_PER_COMMIT), add);
      }
    },
    listRefusals: (accountId) => list(accountId, daysUntil(dayOf(now()), REFUSAL_DAYS + 1)),
    async countRefusals(question) {
      const { from, to, accountId, by } = withoutPastDays(question, { days: REFUSAL_DAYS, now });
      const days = daysFrom(from, to);
      const count = createRefusalCount(by);
      if (accountId !== null) (await list(accountId, days)).forEach(count.add);
      else {
        for (const day of days) {
          for await (const { value } of listEntries<Stored>(kv, dayPrefix(day))) {
            value.list.forEach(count.add);
          }
        }
      }
      return count.answer();
    },
  };
}

/** Removes books that are old. How old, the caller says: no clock decides here. */

import {
  beginAtomic,
  getKnownEntries,
  inFittingParts,
  listEntries,
  retryLocked,
} from "../kv/mod.ts";
import { dayKey, daysPrefix, usagePrefix, usagesPrefix } from "./books.ts";

/** Each page is removed with three checks, of the hundred that a commit may have. */
const PAGES_PER_COMMIT = 30;

/** Removes an account's day books from before a day. */
export async function removeOldDays(kv: Deno.Kv, accountId: string, before: string): Promise<void> {
  const older = { before: dayKey(accountId, before), leaveOut };
  for await (const { key } of listEntries(kv, daysPrefix(accountId), older)) {
    await retryLocked(() => kv.delete(key));
  }
}

/**
 * Removes an account's pages of usage records from before a day, each only while none of its `markers` is
 * there: they say that it has not been delivered.
 */
export async function removeOldUsage(
  kv: Deno.Kv,
  accountId: string,
  before: string,
  markers: (page: string) => readonly Deno.KvKey[],
): Promise<void> {
  const older = { before: usagePrefix(accountId, before), leaveOut };
  let pages: Deno.KvEntry<unknown>[] = [];
  for await (const page of listEntries<unknown>(kv, usagesPrefix(accountId), older)) {
    if (pages.push(page) < PAGES_PER_COMMIT) continue;
    await removePages(kv, pages, markers);
    pages = [];
  }
  await removePages(kv, pages, markers);
}

async function removePages(
  kv: Deno.Kv,
  pages: readonly Deno.KvEntry<unknown>[],
  markers: (page: string) => readonly Deno.KvKey[],
): Promise<void> {
  const marked = pages.map((page) => ({ page, keys: markers(String(page.key.at(-1))) }));
  const found = await getKnownEntries(kv, marked.flatMap(({ keys }) => keys), leaveOut);
  const absent = new Set(
    found.flatMap((entry) => entry?.versionstamp === null ? [entry.key.join("\n")] : []),
  );
  const delivered = marked.filter(({ keys }) => keys.every((key) => absent.has(key.join("\n"))));
  await inFittingParts(delivered, async (some) => {
    const operation = beginAtomic(kv);
    for (const { page, keys } of some) {
      operation.check(page).delete(page.key);
      for (const key of keys) operation.check({ key, versionstamp: null });
    }
    // A page that was written meanwhile keeps its neighbours for a day longer.
    await retryLocked(() => operation.commit());
  });
}

/** What only a newer version knows, that removes. */
function leaveOut(): void {}

/**
 * Values as they are stored, whatever their format: for backups, which interpret nothing. All other code reads with
 * `list.ts` and writes with `write.ts`.
 */

import { readBatch } from "./list.ts";
import { retryLocked } from "./open.ts";

/** A stored value and its key. */
export interface Stored {
  readonly key: Deno.KvKey;
  readonly value: unknown;
}

/** Yields the stored values under a prefix, in batches of 100; each is one consistent read. */
export async function* listStored(kv: Deno.Kv, prefix: Deno.KvKey): AsyncGenerator<Stored> {
  let cursor = "";
  do {
    const batch = await retryLocked(() => readBatch<unknown>(kv, { prefix }, cursor));
    for (const { key, value } of batch.entries) yield { key, value };
    cursor = batch.cursor;
  } while (cursor !== "");
}

/** Sets stored values in one commit: at most 1,000, and 800 KiB with their keys. */
export async function setStored(kv: Deno.Kv, some: readonly Stored[]): Promise<void> {
  const operation = kv.atomic();
  for (const { key, value } of some) operation.set(key, value);
  await retryLocked(() => operation.commit());
}

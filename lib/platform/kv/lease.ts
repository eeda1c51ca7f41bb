/**
 * Leases: one worker among many isolates. A lease is a record with an end. Past its end any isolate may take
 * it, so a crash locks nothing for longer than the lease's time.
 */

import { getEntry } from "./list.ts";
import { beginAtomic, commit, commitOnce } from "./write.ts";

/** A lease that is held. */
export interface Lease {
  /** Adds the check that the lease is still held to an atomic operation. */
  guard(operation: Deno.AtomicOperation): Deno.AtomicOperation;
  /** Gives the lease back, unless it was lost in the meantime. */
  release(): Promise<void>;
}

interface LeaseRecord {
  readonly holder: string;
  /** Epoch milliseconds. Compared in code, because KV may remove an expired entry late. */
  readonly endsAt: number;
}

/**
 * Takes a lease; null while another process holds it.
 *
 * @param now epoch milliseconds.
 */
export async function takeLease(
  kv: Deno.Kv,
  name: string,
  milliseconds: number,
  now: number,
): Promise<Lease | null> {
  const key = ["lease", name];
  const holder = crypto.randomUUID();
  const current = await getEntry<LeaseRecord>(kv, key);
  // The holder's clock may be ahead, or `now` may be older than the lease. But a clock that was set far back must
  // not lock the lease for more than twice its time.
  const endsAt = current.value?.endsAt ?? 0;
  if (endsAt > now && endsAt <= now + 2 * milliseconds) return null;
  const record: LeaseRecord = { holder, endsAt: now + milliseconds };
  const operation = beginAtomic(kv).check(current).set(key, record, { expireIn: milliseconds });
  const taken = await commitOnce(kv, operation, key, record);
  if (!taken.ok) return null;
  const held = { key, versionstamp: taken.versionstamp };
  return {
    guard: (operation) => operation.check(held),
    async release() {
      await commit(kv.atomic().check(held).delete(key));
    },
  };
}

/**
 * The last failed read of the record store, for all isolates, the status page and the operator's commands.
 * It is stored until a read succeeds. A read that would lose most events counts as failed until an operator
 * accepts that loss.
 */

import { beginAtomic, getEntry, type Lease, retryLocked } from "../kv/mod.ts";
import type { Loss } from "./loss.ts";
import type { StoreFault } from "./store.ts";

/** A loss that was refused, and until when an operator accepts it (epoch milliseconds; null: not accepted). */
export interface RefusedLoss extends Loss {
  readonly acceptedUntil: number | null;
}

/** Why the store cannot be read; times are epoch milliseconds. */
export interface ReadFailure {
  /** When the last read failed, and when the first one failed since a success. */
  readonly at: number;
  readonly since: number;
  readonly fault: StoreFault;
  /** For the operator. It contains no credentials, but may name columns. */
  readonly reason: string;
  /** The last refused loss, even if the store has failed differently since; null if there is none. */
  readonly loss: RefusedLoss | null;
}

/** How long an acceptance holds. */
const ACCEPTED_MILLISECONDS = 3_600_000;
const MAX_REASON_LENGTH = 1_000;

const failureKey: Deno.KvKey = ["events", "failure"];
/** The key of the pause in which no isolate reads the store (`lib/kv/shared_copy.ts`). */
export const pauseKey: Deno.KvKey = ["events", "pause"];

/** The last failed read; null if a read has succeeded since. */
export async function readFailure(kv: Deno.Kv): Promise<ReadFailure | null> {
  return (await getEntry<ReadFailure>(kv, failureKey)).value;
}

/** Removes the failure in the commit of a successful read. */
export function clearFailure(operation: Deno.AtomicOperation): Deno.AtomicOperation {
  return operation.delete(failureKey);
}

/** Stores a failed read, unless its lease is lost. */
export async function recordFailure(
  kv: Deno.Kv,
  { guard }: Pick<Lease, "guard">,
  failure: Omit<ReadFailure, "since" | "loss"> & { readonly loss: Loss | null },
): Promise<void> {
  const entry = await getEntry<ReadFailure>(kv, failureKey);
  const before = entry.value;
  const isSameLoss = before?.loss?.digest === failure.loss?.digest;
  const value: ReadFailure = {
    ...failure,
    reason: failure.reason.slice(0, MAX_REASON_LENGTH),
    since: before?.since ?? failure.at,
    loss: failure.loss === null
      ? before?.loss ?? null
      : { ...failure.loss, acceptedUntil: isSameLoss ? before?.loss?.acceptedUntil ?? null : null },
  };
  // If an operator accepts a loss at this moment, this commit fails, and the next read finds the acceptance.
  const operation = guard(beginAtomic(kv)).check(entry).set(failureKey, value);
  await retryLocked(() => operation.commit());
}

/** Whether an operator has accepted exactly this loss. */
export async function isAccepted(kv: Deno.Kv, { digest }: Loss, now: number): Promise<boolean> {
  const loss = (await readFailure(kv))?.loss ?? null;
  if (loss === null || loss.digest !== digest || loss.acceptedUntil === null) return false;
  return now < loss.acceptedUntil && loss.acceptedUntil <= now + 2 * ACCEPTED_MILLISECONDS;
}

/**
 * Accepts the refused loss, and no other, for an hour: the next read with that loss succeeds. Ends the pause, so
 * that this read may begin at once.
 *
 * @param now epoch milliseconds.
 * @returns the loss; null if none was refused.
 */
export async function acceptLoss(kv: Deno.Kv, now: number): Promise<RefusedLoss | null> {
  while (true) {
    const entry = await getEntry<ReadFailure>(kv, failureKey);
    if (entry.value === null || entry.value.loss === null) return null;
    const loss = { ...entry.value.loss, acceptedUntil: now + ACCEPTED_MILLISECONDS };
    const operation = beginAtomic(kv).check(entry)
      .set(failureKey, { ...entry.value, loss } satisfies ReadFailure)
      .delete(pauseKey);
    if ((await retryLocked(() => operation.commit())).ok) return loss;
  }
}

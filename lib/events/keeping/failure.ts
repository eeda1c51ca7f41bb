/**
 * The last failed read, which is stored until a read succeeds: it keeps every isolate from the store for a while, and
 * tells the status page and the operator's commands why.
 */

import { beginAtomic, commit } from "../../platform/kv/write.ts";
import { getEntry } from "../../platform/kv/list.ts";
import type { Lease } from "../../platform/kv/lease.ts";
import { type Loss, ReadError, type ReadFault } from "../reading/record_store.ts";
import { MAX_LAG_MILLISECONDS, MAX_SKEW_MILLISECONDS } from "../values.ts";

/** A loss that was refused, and until when an operator accepts it (epoch milliseconds; null: not accepted). */
export interface RefusedLoss extends Loss {
  readonly acceptedUntil: number | null;
}

/** Why the store cannot be read; times are epoch milliseconds. */
export interface ReadFailure {
  /** When the last read failed, and when the first one failed since a success. */
  readonly at: number;
  readonly since: number;
  /** Until when no isolate reads the store. */
  readonly until: number;
  readonly fault: ReadFault;
  /** For the operator. It contains no credentials, but may name columns. */
  readonly reason: string;
  /** The last refused loss, even if the store has failed differently since; null if there is none. */
  readonly loss: RefusedLoss | null;
}

/** After a failed read, unless the store asks for more: long enough not to overload it. */
const PAUSE_SECONDS = 5;
/** How long an acceptance holds. */
const ACCEPTED_MILLISECONDS = 3_600_000;
const MAX_FAILURE_LENGTH = 1_000;

const failureKey: Deno.KvKey = ["events", "failure"];

/** The last failed read; null if a read has succeeded since. */
export async function readFailure(kv: Deno.Kv): Promise<ReadFailure | null> {
  return (await getEntry<ReadFailure>(kv, failureKey)).value;
}

/** Removes the failure in the commit of a successful read. */
export function clearFailure(operation: Deno.AtomicOperation): void {
  operation.delete(failureKey);
}

/** The rest of a failure's pause in milliseconds; 0 if it is longer than the whole, because some clock is wrong. */
export function pauseLeft({ at, until }: Pick<ReadFailure, "at" | "until">, now: number): number {
  const left = until - now;
  return left > 0 && left <= until - at + MAX_SKEW_MILLISECONDS ? left : 0;
}

/** A failure of this moment. */
type NewFailure = Omit<ReadFailure, "since" | "loss"> & { readonly loss: Loss | null };

/**
 * The failure of a read that ended with an error. Its pause is no longer than the allowed lag, because a longer one
 * would look like a clock set back. Only a used-up quota deserves a longer wait.
 *
 * @param now epoch milliseconds.
 */
export function failureOf(error: unknown, now: number): NewFailure {
  const { fault, loss, pauseSeconds, message: reason } = error instanceof ReadError
    ? error
    : new ReadError("unavailable", String(error));
  const longest = fault === "quota" ? Infinity : MAX_LAG_MILLISECONDS;
  const until = now + Math.min((pauseSeconds ?? PAUSE_SECONDS) * 1_000, longest);
  return { fault, reason, loss, at: now, until };
}

/** Stores a failed read, unless its lease is lost. */
export async function recordFailure(
  kv: Deno.Kv,
  { guard }: Pick<Lease, "guard">,
  failure: NewFailure,
): Promise<void> {
  const entry = await getEntry<ReadFailure>(kv, failureKey);
  const before = entry.value;
  const isSameLoss = before?.loss?.digest === failure.loss?.digest;
  const value: ReadFailure = {
    ...failure,
    reason: failure.reason.slice(0, MAX_FAILURE_LENGTH),
    since: before?.since ?? failure.at,
    loss: failure.loss === null
      ? before?.loss ?? null
      : { ...failure.loss, acceptedUntil: isSameLoss ? before?.loss?.acceptedUntil ?? null : null },
  };
  // If an operator accepts a loss at this moment, this commit fails, and the next read finds the acceptance.
  const operation = guard(beginAtomic(kv)).check(entry).set(failureKey, value);
  await commit(operation);
}

/** Whether an operator has accepted exactly this loss. */
export async function isAccepted(kv: Deno.Kv, { digest }: Loss, now: number): Promise<boolean> {
  const loss = (await readFailure(kv))?.loss ?? null;
  if (loss === null || loss.digest !== digest || loss.acceptedUntil === null) return false;
  return now < loss.acceptedUntil;
}

/**
 * Accepts the refused loss, and no other, for an hour: the next read with that loss succeeds. Ends the pause, so
 * that this read may begin at once.
 *
 * @param now epoch milliseconds.
 * @param digest the loss that is meant; null for whichever was refused.
 * @param note adds to the commit.
 * @returns the loss; null if none was refused, or another one.
 */
export async function acceptLoss(
  kv: Deno.Kv,
  now: number,
  digest: string | null,
  note: (operation: Deno.AtomicOperation, loss: RefusedLoss) => void,
): Promise<RefusedLoss | null> {
  while (true) {
    const entry = await getEntry<ReadFailure>(kv, failureKey);
    const refused = entry.value?.loss ?? null;
    if (entry.value === null || refused === null) return null;
    if (digest !== null && refused.digest !== digest) return null;
    const loss = { ...refused, acceptedUntil: now + ACCEPTED_MILLISECONDS };
    const value: ReadFailure = { ...entry.value, until: entry.value.at, loss };
    const operation = beginAtomic(kv).check(entry).set(failureKey, value);
    note(operation, loss);
    if ((await commit(operation)).ok) return loss;
  }
}

/**
 * How large a commit may be. Deno KV allows checks of 100 keys, a self-hosted server 10, and neither states its limit
 * before it refuses a commit. The first refusal is remembered, and larger commits are refused here, without a
 * request.
 */

import { isRemote } from "./open.ts";

/** A commit checks more keys than its database allows. It was not made. */
class TooManyChecks extends TypeError {
  constructor(readonly checks: number, cause?: unknown) {
    super(`a commit checks ${checks} keys; the database allows ${SELF_HOSTED_LIMIT}`, { cause });
  }
}

/** The limit of a self-hosted server (denokv). */
const SELF_HOSTED_LIMIT = 10;
/** The databases that have refused a commit for its checks. */
const selfHosted = new WeakSet<Deno.Kv>();

/** Makes an operation on a remote database reject with {@linkcode TooManyChecks} where the limit is known. */
export function limitChecks(kv: Deno.Kv, operation: Deno.AtomicOperation): void {
  if (!isRemote(kv)) return;
  const { check, commit } = operation;
  let count = 0;
  operation.check = (...checks) => {
    count += checks.length;
    return check.apply(operation, checks);
  };
  operation.commit = async () => {
    const isOver = count > SELF_HOSTED_LIMIT;
    if (isOver && selfHosted.has(kv)) throw new TooManyChecks(count);
    try {
      return await commit.call(operation);
    } catch (error) {
      if (!isOver || !isAboutChecks(error)) throw error;
      selfHosted.add(kv);
      throw new TooManyChecks(count, error);
    }
  };
}

/** The server's sentence follows the status. */
function isAboutChecks(error: unknown): boolean {
  return error instanceof Error && /\(status=400\b.*\bchecks?\b/is.test(error.message);
}

/** The number of items to try next, after a commit for all of them exceeded a limit. */
export function fittingPart(items: number, error: unknown): number {
  const half = Math.ceil(items / 2);
  if (!(error instanceof TooManyChecks)) return half;
  return Math.max(1, Math.min(half, Math.floor(items * SELF_HOSTED_LIMIT / error.checks)));
}

/**
 * Whether an error says that a commit exceeds a limit. Such a commit was not made, and cannot be. Deno enforces
 * Deno KV's limits; a server may have lower ones, such as ten checks on the self-hosted one.
 */
export function isUnfit(error: unknown): boolean {
  return error instanceof TypeError ||
    error instanceof Error &&
      /^KV Connect failed to call .*\(status=4(?:00|13)\b/.test(error.message);
}

/**
 * Runs `work`, which makes one commit, for all items. If the commit exceeds a limit, runs it for parts of the items,
 * recursively. A refused commit has changed nothing, so `work` may start again.
 */
export async function inFittingParts<T>(
  items: readonly T[],
  work: (some: readonly T[]) => Promise<void>,
): Promise<void> {
  try {
    await work(items);
  } catch (error) {
    if (!isUnfit(error) || items.length < 2) throw error;
    const size = fittingPart(items.length, error);
    await inFittingParts(items.slice(0, size), work);
    await inFittingParts(items.slice(size), work);
  }
}

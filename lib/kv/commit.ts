/** Commits over a network: one that is sent twice, and one that the server refuses for its size. */

import { isDeepStrictEqual } from "node:util";
import { retryLocked } from "./open.ts";

/**
 * Makes a commit that sets `key` to a value that nobody else would write, or of which it does not matter who
 * did. Deno sends to a database afar
 * again what was not answered; what is sent twice then finds its own traces, and is said to have failed
 * its checks. So what is said to be lost is looked for.
 */
export async function commitOnce(
  kv: Deno.Kv,
  operation: Deno.AtomicOperation,
  key: Deno.KvKey,
  value: unknown,
): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
  const said = await retryLocked(() => operation.commit());
  if (said.ok) return said;
  const { value: found, versionstamp } = await retryLocked(() => kv.get(key));
  if (versionstamp === null || !isDeepStrictEqual(found, value)) return said;
  return { ok: true, versionstamp };
}

/**
 * Whether an error says that a commit was refused for what it is, and so was not made and never will be. Deno
 * refuses what is above Deno KV's limits; a server may have lower ones, as the self-hosted one's ten checks.
 */
export function isUnfit(error: unknown): boolean {
  return error instanceof TypeError ||
    error instanceof Error &&
      /^KV Connect failed to call .*\(status=4(?:00|13)\b/.test(error.message);
}

/**
 * Does some work in one commit for many things, or halves them until each part fits, where a commit may not
 * hold so many. What is refused has done nothing, so the work may begin anew.
 */
export async function inFittingParts<T>(
  things: readonly T[],
  work: (some: readonly T[]) => Promise<void>,
): Promise<void> {
  try {
    await work(things);
  } catch (error) {
    if (!isUnfit(error) || things.length < 2) throw error;
    const half = Math.ceil(things.length / 2);
    await inFittingParts(things.slice(0, half), work);
    await inFittingParts(things.slice(half), work);
  }
}

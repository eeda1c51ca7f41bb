/** What may happen to a commit over a network: it is sent twice, or refused by the server for its size. */

import { isDeepStrictEqual } from "node:util";
import { numbered } from "./formats.ts";
import { retryLocked } from "./open.ts";

/**
 * Makes a commit that sets `key` to `value`, and recognises its own success. Deno resends a commit to a remote
 * database if no answer came; the second one then fails its checks because the first one was made. So after a
 * failed check the key is read: if it holds `value`, the commit counts as made.
 *
 * @param value one that nobody else would write, or of which it does not matter who wrote it.
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
  if (versionstamp === null || !isDeepStrictEqual(found, numbered(key, value))) return said;
  return { ok: true, versionstamp };
}

/**
 * Whether an error says that a commit exceeds a limit: it was not made, and never will be as it is. Deno
 * enforces Deno KV's limits; a server may have lower ones, such as the self-hosted one's ten checks.
 */
export function isUnfit(error: unknown): boolean {
  return error instanceof TypeError ||
    error instanceof Error &&
      /^KV Connect failed to call .*\(status=4(?:00|13)\b/.test(error.message);
}

/**
 * Runs `work`, which makes one commit, for all of the things; if that commit exceeds a limit, for each half of
 * them, and so on. A refused commit has changed nothing, so the work may begin anew.
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

/** Commits to a remote database: Deno may send one twice, and the server may refuse one for its size. */

import { isDeepStrictEqual } from "node:util";
import { fittingPart } from "./checks.ts";
import { numbered } from "./formats.ts";
import { retryLocked } from "./open.ts";

/**
 * Makes a commit that sets `key` to `value`, and recognises its own success. Deno resends a commit to a remote
 * database that has not responded; the second one then conflicts with the first. So after a failed check this
 * reads the key: if it holds `value`, the commit counts as made.
 *
 * @param value unique to this writer, unless it does not matter which writer's commit was made.
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

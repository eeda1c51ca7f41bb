/** Examinations of a database that do not change it. */

import { isUnfit } from "./commit_size.ts";
import { KEPT_KINDS, type NewerFormatError, readable } from "./formats.ts";
import { retryLocked } from "./open.ts";
import { beginAtomic } from "./write.ts";

/** The limits on a commit's checks that are known: Deno KV's, and that of the self-hosted server. */
const COUNTS = [100, 10] as const;

/**
 * How many keys a commit may check: 100, 10, or 1 for any lower limit. Each attempt only checks that some keys are
 * absent.
 */
export async function countChecks(kv: Deno.Kv): Promise<number> {
  for (const count of COUNTS) {
    const operation = beginAtomic(kv);
    for (let at = 0; at < count; at++) {
      operation.check({ key: ["lease", `survey ${at}`], versionstamp: null });
    }
    try {
      await retryLocked(() => operation.commit());
      return count;
    } catch (error) {
      if (!isUnfit(error)) throw error;
    }
  }
  return 1;
}

/** The kept kinds whose first value has a format that this version does not know, as errors. */
export async function findNewerFormats(kv: Deno.Kv): Promise<NewerFormatError[]> {
  const found: NewerFormatError[] = [];
  for (const kind of KEPT_KINDS) {
    const first = kv.list({ prefix: kind.split(" ") }, { limit: 1 });
    for await (const entry of first) readable(entry, (error) => found.push(error));
  }
  return found;
}

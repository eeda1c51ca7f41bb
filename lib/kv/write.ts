/** Writing entries, each in the format that `formats.ts` names for its kind. */

import { limitChecks } from "./checks.ts";
import { type Lifetime, numbered } from "./formats.ts";
import { retryLocked } from "./open.ts";

/** Sets a value unconditionally; returns its versionstamp. */
export async function setEntry(
  kv: Deno.Kv,
  key: Deno.KvKey,
  value: unknown,
  lifetime: Lifetime = {},
): Promise<string> {
  const stored = numbered(key, value, lifetime);
  return (await retryLocked(() => kv.set(key, stored, lifetime))).versionstamp;
}

/**
 * Begins an atomic operation whose `set` writes the format of the value's kind. A sum has no room for a format, so its
 * kind must have format 1.
 */
export function beginAtomic(kv: Deno.Kv): Deno.AtomicOperation {
  const operation = kv.atomic();
  limitChecks(kv, operation);
  const { set, sum } = operation;
  operation.set = (key, value, lifetime = {}) =>
    set.call(operation, key, numbered(key, value, lifetime), lifetime);
  operation.sum = (key, amount) => {
    numbered(key, amount);
    return sum.call(operation, key, amount);
  };
  return operation;
}

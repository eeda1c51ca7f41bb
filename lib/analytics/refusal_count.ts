/** Counts of refused requests by group and reason, for both stores. */

import { dayOf } from "../ledger/mod.ts";
import { ERRORS } from "../http/mod.ts";
import type { Refusal } from "./refusal.ts";
import type { Grouping, RefusalCount } from "./store.ts";

/** Starts a count, which keeps only the sums. */
export function createRefusalCount(by: Grouping) {
  const counts = new Map<string, RefusalCount>();
  return {
    add(refusal: Refusal): void {
      const { code, reason, requests } = refusal;
      const key = keyOf(by, refusal);
      const name = `${key} ${code} ${reason}`;
      const sum = requests + (counts.get(name)?.requests ?? 0);
      counts.set(name, { key, code, reason, requests: sum });
    },
    answer: () => sortCounts([...counts.values()]),
  };
}

/** The most frequent first, and equal ones by their names. */
export function sortCounts(counts: readonly RefusalCount[]): RefusalCount[] {
  const nameOf = ({ key, code, reason }: RefusalCount) => `${key} ${code} ${reason}`;
  return counts.toSorted((a, b) => b.requests - a.requests || (nameOf(a) < nameOf(b) ? -1 : 1));
}

function keyOf(by: Grouping, { accountId, endpoint, code, lastAt }: Refusal): string | null {
  switch (by) {
    case "account":
      return accountId;
    case "endpoint":
      return endpoint;
    case "day":
      return dayOf(lastAt);
    case "status":
      return statusOfCode(code);
    case "model":
      return null;
  }
}

/** The status of an error's code; null for one that only a newer version knows. */
export function statusOfCode(code: string): string | null {
  // The wider type: a stored text need not be one of these codes.
  const known: Readonly<Record<string, { readonly status: number }>> = ERRORS;
  return Object.hasOwn(known, code) ? String(known[code]?.status) : null;
}

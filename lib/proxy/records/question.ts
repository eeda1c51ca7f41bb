/** Questions about usage, and their answers: from the books (`books.ts`) or from ClickHouse (`clickhouse.ts`). */

import type { NanoUsd } from "../../platform/money.ts";

/** The properties by which requests can be grouped. */
export const GROUPINGS = ["account", "endpoint", "key", "model", "day", "status"] as const;

/** One of {@linkcode GROUPINGS}. */
export type Grouping = typeof GROUPINGS[number];

/** A question about usage. */
export interface Question {
  /** The first UTC day, `2026-11-21`. */
  readonly from: string;
  /** The last one. */
  readonly to: string;
  /** Only this account's; null for all. */
  readonly accountId: string | null;
  readonly by: Grouping;
}

/** Totals over some requests. */
export interface Totals {
  readonly requests: number;
  /** Requests with a status from 400, and swept requests, which have none. */
  readonly failed: number;
  readonly cost: NanoUsd;
  /** Null if the answer was made from sums. */
  readonly details: Details | null;
}

/** The figures that only usage records have. */
interface Details {
  /** The sum over the requests whose tokens are known. */
  readonly inputTokens: bigint;
  readonly outputTokens: bigint;
  /**
   * The median of the known durations by nearest rank: the `⌈n·p⌉`-th of `n` durations in order. It is a
   * duration that occurred, never a mean. Null if none is known.
   */
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
}

/** The totals of one group; the key is null for requests without a model or a status. */
interface Group {
  readonly key: string | null;
  readonly totals: Totals;
}

/** The answer to a {@linkcode Question}: days in order, everything else by cost, the highest first. */
export interface Answer {
  readonly groups: readonly Group[];
  /** The totals of all groups together; its durations are computed from all requests. */
  readonly total: Totals;
}

/** How many requests of a group were refused for one reason. */
export interface RefusalCount {
  /** The key of a {@linkcode Group}; null if refusals do not have it, such as a model. */
  readonly key: string | null;
  readonly code: string;
  readonly reason: string | null;
  readonly requests: number;
}

/** Sorts an answer's groups, in the same order for every source: equal ones by code units, null last. */
export function sortGroups(groups: readonly Group[], by: Grouping): Group[] {
  return groups.toSorted((a, b) => {
    if (by !== "day" && a.totals.cost !== b.totals.cost) {
      return a.totals.cost > b.totals.cost ? -1 : 1;
    }
    if (a.key === null || b.key === null) return a.key === null ? 1 : -1;
    return a.key < b.key ? -1 : 1;
  });
}

/** The interface of the analytics stores `clickhouse.ts` and `embedded.ts`. */

import type { NanoUsd } from "../../platform/money.ts";
import type { UsageBatch } from "./record.ts";
import type { Refusal } from "./refusal.ts";

/** Keeps usage records, and refusals for 14 days; answers questions about them. */
export interface UsageStore {
  /**
   * Stores batches, all of them by the time it resolves. Inserting a batch again, alone or with others,
   * changes nothing; a higher version replaces a lower one.
   *
   * @throws {StoreError} if some may not have been stored.
   */
  insert(batches: readonly UsageBatch[]): Promise<void>;
  /**
   * @param onProgress called at times with the number of records read so far, by a store that knows it.
   * @throws {StoreError} if there is no readable answer.
   */
  query(question: Question, onProgress?: (records: number) => void): Promise<Answer>;
  /**
   * Stores refusals. Inserted again, they count again.
   *
   * @throws {StoreError} if some may not have been stored.
   */
  insertRefusals(refusals: readonly Refusal[]): Promise<void>;
  /** An account's refusals, the latest first. @throws {StoreError} if there is no readable answer. */
  listRefusals(accountId: string): Promise<Refusal[]>;
  /** Counts refused requests, the most frequent first. @throws {StoreError} if there is no readable answer. */
  countRefusals(question: Question): Promise<RefusalCount[]>;
  /**
   * Resolves if the store can answer queries, with the configured user and not only on the network.
   *
   * @throws {StoreError} if not.
   */
  ping(): Promise<void>;
  /**
   * Applies the retention (`retention.ts`): old records are removed, now or later by the server. A limit that
   * is no longer configured is lifted.
   *
   * @param seen the days on which the database has seen the service run (`lib/platform/kv/days_seen.ts`).
   * @throws {StoreError} if that failed.
   */
  applyRetention(seen: readonly string[]): Promise<void>;
}

/** The properties by which records can be grouped. */
export const GROUPINGS = ["account", "endpoint", "model", "day", "status"] as const;

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
export interface Group {
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

/** Sorts an answer's groups, in the same order for every store: equal ones by code units, null last. */
export function sortGroups(groups: readonly Group[], by: Grouping): Group[] {
  return groups.toSorted((a, b) => {
    if (by !== "day" && a.totals.cost !== b.totals.cost) {
      return a.totals.cost > b.totals.cost ? -1 : 1;
    }
    if (a.key === null || b.key === null) return a.key === null ? 1 : -1;
    return a.key < b.key ? -1 : 1;
  });
}

/** A store failed. The message holds no credentials. */
export class StoreError extends Error {
  override name = "StoreError";
}

/** ClickHouse lacks the table, and so holds nothing of what it is for: `deno task analytics migrate` creates it. */
export class MissingTableError extends StoreError {}

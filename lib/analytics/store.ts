/** What an analytics store is asked, and what it answers; the stores are `clickhouse.ts` and `embedded.ts`. */

import type { NanoUsd } from "../money.ts";
import type { UsagePage } from "./record.ts";

/** Where usage records are kept to be counted. */
export interface UsageStore {
  /**
   * Keeps pages, all of them when it resolves. Handing over a page again, whole or in another batch,
   * changes nothing; a higher version of it takes the place of the lower one.
   *
   * @throws {StoreError} if perhaps not all were kept.
   */
  insert(pages: readonly UsagePage[]): Promise<void>;
  /** @throws {StoreError} if there is no answer, or one that cannot be read. */
  query(question: Question, options?: QueryOptions): Promise<Answer>;
  /**
   * Resolves if the store can answer queries: with our user, not only on our network.
   *
   * @throws {StoreError} if not.
   */
  ping(): Promise<void>;
  /**
   * Applies the retention (`retention.ts`): old records are removed, now or by the server in its own time. A limit
   * that is no longer set is lifted.
   *
   * @param seen the days that the database has seen, see `seeDay`.
   * @throws {StoreError} if it could not be done.
   */
  applyRetention(seen: readonly string[]): Promise<void>;
}

/** What records can be counted by. */
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

/** How a question is asked. */
export interface QueryOptions {
  /** Called now and then with the number of records read so far, by stores that know it. */
  readonly onProgress?: (records: number) => void;
  readonly signal?: AbortSignal;
}

/** What some requests came to. */
export interface Figures {
  readonly requests: number;
  /** Those with a status from 400, or with none since nobody lived to tell. */
  readonly failed: number;
  readonly cost: NanoUsd;
  /** Of the requests whose tokens are known. */
  readonly inputTokens: bigint;
  readonly outputTokens: bigint;
  /**
   * Of the requests whose duration is known, the one at the nearest rank: of `n` durations in order, the
   * `⌈n·p⌉`-th. It is always a duration that occurred, never a mean. Null if none is known.
   */
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
}

/** The figures of one group; the key is null for requests without a model or a status. */
export interface Group {
  readonly key: string | null;
  readonly figures: Figures;
}

/** The answer to a {@linkcode Question}: days in order, everything else by cost, the highest first. */
export interface Answer {
  readonly groups: readonly Group[];
  /** Over all groups; the durations' too, which are no sums. */
  readonly total: Figures;
}

/** No requests. */
export const NO_FIGURES: Figures = {
  requests: 0,
  failed: 0,
  cost: 0n,
  inputTokens: 0n,
  outputTokens: 0n,
  medianMs: null,
  p95Ms: null,
};

/** The order of an answer's groups, the same from every store. */
export function sortGroups(groups: readonly Group[], by: Grouping): Group[] {
  return groups.toSorted((a, b) => {
    if (by !== "day" && a.figures.cost !== b.figures.cost) {
      return a.figures.cost > b.figures.cost ? -1 : 1;
    }
    return compareKeys(a.key, b.key);
  });
}

/** A store that did not do what it was asked. Its message holds no credentials. */
export class StoreError extends Error {
  override name = "StoreError";
}

/** Null last. */
function compareKeys(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -1 : 1;
}

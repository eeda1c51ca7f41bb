/** What a record store is to the rest, and how it fails. */

import type { StoreRecord } from "./record.ts";

/** Where the organisation keeps its events. */
export interface RecordStore {
  /**
   * Reads every record.
   *
   * @throws {StoreError} if not all of them can be read.
   */
  read(signal: AbortSignal): Promise<readonly StoreRecord[]>;
  /**
   * Those of the columns that the store does not have, for a store whose records leave empty cells out: a
   * column that no record shows may be empty in all of them, or gone.
   *
   * @throws {StoreError} if the store does not say.
   */
  missingColumns?(columns: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  /** A token that changes when the records may have changed, if that can be told cheaply. */
  revision?(): Promise<string>;
}

/** Why a read failed. */
export type StoreFault =
  | "refused" // the credentials are wrong or may not read the table
  | "rate_limited"
  | "unavailable" // unreachable, too slow, or the store's own failure
  | "nonsense" // an answer that is not what the store's protocol says
  | "loss"; // it would lose most of the events at once (`loss.ts`)

/** A read that failed. The message is for the log: it holds no credentials and no address with any. */
export class StoreError extends Error {
  override name = "StoreError";

  /** @param pauseSeconds how long the store is to be left alone, where it or its rules say so. */
  constructor(
    readonly fault: StoreFault,
    message: string,
    readonly pauseSeconds: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

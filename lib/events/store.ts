/** The interface of a record store, and its errors. */

import type { StoreRecord } from "./record.ts";

/** The place where the organisation keeps its events. */
export interface RecordStore {
  /**
   * Reads every record.
   *
   * @throws {ReadError} if not all of them can be read.
   */
  read(signal: AbortSignal): Promise<readonly StoreRecord[]>;
  /**
   * The columns that the store lacks. Only for a store whose records leave out empty cells: a column that no
   * record shows may be empty or gone.
   *
   * @throws {ReadError} if the store does not report them.
   */
  missingColumns?(columns: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  /** A token that changes when the records may have changed, if the store has a cheap one. */
  revision?(): Promise<string>;
  /**
   * Calls a function whenever the revision may have changed; the returned function ends this. Null if the platform
   * cannot watch the store.
   *
   * @param onEnd called if the watching ends by itself.
   */
  watch?(onChange: () => void, onEnd: () => void): (() => void) | null;
}

/** Why a read failed. */
export type ReadFault =
  | "refused" // the credentials are wrong or may not read the table
  | "rate_limited"
  | "quota" // the calls of this month are used up
  | "unavailable" // unreachable, too slow, or the store's own failure
  | "nonsense" // a response that violates the store's protocol
  | "loss"; // it would lose most of the events at once (`failure.ts`)

/** A read that failed. The message is for the log: it contains no credentials. */
export class ReadError extends Error {
  override name = "ReadError";

  /** @param pauseSeconds how long the store must not be read, if it or its rules say so. */
  constructor(
    readonly fault: ReadFault,
    message: string,
    readonly pauseSeconds: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

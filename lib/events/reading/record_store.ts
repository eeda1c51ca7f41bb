/** The interface of a record store, and its errors. */

import type { RecordOutcome } from "./record.ts";

/** The place where the organisation keeps its events. */
export interface RecordStore<T = RecordOutcome> {
  /**
   * Reads every record, and parses it when it arrives. Parsing all of them at the end would delay requests.
   *
   * @throws {ReadError} if not all of them can be read.
   */
  read(signal: AbortSignal): Promise<readonly T[]>;
  /** Tells its records from those of other stores, wherever the service runs: identifiers are made of it. */
  origin(): string;
  /**
   * A token that changes when the records may have changed, if the store has one that takes no time; null if it cannot
   * be told. With requests, it is compared every five seconds.
   */
  revision?(): string | null;
}

/** Why a read failed. */
export type ReadFault =
  | "refused" // the credentials are wrong or may not read the table
  | "rate_limited"
  | "quota" // the calls of this month are used up
  | "unavailable" // unreachable, too slow, or the store's own failure
  | "nonsense" // a response that violates the store's protocol
  | "loss"; // it would lose most of the events at once (`loss.ts`)

/** A read that failed. The message is for the log: it contains no credentials. */
export class ReadError extends Error {
  override name = "ReadError";

  /**
   * @param pauseSeconds how long the store must not be read, if it or its rules say so.
   * @param loss the events that the read would lose, if that is why it failed.
   */
  constructor(
    readonly fault: ReadFault,
    message: string,
    readonly pauseSeconds: number | null = null,
    options?: ErrorOptions,
    readonly loss: Loss | null = null,
  ) {
    super(message, options);
  }
}

/** The events that one read would lose, or make endless. */
export interface Loss {
  /** Digest of the lost events and their causes: equal for reads with the same loss. */
  readonly digest: string;
  /** How many events the last good read had. */
  readonly known: number;
  /** How many of them have no record any more, and how many have an invalid record. */
  readonly gone: number;
  readonly leftOut: number;
  /** How many of the others would run for ever, because their last day is gone. */
  readonly endless: number;
  /** The columns of the invalid records, the most frequent first. */
  readonly columns: readonly { readonly column: string; readonly records: number }[];
  /** Some of the lost events. */
  readonly examples: readonly { readonly id: string; readonly name: string }[];
}

/**
 * A usage record as analytics stores keep it: one row for each request. Its names are a table's columns, so
 * they are in snake case, and the cost is decimal text, since JSON has no integers of its size.
 */

import { z } from "zod";

/** The rows of one batch of the ledger, which is inserted as a whole. */
export interface UsageBatch {
  /** Unique with the day; a request is never in two batches. */
  readonly name: string;
  readonly day: string;
  /** Grows each time that the batch is written again: of two versions of a row the higher one counts. */
  readonly version: bigint;
  readonly rows: readonly UsageRow[];
}

/** A row. `request_id` is its identity: a store counts it once, however often it is inserted. */
export type UsageRow = Readonly<z.output<typeof rowSchema>>;

const count = z.int().min(0);
/**
 * Nano-dollars of one request. ClickHouse silently wraps numbers that a column or a sum cannot hold: 2^90 is
 * 1.2 billion billion dollars, and 2^37 times that still fits a sum of 128 bits.
 */
const MAX_COST = 2n ** 90n;
// Stores refuse text that is not Unicode, and the ledger may cut a long name in the middle of a pair.
const text = z.string().min(1).transform((value) => value.toWellFormed());

/** Turns the ledger's record into a row. A value that does not match is damaged, or was written by a newer version. */
const rowSchema = z.object({
  requestId: text,
  accountId: text,
  keyId: text,
  // Within the range of a `Date` column. ClickHouse turns February 31st into March 3rd.
  day: z.iso.date().startsWith("20"),
  endpoint: text,
  model: z.string().transform((value) => value.toWellFormed()).nullable(),
  cost: z.bigint().min(0n).max(MAX_COST),
  costFrom: z.enum(["provider", "reservation", "sweep"]),
  inputTokens: count.nullable(),
  outputTokens: count.nullable(),
  status: z.int().min(0).max(999).nullable(),
  durationMs: count.nullable(),
  at: count.max(Date.parse("2100-01-01")),
}).transform((record) => ({
  request_id: record.requestId,
  account_id: record.accountId,
  key_id: record.keyId,
  /** The UTC day on which the request was admitted and is booked, `2026-11-21`. */
  day: record.day,
  endpoint: record.endpoint,
  model: record.model,
  /** Whole nano-dollars. */
  cost_nano_usd: String(record.cost),
  cost_from: record.costFrom,
  input_tokens: record.inputTokens,
  output_tokens: record.outputTokens,
  status: record.status,
  duration_ms: record.durationMs,
  /** Epoch milliseconds of the admission. */
  at: record.at,
}));

const batchSchema = z.array(rowSchema).min(1);

/**
 * The rows of a stored batch of usage records.
 *
 * @throws {z.ZodError} for a value that the ledger did not write.
 */
export function parseRows(value: unknown): UsageRow[] {
  return batchSchema.parse(value);
}

/**
 * The version of a batch: the first eight of the ten bytes of its versionstamp. The last two bytes number the commits
 * that the database made together. None of these commits has read the writes of another, so they never hold two
 * versions of one batch.
 */
export function versionOf(versionstamp: string): bigint {
  return BigInt(`0x${versionstamp.slice(0, 16)}`);
}

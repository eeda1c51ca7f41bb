/**
 * A usage record as ClickHouse keeps it: one row for each request. Its names are the table's columns, so they are in
 * snake case, and the cost is decimal text, since JSON has no integers of its size.
 */

import { z } from "zod";

/** A row. `request_id` is its identity: ClickHouse counts it once, however often it is inserted. */
export type UsageRow = Readonly<z.output<typeof rowSchema> & { version: string }>;

const count = z.int().min(0);
/**
 * Nano-dollars of one request. ClickHouse silently wraps numbers that a column or a sum cannot hold: 2^90 is
 * 1.2 billion billion dollars, and 2^37 times that still fits a sum of 128 bits.
 */
const MAX_COST = 2n ** 90n;
// ClickHouse refuses text that is not Unicode, and the ledger may cut a long name in the middle of a pair.
const text = z.string().min(1).transform((value) => value.toWellFormed());

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
  /** `2026-11-21 12:00:00.000`, which ClickHouse reads with any settings. */
  at: new Date(record.at).toISOString().replace("T", " ").replace("Z", ""),
}));

/**
 * The row of a stored usage record.
 *
 * @throws {z.ZodError} for a value that the ledger did not write.
 */
export function parseRow(
  { value, versionstamp }: Pick<Deno.KvEntry<unknown>, "value" | "versionstamp">,
): UsageRow {
  return { ...rowSchema.parse(value), version: versionOf(versionstamp) };
}

/**
 * Grows each time that the record is written again, so that a correction replaces what it corrects: the first eight of
 * the ten bytes of its versionstamp. The last two bytes number the commits that the database made together. None of
 * these commits has read the writes of another, so they never hold two versions of one record.
 */
function versionOf(versionstamp: string): string {
  return String(BigInt(`0x${versionstamp.slice(0, 16)}`));
}

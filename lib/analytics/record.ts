/**
 * A usage record as analytics stores keep it: one row for each request, with names in snake case since
 * they are a table's columns, and the cost as decimal text since JSON has no integers of its size.
 */

import { z } from "zod";
import type { UsageRecord } from "../accounts/mod.ts";

/** A row. `request_id` is its identity: a store counts it once, however often it is handed over. */
export interface UsageRow {
  readonly request_id: string;
  readonly account_id: string;
  readonly key_id: string;
  /** The UTC day on which the request was admitted and is booked, `2026-11-21`. */
  readonly day: string;
  readonly endpoint: string;
  readonly model: string | null;
  /** Whole nano-dollars. */
  readonly cost_nano_usd: string;
  readonly cost_from: UsageRecord["costFrom"];
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly status: number | null;
  readonly duration_ms: number | null;
  /** Epoch milliseconds of the admission. */
  readonly at: number;
}

/** The rows of one page of the ledger's, which is handed over as a whole. */
export interface UsagePage {
  /** The page's name; with the day it is unique, and a request is never on two pages. */
  readonly page: string;
  readonly day: string;
  /** Grows each time that the page is written anew: of two versions of a row the higher one counts. */
  readonly version: bigint;
  readonly rows: readonly UsageRow[];
}

const count = z.int().min(0);
/**
 * Nano-dollars of one request. ClickHouse makes numbers that a column cannot hold into others, without a word,
 * and so does its sum: 2^90 is 1.2 billion billion dollars, and 2^37 times that is still a sum of 128 bits.
 */
const MAX_COST = 2n ** 90n;
// Stores refuse text that is not Unicode, and the ledger cuts long names, perhaps in the middle of a pair.
const text = z.string().min(1).transform((value) => value.toWellFormed());

/** What the ledger writes; anything else is damage, or a version of it that this one does not know. */
const recordSchema = z.object({
  requestId: text,
  accountId: text,
  keyId: text,
  // Within the range of a `Date` column. ClickHouse makes February 31st into March 3rd.
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
});

const pageSchema = z.array(recordSchema).min(1);

/**
 * The rows of a page as it is in the database.
 *
 * @throws {z.ZodError} for a value that the ledger did not write.
 */
export function parseRows(value: unknown): UsageRow[] {
  return pageSchema.parse(value).map(toRow);
}

/** A record as a row. */
export function toRow(record: UsageRecord): UsageRow {
  return {
    request_id: record.requestId,
    account_id: record.accountId,
    key_id: record.keyId,
    day: record.day,
    endpoint: record.endpoint,
    model: record.model,
    cost_nano_usd: String(record.cost),
    cost_from: record.costFrom,
    input_tokens: record.inputTokens,
    output_tokens: record.outputTokens,
    status: record.status,
    duration_ms: record.durationMs,
    at: record.at,
  };
}

/**
 * The version of a page from its versionstamp: the first eight of its ten bytes. The other two tell
 * commits of one batch of the database apart, and none of those can have read another's page.
 */
export function versionOf(versionstamp: string): bigint {
  return BigInt(`0x${versionstamp.slice(0, 16)}`);
}

/**
 * The analytics store on ClickHouse, in the table of `schema.sql`. Each row carries its identity and its
 * version, so inserts may be repeated; queries say FINAL, and never see two versions.
 *
 * The SQL keeps to what ClickHouse documents; none of it has been run against a real server here
 * (`lib/sandbox/clickhouse.ts` stands in for one).
 */

import { z } from "zod";
import { parseJson } from "../json.ts";
import { type ClickHouseOptions, createSend } from "./clickhouse_http.ts";
import type { UsagePage, UsageRow } from "./record.ts";
import {
  type Answer,
  type Figures,
  type Grouping,
  NO_FIGURES,
  type Question,
  sortGroups,
  StoreError,
  type UsageStore,
} from "./store.ts";

/** What each grouping is in SQL: fixed text, so nothing from outside is in a statement. */
const KEYS: Readonly<Record<Grouping, string>> = {
  account: "account_id",
  endpoint: "endpoint",
  model: "model",
  day: "toString(day)",
  status: "toString(status)",
};

/** The columns as they are inserted. */
export const COLUMNS = [
  "request_id",
  "account_id",
  "key_id",
  "day",
  "endpoint",
  "model",
  "cost_nano_usd",
  "cost_from",
  "input_tokens",
  "output_tokens",
  "status",
  "duration_ms",
  "at",
  "version",
] as const;

const INSERT = `INSERT INTO foyer_usage (${COLUMNS.join(", ")}) FORMAT JSONEachRow`;

/**
 * Sums are taken in 128 bits and told as text, since JSON numbers are neither. `groupArray` leaves NULL
 * out, and whole-number arithmetic finds the nearest rank exactly, as `tally.ts` does.
 */
const select = (question: Question) =>
  `WITH arraySort(groupArray(duration_ms)) AS durations
SELECT
    ${KEYS[question.by]} AS group_key,
    toString(count()) AS requests,
    toString(countIf(ifNull(status, 999) >= 400)) AS failed,
    toString(sum(cost_nano_usd)) AS cost,
    toString(sum(toInt128(ifNull(input_tokens, 0)))) AS input_total,
    toString(sum(toInt128(ifNull(output_tokens, 0)))) AS output_total,
    if(empty(durations), NULL, toString(durations[greatest(1, intDiv(length(durations) * 50 + 99, 100))])) AS median_ms,
    if(empty(durations), NULL, toString(durations[greatest(1, intDiv(length(durations) * 95 + 99, 100))])) AS p95_ms
FROM foyer_usage FINAL
WHERE day >= {from:Date} AND day <= {to:Date}${
    question.accountId === null ? "" : " AND account_id = {account:String}"
  }
GROUP BY group_key WITH TOTALS
FORMAT JSON`;

const whole = z.string().regex(/^\d+$/);
const figuresSchema = z.object({
  requests: whole.transform(Number),
  failed: whole.transform(Number),
  cost: whole.transform(BigInt),
  input_total: whole.transform(BigInt),
  output_total: whole.transform(BigInt),
  median_ms: whole.transform(Number).nullable(),
  p95_ms: whole.transform(Number).nullable(),
});
const answerSchema = z.object({
  data: z.array(figuresSchema.extend({ group_key: z.string().nullable() })),
  totals: figuresSchema.optional(),
});

/** Makes the store. Nothing is sent until it is asked. */
export function createClickHouseStore(options: ClickHouseOptions): UsageStore {
  const send = createSend(options);
  return {
    async insert(pages) {
      const rows = pages.flatMap(toLines);
      if (rows.length === 0) return;
      // Not async_insert: the answer must mean that the rows are kept, and the batches are large.
      const settings = { async_insert: "0" };
      expect("", await send({ sql: INSERT, settings, rows: rows.join("") }));
    },
    async query(question, { signal } = {}) {
      const { from, to, accountId } = question;
      const text = await send({
        sql: select(question),
        parameters: { from, to, ...(accountId === null ? {} : { account: accountId }) },
        // So a failure in the middle is told by the status, and not after half of the answer.
        settings: { wait_end_of_query: "1" },
        signal,
      });
      return readAnswer(text, question.by);
    },
    async ping() {
      // `/ping` would answer without our password, and without a disk.
      expect("1", await send({ sql: "SELECT 1" }));
    },
  };
}

/** Any web server may answer 200: what it answers tells who it is. */
function expect(answer: string, text: string): void {
  if (text.trim() === answer) return;
  throw new StoreError("ClickHouse answered what it never does: is ANALYTICS_URL its address?");
}

function toLines({ rows, version }: UsagePage): string[] {
  return rows.map((row) => `${JSON.stringify({ ...toColumns(row), version: String(version) })}\n`);
}

function toColumns(row: UsageRow) {
  // `2026-11-21 12:00:00.000`, which needs no setting to be read.
  const at = new Date(row.at).toISOString().replace("T", " ").replace("Z", "");
  return { ...row, at };
}

function readAnswer(text: string, by: Grouping): Answer {
  const parsed = answerSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new StoreError("ClickHouse gave an answer that cannot be read", { cause: parsed.error });
  }
  const { data, totals } = parsed.data;
  // Without groups the row of totals, if there is one, is made of default values.
  if (data.length === 0 || totals === undefined) return { groups: [], total: NO_FIGURES };
  const groups = data.map((row) => ({ key: row.group_key, figures: toFigures(row) }));
  return { groups: sortGroups(groups, by), total: toFigures(totals) };
}

function toFigures(row: z.output<typeof figuresSchema>): Figures {
  const { requests, failed, cost, input_total, output_total, median_ms, p95_ms } = row;
  return {
    requests,
    failed,
    cost,
    inputTokens: input_total,
    outputTokens: output_total,
    medianMs: median_ms,
    p95Ms: p95_ms,
  };
}

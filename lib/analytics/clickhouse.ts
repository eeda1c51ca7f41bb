/**
 * The analytics store on ClickHouse, in the table of `schema.sql`. Each row has an identity and a version, so
 * inserts may be repeated; queries use FINAL, and never see two versions of a row.
 *
 * The tests use `lib/sandbox/clickhouse.ts`, or a real server at ANALYTICS_TEST_URL.
 */

import { z } from "zod";
import { describeTable, expect, insertRows, parseAnswer, toMoment } from "./clickhouse_answer.ts";
import { type ClickHouseOptions, createSend } from "./clickhouse_http.ts";
import { createClickHouseRefusals } from "./clickhouse_refusals.ts";
import type { UsageBatch } from "./record.ts";
import { KEEP_FOREVER, type Retention, withoutPastDays } from "./retention.ts";
import { type Answer, type Grouping, type Question, sortGroups, type UsageStore } from "./store.ts";
import { createTally } from "./tally.ts";

/** Each grouping in SQL: fixed text, so a statement contains no input. */
const KEYS: Readonly<Record<Grouping, string>> = {
  account: "account_id",
  endpoint: "endpoint",
  model: "model",
  day: "toString(day)",
  status: "toString(status)",
};

/**
 * Sums have 128 bits and are returned as text, since JSON numbers are not that precise. `groupArray` omits
 * NULL, and whole-number arithmetic finds the nearest rank exactly, as `tally.ts` does.
 */
const select = (question: Question) =>
  `WITH arraySort(groupArray(duration_ms)) AS durations
SELECT
    ${KEYS[question.by]} AS group_key,
    toString(count()) AS requests,
    toString(countIf(ifNull(status, 999) >= 400)) AS failed,
    toString(sum(cost_nano_usd)) AS cost,
    toString(sum(toInt128(ifNull(input_tokens, 0)))) AS inputTokens,
    toString(sum(toInt128(ifNull(output_tokens, 0)))) AS outputTokens,
    if(empty(durations), NULL, toString(durations[greatest(1, intDiv(length(durations) * 50 + 99, 100))])) AS medianMs,
    if(empty(durations), NULL, toString(durations[greatest(1, intDiv(length(durations) * 95 + 99, 100))])) AS p95Ms
FROM foyer_usage FINAL
WHERE day >= {from:Date} AND day <= {to:Date}${
    question.accountId === null ? "" : " AND account_id = {account:String}"
  }
GROUP BY group_key WITH TOTALS
FORMAT JSON`;

/** How the server writes the TTL that `applyRetention` sets; an operator's own TTL does not match. */
const OUR_TTL = / TTL day \+ toIntervalDay\((\d+)\)(?= SETTINGS |$)/;

/**
 * The TTL is two days longer than the retention, so that the last day is kept to its end even on a server whose
 * day begins 14 hours before UTC. Queries omit the additional days.
 */
const ttlDays = (days: number) => days + 2;

const whole = z.string().regex(/^\d+$/);
const totalsSchema = z.object({
  requests: whole.transform(Number),
  failed: whole.transform(Number),
  cost: whole.transform(BigInt),
  inputTokens: whole.transform(BigInt),
  outputTokens: whole.transform(BigInt),
  medianMs: whole.transform(Number).nullable(),
  p95Ms: whole.transform(Number).nullable(),
});
const answerSchema = z.object({
  data: z.array(totalsSchema.extend({ group_key: z.string().nullable() })),
  totals: totalsSchema.optional(),
});

/** Creates the store. It sends nothing before its first use. */
export function createClickHouseStore(
  options: ClickHouseOptions,
  retention: Retention = KEEP_FOREVER,
): UsageStore {
  const send = createSend(options);
  return {
    ...createClickHouseRefusals(options, retention.now),
    async insert(batches) {
      // Without async_insert a response means that the rows are stored. Inserts are already large.
      const settings = { async_insert: "0" };
      await insertRows(send, "foyer_usage", batches.flatMap(toRows), settings);
    },
    async query(question, { signal } = {}) {
      const { from, to, accountId } = withoutPastDays(question, retention);
      const text = await send({
        sql: select(question),
        parameters: { from, to, ...(accountId === null ? {} : { account: accountId }) },
        signal,
      });
      return readAnswer(text, question.by);
    },
    async ping() {
      // `/ping` would succeed without the password, and without a disk.
      expect("1", await send({ sql: "SELECT 1" }));
    },
    async applyRetention() {
      const table = await describeTable(send, "foyer_usage");
      // Without a table there is nothing to remove, and deliveries report that it is missing.
      if (table === undefined) return;
      const [, ttl] = OUR_TTL.exec(table.engine_full) ?? [];
      const { days } = retention;
      // An operator's own expression stays unless a retention is configured.
      if (days === null && ttl !== undefined) {
        expect("", await send({ sql: "ALTER TABLE foyer_usage REMOVE TTL" }));
      } else if (days !== null && ttl !== String(ttlDays(days))) {
        const sql = `ALTER TABLE foyer_usage MODIFY TTL day + toIntervalDay(${ttlDays(days)})`;
        expect("", await send({ sql }));
      }
    },
  };
}

/** The rows by the names of the columns. */
function toRows({ rows, version }: UsageBatch) {
  return rows.map((row) => ({
    ...row,
    at: toMoment(row.at),
    version: String(version),
  }));
}

function readAnswer(text: string, by: Grouping): Answer {
  const { data, totals } = parseAnswer(answerSchema, text);
  // Without groups the row of totals, if any, holds default values.
  if (data.length === 0 || totals === undefined) return createTally(by).answer();
  const groups = data.map(({ group_key: key, ...totals }) => ({ key, totals }));
  return { groups: sortGroups(groups, by), total: totals };
}

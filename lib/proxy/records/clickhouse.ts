/**
 * The analytics store on ClickHouse, in the tables of `schema.sql` and `refusals_schema.sql`. Each row of usage has an
 * identity and a version, so inserts may be repeated; queries use FINAL, and never see two versions of a row.
 *
 * The tests use `lib/sandbox/clickhouse.ts`, or a real server at ANALYTICS_TEST_URL.
 */

import { z } from "zod";
import { dayOf } from "../ledger/books.ts";
import {
  type ClickHouseOptions,
  createSend,
  describeTable,
  expect,
  insertRows,
  parseAnswer,
  rowsSchema,
} from "./clickhouse_http.ts";
import type { UsageBatch } from "./record.ts";
import { mergeRefusals, type Refusal, REFUSAL_DAYS } from "./refusal.ts";
import { firstKeptDay, KEEP_FOREVER, type Retention, withoutPastDays } from "./retention.ts";
import { type Answer, type Grouping, type Question, sortGroups, type UsageStore } from "./store.ts";
import { createTally, REFUSAL_KEYS, sumCounts } from "./tally.ts";

/** The longest wait for one statement about refusals: pages, and processes that end, wait for it. */
const BRIEF_SECONDS = 3;
/** Far more kinds than a member looks at; the server merges those that are alike and of one hour. */
const MAX_LISTED = 500;

/** Each grouping in SQL: fixed text, so a statement contains no input. */
const KEYS: Readonly<Record<Grouping, string>> = {
  account: "account_id",
  endpoint: "endpoint",
  model: "model",
  day: "toString(day)",
  status: "toString(status)",
};
/** A refusal's status follows from its code, and its model is unknown. */
const KEYS_OF_REFUSALS = { ...KEYS, model: "code", status: "code" };

/** The rows of a question. */
const where = ({ accountId }: Question) =>
  "WHERE day >= {from:Date} AND day <= {to:Date}" +
  (accountId === null ? "" : " AND account_id = {account:String}");

const parametersOf = ({ from, to, accountId }: Question) => ({
  from,
  to,
  ...accountId !== null && { account: accountId },
});

/**
 * Sums have 128 bits and are returned as text, since JSON numbers are not that precise. `groupArray` omits
 * NULL, and whole-number arithmetic finds the nearest rank exactly, as `tally.ts` does.
 */
const selectUsage = (question: Question) =>
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
${where(question)}
GROUP BY group_key WITH TOTALS
FORMAT JSON`;

const countRefused = (question: Question) =>
  `SELECT
    ${KEYS_OF_REFUSALS[question.by]} AS group_key,
    code,
    reason,
    toString(sum(requests)) AS refused
FROM foyer_refusals
${where(question)}
GROUP BY group_key, code, reason
FORMAT JSON`;

const LIST_REFUSALS = `SELECT
    key_id,
    endpoint,
    code,
    reason,
    field,
    toString(sum(requests)) AS refused,
    toString(toUnixTimestamp64Milli(min(first_at))) AS firstAt,
    toString(toUnixTimestamp64Milli(max(last_at))) AS lastAt
FROM foyer_refusals
WHERE account_id = {account:String} AND day >= {from:Date}
GROUP BY key_id, endpoint, code, reason, field, intDiv(toUnixTimestamp64Milli(last_at), 3600000)
ORDER BY max(last_at) DESC
LIMIT ${MAX_LISTED}
FORMAT JSON`;

/** How the server writes the TTL that `applyRetention` sets; an operator's own TTL does not match. */
const OUR_TTL = / TTL day \+ toIntervalDay\((\d+)\)(?= SETTINGS |$)/;

/**
 * The TTL is two days longer than the retention, so that the last day is kept to its end even on a server whose
 * day begins 14 hours before UTC. Queries omit the additional days.
 */
const ttlDays = (days: number) => days + 2;

const whole = z.string().regex(/^\d+$/);
const count = whole.transform(Number);
const text = z.string().nullable();
const totalsSchema = z.object({
  requests: count,
  failed: count,
  cost: whole.transform(BigInt),
  inputTokens: whole.transform(BigInt),
  outputTokens: whole.transform(BigInt),
  medianMs: count.nullable(),
  p95Ms: count.nullable(),
});
const usageSchema = rowsSchema(totalsSchema.extend({ group_key: text }))
  .extend({ totals: totalsSchema.optional() });
const refusal = z.object({ code: z.string(), reason: text, refused: count });
const countsSchema = rowsSchema(refusal.extend({ group_key: text }));
const refusalsSchema = rowsSchema(
  refusal.extend({ key_id: text, endpoint: text, field: text, firstAt: count, lastAt: count }),
);

/** Creates the store. It sends nothing before its first use. */
export function createClickHouseStore(
  options: ClickHouseOptions,
  retention: Retention = KEEP_FOREVER,
): UsageStore {
  const send = createSend(options);
  const sendBriefly = createSend({ ...options, timeoutSeconds: BRIEF_SECONDS });
  const { days, now } = retention;
  return {
    async insert(batches) {
      // Without async_insert a response means that the rows are stored. Inserts are already large.
      const settings = { async_insert: "0" };
      await insertRows(send, "foyer_usage", batches.flatMap(toRows), settings);
    },
    async query(asked) {
      const question = withoutPastDays(asked, retention);
      const parameters = parametersOf(question);
      return readAnswer(await send({ sql: selectUsage(question), parameters }), question.by);
    },
    async insertRefusals(refusals) {
      // Many processes insert a few rows each: the server collects them.
      const settings = { async_insert: "1", wait_for_async_insert: "1" };
      await insertRows(sendBriefly, "foyer_refusals", refusals.map(toRefusalRow), settings);
    },
    async listRefusals(accountId) {
      const from = firstKeptDay(dayOf(now()), REFUSAL_DAYS);
      const parameters = { account: accountId, from };
      const answer = await sendBriefly({ sql: LIST_REFUSALS, parameters });
      const { data } = parseAnswer(refusalsSchema, answer);
      return mergeRefusals(data.map(({ key_id: keyId, refused: requests, ...rest }) => ({
        accountId,
        keyId,
        requests,
        ...rest,
      })));
    },
    async countRefusals(asked) {
      const question = withoutPastDays(asked, { days: REFUSAL_DAYS, now });
      const parameters = parametersOf(question);
      const { by } = question;
      const answer = await send({ sql: countRefused(question), parameters });
      return sumCounts(
        parseAnswer(countsSchema, answer).data.map((row) => ({
          key: by === "status" || by === "model" ? REFUSAL_KEYS[by](row) : row.group_key,
          code: row.code,
          reason: row.reason,
          requests: row.refused,
        })),
      );
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
  return rows.map((row) => ({ ...row, at: toMoment(row.at), version: String(version) }));
}

function toRefusalRow({ accountId, keyId, field, firstAt, lastAt, ...rest }: Refusal) {
  return {
    ...rest,
    account_id: accountId,
    key_id: keyId,
    day: dayOf(lastAt),
    field: field?.toWellFormed() ?? null,
    first_at: toMoment(firstAt),
    last_at: toMoment(lastAt),
  };
}

/** A moment as `2026-11-21 12:00:00.000`, which ClickHouse reads with any settings. */
function toMoment(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString().replace("T", " ").replace("Z", "");
}

function readAnswer(text: string, by: Grouping): Answer {
  const { data, totals } = parseAnswer(usageSchema, text);
  // Without groups the row of totals, if any, holds default values.
  if (data.length === 0 || totals === undefined) return createTally(by).answer();
  const groups = data.map(({ group_key: key, ...totals }) => ({ key, totals }));
  return { groups: sortGroups(groups, by), total: totals };
}

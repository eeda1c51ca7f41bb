/** Refusals in ClickHouse, in the table of `refusals_schema.sql`. */

import { z } from "zod";
import { dayOf } from "../ledger/mod.ts";
import { insertRows, parseAnswer, toMoment } from "./clickhouse_answer.ts";
import { type ClickHouseOptions, createSend } from "./clickhouse_http.ts";
import { mergeRefusals, type Refusal, REFUSAL_DAYS } from "./refusal.ts";
import { sortCounts, statusOfCode } from "./refusal_count.ts";
import { firstKeptDay, withoutPastDays } from "./retention.ts";
import type { Grouping, Question, RefusalCount, RefusalStore } from "./store.ts";

/** The longest wait of a page, or of a process that ends, for refusals. */
const BRIEF_SECONDS = 3;
/** Far more kinds than a member looks at; the server merges those that are alike and of one hour. */
const MAX_LISTED = 500;

const LIST = `SELECT
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

/** Each grouping in SQL: fixed text. The status follows from the code, and no model is known. */
const KEYS: Readonly<Record<Grouping, string>> = {
  account: "account_id",
  endpoint: "endpoint",
  day: "toString(day)",
  status: "code",
  model: "code",
};

const count = (question: Question) =>
  `SELECT
    ${KEYS[question.by]} AS group_key,
    code,
    reason,
    toString(sum(requests)) AS refused
FROM foyer_refusals
WHERE day >= {from:Date} AND day <= {to:Date}${
    question.accountId === null ? "" : " AND account_id = {account:String}"
  }
GROUP BY group_key, code, reason
FORMAT JSON`;

const whole = z.string().regex(/^\d+$/).transform(Number);
const listSchema = z.object({
  data: z.array(
    z.object({
      key_id: z.string().nullable(),
      endpoint: z.string().nullable(),
      code: z.string(),
      reason: z.string().nullable(),
      field: z.string().nullable(),
      refused: whole,
      firstAt: whole,
      lastAt: whole,
    }),
  ),
});
const countSchema = z.object({
  data: z.array(
    z.object({
      group_key: z.string().nullable(),
      code: z.string(),
      reason: z.string().nullable(),
      refused: whole,
    }),
  ),
});

/** Creates the part of the store that keeps refusals. */
export function createClickHouseRefusals(
  options: ClickHouseOptions,
  now: () => number,
): RefusalStore {
  const send = createSend(options);
  const sendBriefly = createSend({ ...options, timeoutSeconds: BRIEF_SECONDS });
  return {
    async insertRefusals(refusals) {
      // Many processes insert a few rows each: the server collects them.
      const settings = { async_insert: "1", wait_for_async_insert: "1" };
      await insertRows(sendBriefly, "foyer_refusals", refusals.map(toRow), settings);
    },
    async listRefusals(accountId) {
      const from = firstKeptDay(dayOf(now()), REFUSAL_DAYS);
      const parameters = { account: accountId, from };
      const { data } = parseAnswer(listSchema, await sendBriefly({ sql: LIST, parameters }));
      return mergeRefusals(data.map(({ key_id: keyId, refused: requests, ...rest }): Refusal => ({
        accountId,
        keyId,
        requests,
        ...rest,
      })));
    },
    async countRefusals(question) {
      const { from, to, accountId, by } = withoutPastDays(question, { days: REFUSAL_DAYS, now });
      const parameters = { from, to, ...(accountId === null ? {} : { account: accountId }) };
      const text = await send({ sql: count(question), parameters });
      return sortCounts(
        parseAnswer(countSchema, text).data.map(({ group_key, code, reason, refused }) => ({
          key: keyOf(by, group_key),
          code,
          reason,
          requests: refused,
        })),
      );
    },
  };
}

function keyOf(by: Grouping, key: string | null): RefusalCount["key"] {
  if (by === "model") return null;
  return by === "status" && key !== null ? statusOfCode(key) : key;
}

/** The row by the names of the columns. */
function toRow({ accountId, keyId, endpoint, code, reason, field, requests, ...times }: Refusal) {
  return {
    account_id: accountId,
    key_id: keyId,
    endpoint,
    day: dayOf(times.lastAt),
    code,
    reason,
    field: field?.toWellFormed() ?? null,
    requests,
    first_at: toMoment(times.firstAt),
    last_at: toMoment(times.lastAt),
  };
}

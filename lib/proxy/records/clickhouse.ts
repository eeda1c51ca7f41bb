/**
 * Usage records in ClickHouse, in the table of `schema.sql`. Each row has an identity and a version, so inserts may be
 * repeated; queries use FINAL, and never see two versions of a row.
 */

import { z } from "zod";
import type { Config } from "../../platform/config/config.ts";
import type { UsageRecord } from "../ledger/values.ts";
import {
  ClickHouseError,
  type ClickHouseOptions,
  createSend,
  expect,
  parseAnswer,
  TABLE,
} from "./clickhouse_http.ts";
import { type Answer, type Grouping, type Question, sortGroups } from "./question.ts";
import { createTally } from "./tally.ts";

/** Keeps usage records, and answers questions about them. */
export type ClickHouse = ReturnType<typeof createClickHouse>;

/** A usage record as ClickHouse keeps it, with the names of the table's columns. */
export type UsageRow = ReturnType<typeof toRow>;

/** The row of a stored usage record. */
export function toRow(
  { value: record, versionstamp }: Pick<Deno.KvEntry<UsageRecord>, "value" | "versionstamp">,
) {
  return {
    /** ClickHouse counts it once, however often it is inserted. */
    request_id: record.requestId,
    account_id: record.accountId,
    key_id: record.keyId,
    /** The UTC day on which the request was admitted and is booked, `2026-11-21`. */
    day: record.day,
    endpoint: record.endpoint,
    /** ClickHouse refuses text that is not Unicode, and the ledger may cut a long name in the middle of a pair. */
    model: record.model?.toWellFormed() ?? null,
    /** Whole nano-dollars, as text: JSON has no integers of their size. */
    cost_nano_usd: String(record.cost),
    cost_from: record.costFrom,
    input_tokens: record.inputTokens,
    output_tokens: record.outputTokens,
    status: record.status,
    duration_ms: record.durationMs,
    /** `2026-11-21 12:00:00.000`, which ClickHouse reads with any settings. */
    at: new Date(record.at).toISOString().replace("T", " ").replace("Z", ""),
    /**
     * Grows each time that the record is written again, so that a correction replaces what it corrects: the first eight
     * of the ten bytes of its versionstamp. The last two number the commits that the database made together. None of
     * these commits has read the writes of another, so they never hold two versions of one record.
     */
    version: String(BigInt(`0x${versionstamp.slice(0, 16)}`)),
  };
}

/** Each grouping in SQL: fixed text, so a statement contains no input. */
const KEYS: Readonly<Record<Grouping, string>> = {
  account: "account_id",
  endpoint: "endpoint",
  key: "key_id",
  model: "model",
  day: "toString(day)",
  status: "toString(status)",
};

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
    toString(countIf(cost_from != 'operator')) AS requests,
    toString(countIf(cost_from != 'operator' AND ifNull(status, 999) >= 400)) AS failed,
    toString(sum(cost_nano_usd)) AS cost,
    toString(sum(toInt128(ifNull(input_tokens, 0)))) AS inputTokens,
    toString(sum(toInt128(ifNull(output_tokens, 0)))) AS outputTokens,
    if(empty(durations), NULL, toString(durations[greatest(1, intDiv(length(durations) * 50 + 99, 100))])) AS medianMs,
    if(empty(durations), NULL, toString(durations[greatest(1, intDiv(length(durations) * 95 + 99, 100))])) AS p95Ms
FROM ${TABLE} FINAL
${where(question)}
GROUP BY group_key WITH TOTALS
FORMAT JSON`;

const whole = z.string().regex(/^\d+$/);
const count = whole.transform(Number);
const totalsSchema = z.object({
  requests: count,
  failed: count,
  // A group may have more booked back than charged.
  cost: z.string().regex(/^-?\d+$/).transform(BigInt),
  inputTokens: whole.transform(BigInt),
  outputTokens: whole.transform(BigInt),
  medianMs: count.nullable(),
  p95Ms: count.nullable(),
}).transform(({ requests, failed, cost, ...details }) => ({ requests, failed, cost, details }));
const usageSchema = z.object({
  // A group's key is in the row of its totals.
  data: z.array(z.intersection(z.object({ group_key: z.string().nullable() }), totalsSchema)),
  totals: totalsSchema.optional(),
});

const tableSchema = z.object({
  data: z.array(z.object({ engine_full: z.string(), sorting_key: z.string() })),
});
const columnsSchema = z.object({ data: z.array(z.object({ name: z.string(), type: z.string() })) });

/** The access to ClickHouse at ANALYTICS_URL; null if that is not set. */
export function openClickHouse(
  { ANALYTICS_URL: server }: Config,
  fetch: ClickHouseOptions["fetch"],
): ClickHouse | null {
  if (server === undefined) return null;
  const { address: url, user, password } = server;
  return createClickHouse({ url, user, password, fetch });
}

/** Creates the access to ClickHouse. It sends nothing before its first use. */
export function createClickHouse(options: ClickHouseOptions) {
  const send = createSend(options);
  return {
    /**
     * Stores rows, all of them by the time it resolves; without a row, it sends nothing. A row that is inserted again
     * changes nothing, and a higher version replaces a lower one.
     *
     * @throws {ClickHouseError} if some may not have been stored.
     */
    async insert(rows: readonly UsageRow[]): Promise<void> {
      const [first] = rows;
      if (first === undefined) return;
      const sql = `INSERT INTO ${TABLE} (${Object.keys(first).join(", ")}) FORMAT JSONEachRow`;
      const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
      // Without async_insert a response means that the rows are stored. Inserts are already large.
      expect("", await send({ sql, settings: { async_insert: "0" }, rows: lines }));
    },
    /** Answers a question. @throws {ClickHouseError} */
    async query(question: Question): Promise<Answer> {
      const parameters = parametersOf(question);
      return readAnswer(await send({ sql: selectUsage(question), parameters }), question.by);
    },
    /**
     * Creates the table, unless it exists; returns whether it was created.
     *
     * @throws {ClickHouseError} also if it exists, and would count wrongly or refuse rows.
     */
    async migrate(): Promise<boolean> {
      const definition = await Deno.readTextFile(new URL("schema.sql", import.meta.url));
      const ask = async <T extends z.ZodType>(schema: T, columns: string, from: string) => {
        const sql = `SELECT ${columns} FROM system.${from} WHERE database = currentDatabase()`;
        const name = from === "tables" ? "name" : "table";
        return parseAnswer(
          schema,
          await send({ sql: `${sql} AND ${name} = '${TABLE}' FORMAT JSON` }),
        );
      };
      const { data: [table] } = await ask(tableSchema, "engine_full, sorting_key", "tables");
      if (table === undefined) {
        await send({ sql: definition });
        return true;
      }
      const { data: columns } = await ask(columnsSchema, "name, type", "columns");
      const differences = differencesOf(definition, { ...table, columns });
      if (differences.length === 0) return false;
      throw new ClickHouseError(
        `The table ${TABLE} exists, but ${differences.join(", ")}. Rename it, ` +
          "then run `deno task analytics migrate` and `deno task analytics fill`.",
      );
    },
    /** Resolves if it can answer queries, with the configured user and not only on the network. @throws {ClickHouseError} */
    async ping(): Promise<void> {
      // `/ping` would succeed without the password, and without a disk.
      expect("1", await send({ sql: "SELECT 1" }));
    },
  };
}

/** How a table differs from its definition, as far as it matters: more columns, and a replicated engine, do not. */
function differencesOf(
  definition: string,
  { engine_full: engine, sorting_key: key, columns }: {
    readonly engine_full: string;
    readonly sorting_key: string;
    readonly columns: readonly { readonly name: string; readonly type: string }[];
  },
): string[] {
  // How a column is compressed does not matter.
  const plain = (type: string) => type.replace(/^LowCardinality\((.*)\)$/, "$1");
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const differences: string[] = [];
  for (const [, name = "", expected = ""] of definition.matchAll(/^ {4}(\w+) (.+?),?$/gm)) {
    const type = types.get(name);
    if (type === undefined) differences.push(`it lacks the column ${name}`);
    else if (plain(type) !== plain(expected)) {
      differences.push(`its column ${name} is ${type}, not ${expected}`);
    }
  }
  if (!/^\w*ReplacingMergeTree\((?:[^()]*, )?version\)/.test(engine)) {
    differences.push(`its engine is ${engine.split(" ", 1)[0]}, not ReplacingMergeTree(version)`);
  }
  const [, expectedKey = ""] = /^ORDER BY \((.*)\)/m.exec(definition) ?? [];
  if (key !== expectedKey) differences.push(`it is ordered by ${key}, not by ${expectedKey}`);
  return differences;
}

function readAnswer(text: string, by: Grouping): Answer {
  const { data, totals } = parseAnswer(usageSchema, text);
  // Without groups the row of totals, if any, holds default values.
  if (data.length === 0 || totals === undefined) return createTally(by, true).answer();
  const groups = data.map(({ group_key: key, ...totals }) => ({ key, totals }));
  return { groups: sortGroups(groups, by), total: totals };
}

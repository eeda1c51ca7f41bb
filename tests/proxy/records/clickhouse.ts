/** A ClickHouse for tests, and usage records with their marks as the ledger writes them. */

import { createClickHouse, toRow } from "../../../lib/proxy/records/clickhouse.ts";
import {
  type ClickHouseOptions,
  createSend,
  type Send,
} from "../../../lib/proxy/records/clickhouse_http.ts";
import type { Question } from "../../../lib/proxy/records/question.ts";
import type { Refusal } from "../../../lib/proxy/records/refusal.ts";
import { outboxKey, usageKey, type UsageRecord } from "../../../lib/proxy/ledger/values.ts";
import {
  type ClickHouseStandIn,
  createClickHouseStandIn,
} from "../../../lib/sandbox/clickhouse.ts";

export const NOON = Date.parse("2026-11-21T12:00:00Z");
export const TODAY = "2026-11-21";
export const MINUTE = 60_000;
/** What each account spent today. */
export const QUESTION: Question = { from: TODAY, to: TODAY, accountId: null, by: "account" };
export const PASSWORD = "pässword & more";

/** A stand-in, and access to it without a network. */
export function createStandIn() {
  const standIn: ClickHouseStandIn = createClickHouseStandIn({ user: "foyer", password: PASSWORD });
  const options = {
    url: "http://clickhouse.test",
    user: "foyer",
    password: PASSWORD,
    fetch: (input: string | URL | Request, init?: RequestInit) =>
      standIn.fetch(new Request(input, init)),
  };
  return { standIn, options, clickHouse: createClickHouse(options) };
}

/** What a ClickHouse with these inserts would count: requests and nano-dollars, of each row's highest version. */
export function countInserted({ statements }: Pick<ClickHouseStandIn, "statements">) {
  const newest = new Map<unknown, { version: bigint; cost: bigint }>();
  for (const { request_id: id, version, cost_nano_usd } of statements.flatMap(({ rows }) => rows)) {
    const row = { version: BigInt(String(version)), cost: BigInt(String(cost_nano_usd)) };
    const known = newest.get(id);
    if (known === undefined || row.version > known.version) newest.set(id, row);
  }
  return [newest.size, [...newest.values()].reduce((sum, { cost }) => sum + cost, 0n)];
}

const SERVER = Deno.env.get("ANALYTICS_TEST_URL");

/** Runs a test on an empty database of the ClickHouse at ANALYTICS_TEST_URL; without one, the test is left out. */
export function testOnServer(
  name: string,
  run: (database: { readonly options: ClickHouseOptions; readonly send: Send }) => Promise<void>,
): void {
  Deno.test({ name, ignore: !SERVER, fn: onServer });
  async function onServer(): Promise<void> {
    const server: ClickHouseOptions = {
      url: (SERVER || "").replace(/\/+$/, ""),
      user: Deno.env.get("ANALYTICS_TEST_USER") || "default",
      password: Deno.env.get("ANALYTICS_TEST_PASSWORD") || "",
      fetch,
    };
    const database = `foyer_test_${crypto.randomUUID().replaceAll("-", "")}`;
    const sendToServer = createSend(server);
    await sendToServer({ sql: `CREATE DATABASE ${database}` });
    const options: ClickHouseOptions = {
      ...server,
      fetch: (input, init) => fetch(`${input}&database=${database}`, init),
    };
    try {
      await run({ options, send: createSend(options) });
    } finally {
      await sendToServer({ sql: `DROP DATABASE ${database}` });
    }
  }
}

let nextId = 0;

/** A record with the fields that matter to a test; the others have defaults. */
export function record(fields: Partial<UsageRecord> = {}): UsageRecord {
  return {
    requestId: `request-${++nextId}`,
    accountId: "acc_aaaaaaaaaaaa",
    keyId: "keykeykeykey",
    day: TODAY,
    endpoint: "websearch/search",
    model: null,
    cost: 7_000_000n,
    costFrom: "provider",
    inputTokens: null,
    outputTokens: null,
    status: 200,
    durationMs: 100,
    at: NOON,
    ...fields,
  };
}

/** The row of a record in a version. */
export function row(fields: Partial<UsageRecord> = {}, version = 1) {
  const versionstamp = `${version.toString(16).padStart(16, "0")}0000`;
  return toRow({ value: record(fields), versionstamp });
}

/** A refusal with the fields that matter to a test; the others have defaults. */
export function refusal(fields: Partial<Refusal> = {}): Refusal {
  return {
    accountId: "acc_aaaaaaaaaaaa",
    keyId: "keykeykeykey",
    endpoint: "search",
    code: "rate_limited",
    reason: null,
    field: null,
    requests: 1,
    lastAt: NOON,
    ...fields,
  };
}

/** Writes a record and its mark as the ledger does. */
export async function mark(kv: Deno.Kv, ...records: readonly UsageRecord[]): Promise<void> {
  for (const each of records) {
    await kv.atomic().set(usageKey(each), each).set(outboxKey(each.requestId), usageKey(each))
      .commit();
  }
}

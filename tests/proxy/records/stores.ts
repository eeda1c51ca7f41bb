/** Both analytics stores, usage records at random, and the ledger's pages as it writes them. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { outboxKey, usageKey, type UsageRecord } from "../../../lib/proxy/ledger/books.ts";
import { createClickHouseStore } from "../../../lib/proxy/records/clickhouse.ts";
import {
  type ClickHouseOptions,
  createSend,
  type Send,
} from "../../../lib/proxy/records/clickhouse_http.ts";
import { createEmbeddedStore } from "../../../lib/proxy/records/embedded.ts";
import { parseRows, type UsageBatch } from "../../../lib/proxy/records/record.ts";
import type { Refusal } from "../../../lib/proxy/records/refusal.ts";
import { KEEP_FOREVER, type Retention } from "../../../lib/proxy/records/retention.ts";
import { GROUPINGS, type Question, type UsageStore } from "../../../lib/proxy/records/store.ts";
import { openKv } from "../../../lib/platform/kv/open.ts";
import {
  type ClickHouseStandIn,
  createClickHouseStandIn,
} from "../../../lib/sandbox/clickhouse.ts";

export const NOON = Date.parse("2026-11-21T12:00:00Z");
export const TODAY = "2026-11-21";
export const MINUTE = 60_000;
export const PASSWORD = "pässword & more";

export const SCHEMA = await Deno.readTextFile(
  fileURLToPath(new URL("../../../lib/proxy/records/schema.sql", import.meta.url)),
);

export const REFUSALS_SCHEMA = await Deno.readTextFile(
  fileURLToPath(new URL("../../../lib/proxy/records/refusals_schema.sql", import.meta.url)),
);

/** A stand-in with the tables, and a store that calls it without a network. */
export function createClickHouse(schemas: readonly string[] = [SCHEMA, REFUSALS_SCHEMA]) {
  const standIn: ClickHouseStandIn = createClickHouseStandIn({
    user: "foyer",
    password: PASSWORD,
    schemas,
  });
  const options = {
    url: "http://clickhouse.test",
    user: "foyer",
    password: PASSWORD,
    fetch: (input: string | URL | Request, init?: RequestInit) =>
      standIn.fetch(new Request(input, init)),
  };
  return { standIn, options, store: createClickHouseStore(options) };
}

/** An empty database of a ClickHouse. */
interface TestDatabase extends AsyncDisposable {
  readonly options: ClickHouseOptions;
  readonly send: Send;
}

/** An empty database of the server at ANALYTICS_TEST_URL, or else a stand-in of its own. */
export async function openClickHouse(): Promise<TestDatabase> {
  const url = Deno.env.get("ANALYTICS_TEST_URL");
  if (!url) {
    const { options } = createClickHouse([]);
    return { options, send: createSend(options), [Symbol.asyncDispose]: async () => {} };
  }
  const server: ClickHouseOptions = {
    url: url.replace(/\/+$/, ""),
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
  return {
    options,
    send: createSend(options),
    [Symbol.asyncDispose]: async () =>
      void await sendToServer({ sql: `DROP DATABASE ${database}` }),
  };
}

/** A store on {@linkcode openClickHouse}, with its tables. */
export async function openClickHouseStore(retention: Retention = KEEP_FOREVER) {
  const database = await openClickHouse();
  for (const sql of [SCHEMA, REFUSALS_SCHEMA]) await database.send({ sql });
  return { ...database, store: createClickHouseStore(database.options, retention) };
}

export async function createEmbedded(retention: Retention = KEEP_FOREVER) {
  const kv = await openKv(":memory:");
  return { kv, store: createEmbeddedStore(kv, retention), [Symbol.dispose]: () => kv.close() };
}

/** Runs a test on a fresh store of each kind. */
export function forEachStore(
  name: string,
  run: (store: UsageStore) => Promise<void>,
  retention: Retention = KEEP_FOREVER,
): void {
  Deno.test(`clickhouse: ${name}`, async () => {
    await using clickHouse = await openClickHouseStore(retention);
    await run(clickHouse.store);
  });
  Deno.test(`embedded: ${name}`, async () => {
    using embedded = await createEmbedded(retention);
    await run(embedded.store);
  });
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
    firstAt: fields.lastAt ?? NOON,
    lastAt: NOON,
    ...fields,
  };
}

/** A batch as the outbox delivers it. */
export function page(records: readonly UsageRecord[], name = `page-${++nextId}`, version = 1n) {
  const [first] = records;
  assert.ok(first);
  return { name, day: first.day, version, rows: parseRows(records) } satisfies UsageBatch;
}

/** Writes a page and its marker as the ledger does. */
export async function book(kv: Deno.Kv, records: readonly UsageRecord[], name: string) {
  const [first] = records;
  assert.ok(first);
  const { accountId, day } = first;
  await kv.atomic().set(usageKey(accountId, day, name), records)
    .set(outboxKey(name), { accountId, day }).commit();
}

const DAYS = ["2026-11-19", "2026-11-20", TODAY, "2026-11-22"];
const ACCOUNTS = ["acc_aaaaaaaaaaaa", "acc_bbbbbbbbbbbb", "acc_cccccccccccc"];

/** Records at random, of few accounts and days, with amounts up to noise. */
export const anyRecord: fc.Arbitrary<UsageRecord> = fc.record({
  requestId: fc.uuid(),
  accountId: fc.constantFrom(...ACCOUNTS),
  keyId: fc.constantFrom("key1", "key2"),
  day: fc.constantFrom(...DAYS),
  endpoint: fc.constantFrom("websearch/search", "decision/systemone", "chat/completions"),
  model: fc.oneof(
    fc.constant(null),
    fc.constantFrom("a", "b/c", "", "日本\u{1f600}", "half \ud83d", 'quote" \\ \n'),
  ),
  cost: fc.oneof(fc.bigInt(0n, 10n ** 10n), fc.bigInt(0n, 10n ** 24n)),
  costFrom: fc.constantFrom("provider" as const, "reservation" as const, "sweep" as const),
  inputTokens: fc.option(fc.oneof(fc.nat(10_000), fc.maxSafeNat())),
  outputTokens: fc.option(fc.nat(10_000)),
  status: fc.option(fc.constantFrom(200, 399, 400, 429, 503)),
  durationMs: fc.option(fc.nat(50)),
  at: fc.nat(10 ** 9).map((after) => NOON + after),
}, { noNullPrototype: true });

/** Questions at random about {@linkcode anyRecord}. */
export const anyQuestion: fc.Arbitrary<Question> = fc.record({
  from: fc.constantFrom("2026-11-18", ...DAYS),
  to: fc.constantFrom(...DAYS, "2026-12-01"),
  accountId: fc.option(fc.constantFrom(...ACCOUNTS, "acc_nobodyatall0")),
  by: fc.constantFrom(...GROUPINGS),
});

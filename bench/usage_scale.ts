/**
 * A trial of the embedded analytics store at size: a million usage records of a hundred days, the last
 * 50,000 of them by way of the outbox. `deno run -A bench/usage_scale.ts [RECORDS] [RECORDS_PER_PAGE]`
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import { cpuUsage } from "node:process";
import { dayOf, outboxKey, usageKey, type UsageRecord } from "../lib/proxy/ledger/books.ts";
import { createEmbeddedStore } from "../lib/proxy/records/embedded.ts";
import { createOutbox } from "../lib/proxy/records/outbox.ts";
import { parseRows, type UsageBatch } from "../lib/proxy/records/record.ts";
import type { Question } from "../lib/proxy/records/store.ts";
import { openKv } from "../lib/platform/kv/open.ts";

const RECORDS = Number(Deno.args[0] ?? 1_000_000);
const PER_PAGE = Number(Deno.args[1] ?? 10);
const BOOKED = Math.min(RECORDS, 50_000);
const DAYS = 100;
const FIRST = Date.parse("2026-08-01T00:00:00Z");
const PAGES_PER_INSERT = 500;

const folder = await Deno.makeTempDir();
const kv = await openKv(`${folder}/ledger.sqlite3`);
const analyticsKv = await openKv(`${folder}/analytics.sqlite3`);
const store = createEmbeddedStore(analyticsKv);
const outbox = createOutbox({ kv, store, now: Date.now, log: console });

/** The n-th record: a hundred accounts, five models, durations of up to ten seconds. */
function record(index: number, day: string, accountId: string): UsageRecord {
  return {
    requestId: crypto.randomUUID(),
    accountId,
    keyId: "7Jx0pQz41LbV",
    day,
    endpoint: index % 3 === 0 ? "embeddings" : "chat/completions",
    model: `maker/model-${index % 5}`,
    cost: BigInt(index % 9_973) * 1_001n,
    costFrom: "provider",
    inputTokens: index % 5_000,
    outputTokens: index % 900,
    status: index % 50 === 0 ? 502 : 200,
    durationMs: 300 + (index * 7_919) % 10_000,
    at: Date.parse(day) + index % 86_400_000,
  };
}

interface Page {
  readonly name: string;
  readonly day: string;
  readonly accountId: string;
  readonly records: readonly UsageRecord[];
}

/** The records from one index to before another, on pages. */
function* pagesOf(from: number, to: number): Generator<Page> {
  for (let index = from; index < to;) {
    const day = dayOf(FIRST + Math.floor(index * DAYS / RECORDS) * 86_400_000);
    const accountId = `acc_${String(index / PER_PAGE % 100 | 0).padStart(12, "0")}`;
    const name = `${FIRST + index}-${crypto.randomUUID()}`;
    const last = Math.min(to, index + PER_PAGE);
    const records: UsageRecord[] = [];
    while (index < last) records.push(record(index++, day, accountId));
    yield { name, day, accountId, records };
  }
}

async function insert(from: number, to: number): Promise<void> {
  let batch: UsageBatch[] = [];
  for (const { name, day, records } of pagesOf(from, to)) {
    batch.push({ name, day, version: 1n, rows: parseRows(records) });
    if (batch.length < PAGES_PER_INSERT) continue;
    await store.insert(batch);
    batch = [];
  }
  await store.insert(batch);
}

async function book(from: number, to: number): Promise<void> {
  for (const { name, day, accountId, records } of pagesOf(from, to)) {
    await kv.atomic().set(usageKey(accountId, day, name), records)
      .set(outboxKey(name), { accountId, day }).commit();
  }
}

/** Says how long some work took, by the clock and in CPU seconds of this process. */
async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const [startedAt, before] = [performance.now(), cpuUsage()];
  const result = await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = cpuUsage(before);
  const mebibytes = Deno.memoryUsage().rss / 2 ** 20;
  console.log(
    `${what}: ${seconds.toFixed(2)} s (CPU ${((user + system) / 1e6).toFixed(2)} s), ` +
      `${mebibytes.toFixed(0)} MiB resident`,
  );
  return result;
}

console.log(`${RECORDS} records, ${PER_PAGE} on a page, ${DAYS} days, Deno ${Deno.version.deno}`);
await timed("inserted", () => insert(0, RECORDS - BOOKED));
await timed("booked", () => book(RECORDS - BOOKED, RECORDS));
await timed(`delivered ${BOOKED} of them`, async () => {
  while (await outbox.depth() > 0) await outbox.flush();
});
const { size } = await Deno.stat(`${folder}/analytics.sqlite3`);
console.log(`the store's file: ${(size / 1e6).toFixed(0)} MB`);

const [day, last] = [dayOf(FIRST + 50 * 86_400_000), dayOf(FIRST + (DAYS - 1) * 86_400_000)];
const questions: [string, Question][] = [
  ["a day by account", { from: day, to: day, accountId: null, by: "account" }],
  ["a day of one account by model", {
    from: day,
    to: day,
    accountId: "acc_000000000007",
    by: "model",
  }],
  ["everything by day", { from: dayOf(FIRST), to: last, accountId: null, by: "day" }],
  ["everything by account", { from: dayOf(FIRST), to: last, accountId: null, by: "account" }],
];
for (const [what, question] of questions) {
  const { total } = await timed(what, () => store.query(question));
  console.log(`  ${total.requests} requests, p95 ${total.p95Ms} ms`);
}
kv.close();
analyticsKv.close();
await Deno.remove(folder, { recursive: true });

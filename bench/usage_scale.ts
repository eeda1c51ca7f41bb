/**
 * Questions about usage at size: an account with a million records, and a day of a hundred thousand accounts, in a
 * file. `deno run -A --lock=tests/deno.lock bench/usage_scale.ts [RECORDS] [ACCOUNTS]`
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import { cpuUsage } from "node:process";
import { askRecords, askSums } from "../lib/proxy/records/books.ts";
import type { Answer, Question } from "../lib/proxy/records/question.ts";
import { openKv } from "../lib/platform/kv/open.ts";
import { dayOf, daysUntil } from "../lib/proxy/ledger/days.ts";
import { listLatestUsage } from "../lib/proxy/ledger/read.ts";
import {
  dayKey,
  type DaySums,
  LEDGER_VERSION,
  ledgerKey,
  usageKey,
} from "../lib/proxy/ledger/values.ts";
import { benchRecord } from "./proxy.ts";
import { median } from "./statistics.ts";

const RECORDS = Number(Deno.args[0] ?? 1_000_000);
const ACCOUNTS = Number(Deno.args[1] ?? 100_000);
const TIMES = 5;
const PER_COMMIT = 500;
const NOW = Date.parse("2026-11-21T12:00:00Z");
/** A hundred days, the latest first: two in the accounts' values, the others in entries of their own. */
const DAYS = daysUntil(dayOf(NOW), 100);
const [TODAY = "", YESTERDAY = "", BEFORE = ""] = DAYS;
const BUSY = "acc_busybusybusy";

const sums = (requests: number): DaySums => ({
  spent: 7_000_000n * BigInt(requests),
  reserved: 0n,
  requests,
  byEndpoint: { search: { requests, failures: 0, spent: 7_000_000n * BigInt(requests) } },
});

/** Sets entries, many in a commit. */
async function fill(kv: Deno.Kv, entries: Iterable<readonly [Deno.KvKey, unknown]>): Promise<void> {
  let operation = kv.atomic();
  let count = 0;
  for (const [key, value] of entries) {
    operation.set(key, value);
    if (++count % PER_COMMIT !== 0) continue;
    await operation.commit();
    operation = kv.atomic();
  }
  await operation.commit();
}

/** An account with all records, over a hundred days. */
function* busyAccount(): Generator<readonly [Deno.KvKey, unknown]> {
  const perDay = Math.floor(RECORDS / DAYS.length);
  for (const [ago, day] of DAYS.entries()) {
    for (let made = 0; made < perDay; made++) {
      const at = Date.parse(day) + Math.floor(43_200_000 * made / perDay);
      const record = { ...benchRecord({ accountId: BUSY, at }), day };
      yield [usageKey(record), record];
    }
    yield [dayKey(day, BUSY), ago < 2 ? {} : sums(perDay)];
  }
  const days = { [TODAY]: sums(perDay), [YESTERDAY]: sums(perDay) };
  yield [ledgerKey(BUSY), { version: LEDGER_VERSION, rate: {}, days }];
}

/** Accounts that had requests today, yesterday, and on a day that has left their values. */
function* otherAccounts(): Generator<readonly [Deno.KvKey, unknown]> {
  for (let made = 0; made < ACCOUNTS; made++) {
    const id = `acc_${String(made).padStart(12, "0")}`;
    const days = { [TODAY]: sums(3), [YESTERDAY]: sums(2) };
    yield [ledgerKey(id), { version: LEDGER_VERSION, rate: {}, days }];
    yield [dayKey(TODAY, id), {}];
    yield [dayKey(YESTERDAY, id), {}];
    yield [dayKey(BEFORE, id), sums(1)];
  }
}

const folder = await Deno.makeTempDir();
const kv = await openKv(`${folder}/kv.sqlite3`);
await fill(kv, busyAccount());
await fill(kv, otherAccounts());
const { size } = await Deno.stat(`${folder}/kv.sqlite3`);
console.log(
  `${RECORDS} records of one account, ${ACCOUNTS} other accounts, ${(size / 1e6).toFixed(0)} MB`,
);

const ofBusy = { from: DAYS.at(-1) ?? "", to: TODAY, accountId: BUSY };
const month = { ...ofBusy, from: DAYS[29] ?? "" };
const all = { accountId: null, by: "account" as const };
const questions: readonly [
  what: string,
  ask: (kv: Deno.Kv, question: Question) => Promise<Answer>,
  Question,
][] = [
  ["one account, 30 days by endpoint", askSums, { ...month, by: "endpoint" }],
  ["one account, 100 days by day", askSums, { ...ofBusy, by: "day" }],
  ["one account, a day's records by model", askRecords, { ...month, from: TODAY, by: "model" }],
  ["all accounts, today", askSums, { ...all, from: TODAY, to: TODAY }],
  ["all accounts, a day before yesterday", askSums, { ...all, from: BEFORE, to: BEFORE }],
];
await report("the latest 50 requests of one account", async () => {
  const found = await listLatestUsage(kv, BUSY, { since: NOW - 30 * 86_400_000, count: 50 });
  return found.length;
});
for (const [what, ask, question] of questions) {
  await report(what, async () => (await ask(kv, question)).total.requests);
}
kv.close();
await Deno.remove(folder, { recursive: true });

/** Says how long some work takes at the median, its computing time, and how many requests it found. */
async function report(what: string, work: () => Promise<number>): Promise<void> {
  const times: number[] = [];
  let found = 0;
  const before = cpuUsage();
  for (let time = 0; time < TIMES; time++) {
    const startedAt = performance.now();
    found = await work();
    times.push(performance.now() - startedAt);
  }
  const { user, system } = cpuUsage(before);
  const computing = (user + system) / 1000 / TIMES;
  console.log(
    `${what}: ${median(times).toFixed(1)} ms, ${computing.toFixed(1)} ms of computing time ` +
      `(${found} requests)`,
  );
}

/** Jobs: one run at a time whatever fires, and a memory of the last one. */

import assert from "node:assert/strict";
import { daysUntil } from "../lib/accounts/books.ts";
import { createUsageStore } from "../lib/analytics/create_store.ts";
import { isJobLate, type Job, listJobRuns, listJobs, runJob } from "../lib/jobs.ts";
import { takeLease } from "../lib/kv/lease.ts";
import { page, record } from "./analytics/stores.ts";
import { NOON, startFoyer } from "./support/foyer.ts";

const MINUTE = 60_000;

function world(kv: Deno.Kv) {
  const clock = { now: NOON };
  const logged: unknown[] = [];
  const log = { error: (...parts: unknown[]) => void logged.push(parts) };
  return { clock, logged, options: { kv, now: () => clock.now, log } };
}

function job(run: () => Promise<unknown>, limitSeconds = 60): Job {
  return { name: "check health", schedule: "* * * * *", limitSeconds, run };
}

Deno.test("a job that fires in two isolates at once runs once, and again the next minute", async () => {
  using kv = await Deno.openKv(":memory:");
  const { clock, options } = world(kv);
  let runs = 0;
  const counted = job(() => Promise.resolve(runs++));
  await Promise.all([runJob(counted, options), runJob(counted, options)]);
  await runJob(counted, options);
  assert.equal(runs, 1);
  clock.now += MINUTE;
  await runJob(counted, options);
  assert.equal(runs, 2);
});

Deno.test("a run that fails is remembered with its reason, and the next one goes on", async () => {
  using kv = await Deno.openKv(":memory:");
  const { clock, logged, options } = world(kv);
  let isBroken = true;
  const flaky = job(() => isBroken ? Promise.reject(new Error("no store")) : Promise.resolve());
  await runJob(flaky, options);
  const last = async () => (await listJobRuns(kv)).get(flaky.name);
  assert.deepEqual(await last(), { startedAt: NOON, durationMs: 0, error: "no store" });
  assert.equal(logged.length, 1);
  isBroken = false;
  clock.now += MINUTE;
  await runJob(flaky, options);
  assert.deepEqual(await last(), { startedAt: NOON + MINUTE, durationMs: 0, error: null });
});

Deno.test("a run that takes too long counts as failed", async () => {
  using kv = await Deno.openKv(":memory:");
  const { options } = world(kv);
  const endless = job(() => new Promise(() => {}), 0.05);
  await runJob(endless, options);
  const run = (await listJobRuns(kv)).get(endless.name);
  assert.match(run?.error ?? "", /not done after 0.05 seconds/);
});

Deno.test("a run whose isolate crashed half-way blocks the job for twice its limit at most", async () => {
  using kv = await Deno.openKv(":memory:");
  const { clock, options } = world(kv);
  let runs = 0;
  const next = job(() => Promise.resolve(runs++));
  // The crashed run never gave its lease back.
  await takeLease(kv, `job ${next.name}`, 2 * next.limitSeconds * 1_000, clock.now);
  await runJob(next, options);
  assert.equal(runs, 0);
  clock.now += 2 * MINUTE;
  await runJob(next, options);
  assert.equal(runs, 1);
});

Deno.test("every job of the service runs without an error where everything is up", async () => {
  await using foyer = await startFoyer();
  const { options, logged } = world(foyer.kv);
  const jobs = listJobs(foyer.services);
  for (const each of jobs) await runJob(each, options);
  for (const [name, run] of await listJobRuns(foyer.kv)) assert.equal(run?.error, null, name);
  assert.deepEqual(logged, []);
});

Deno.test("a job removes usage records that are older than ANALYTICS_RETENTION_DAYS, and without that none", async () => {
  for (
    const [days, kept] of [["30", ["2026-11-20"]], ["", ["2024-02-29", "2026-11-20"]]] as const
  ) {
    await using foyer = await startFoyer({ env: { ANALYTICS_RETENTION_DAYS: days } });
    const pages = ["2024-02-29", "2026-11-20"].map((day) => page([record({ day })]));
    const store = createUsageStore(foyer.services.config, {
      analyticsKv: foyer.kv,
      fetch,
      now: () => NOON,
    });
    await store.insert(pages);
    // The service has run for longer than that.
    await foyer.kv.set(["days_seen"], { days: daysUntil("2026-11-20", 100).toReversed() });
    const { options } = world(foyer.kv);
    for (const each of listJobs(foyer.services)) await runJob(each, options);
    const rows = await Array.fromAsync(foyer.kv.list({ prefix: ["analytics", "rows"] }));
    assert.deepEqual(rows.map(({ key }) => key[2]), kept);
    const question = { from: "2024-01-01", to: "2026-12-31", accountId: null, by: "day" as const };
    const { groups } = await store.query(question);
    assert.deepEqual(groups.map(({ key }) => key), kept);
  }
});

Deno.test("a job is late after three times its interval, but not before ten minutes", async () => {
  await using foyer = await startFoyer();
  const minutes = listJobs(foyer.services).map(({ name, schedule }) => {
    const late = Array.from({ length: 300 }, (_, ago) => ago)
      .find((ago) => isJobLate(name, NOON - ago * MINUTE, NOON));
    return [schedule, late];
  });
  assert.deepEqual(Object.fromEntries(minutes), {
    "*/1 * * * *": 11,
    "*/2 * * * *": 11,
    "0 * * * *": 181,
  });
});

Deno.test("a store that fails is the failure of the job that reads or fills it", async () => {
  await using foyer = await startFoyer({ env: { ANALYTICS_URL: "http://127.0.0.1:1" } });
  const member = await foyer.createMember();
  await foyer.post("/proxy/v1/websearch/search", member.key, { query: "bread" });
  await foyer.services.ledger.flush();
  foyer.store.faults.push({ kind: "status", status: 401 });
  const { options } = world(foyer.kv);
  for (const each of listJobs(foyer.services)) await runJob(each, options);
  const runs = await listJobRuns(foyer.kv);
  assert.match(runs.get("refresh events")?.error ?? "", /Airtable: 401/);
  assert.match(
    runs.get("deliver usage records")?.error ?? "",
    /^the analytics store has failed 1 times in a row: ClickHouse cannot be reached/,
  );
});

Deno.test("what a job fails of is logged once, and so is each of two things", async () => {
  await using foyer = await startFoyer({ env: { ANALYTICS_URL: "http://127.0.0.1:1" } });
  const member = await foyer.createMember();
  await foyer.post("/proxy/v1/websearch/search", member.key, { query: "bread" });
  await foyer.services.ledger.flush();
  foyer.store.faults.push({ kind: "status", status: 401 });
  for (const provider of [foyer.router, foyer.decision]) {
    provider.faults.push({ kind: "status", status: 500, sticky: true });
  }
  foyer.lines.length = foyer.logged.length = 0;
  const { kv, log, now } = foyer.services;
  for (const each of listJobs(foyer.services)) await runJob(each, { kv, log, now });
  const told = foyer.lines.filter(({ message }) => message !== "A check failed.");
  assert.deepEqual(told.map(({ message, properties: { name } }) => [message, name]), [
    ["A job failed.", "refresh events"],
    ["The model lists cannot be renewed.", undefined],
    ["A job failed.", "refresh model lists"],
    ["A job failed.", "deliver usage records"],
  ]);
  const causes = foyer.logged.join("\n");
  for (const name of ["the router", "the decision provider"]) {
    assert.equal(causes.split(`model list of ${name}`).length - 1, 1, name);
  }
});

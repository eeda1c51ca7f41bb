/** Jobs: one cron runs what is due, once for all processes, and remembers the last run of each. */

import assert from "node:assert/strict";
import { type Environment, parseConfig } from "../../lib/platform/config/config.ts";
import { createJobRunner, type Job, listJobRuns } from "../../lib/operate/jobs.ts";
import { takeLease } from "../../lib/platform/kv/lease.ts";
import { faultyKv } from "../support/faulty_kv.ts";
import { NOON, startFoyer } from "../support/foyer.ts";
import { runJobs } from "../support/run_jobs.ts";

const MINUTE = 60_000;
const PRODUCTION = { DENO_DEPLOY: "true", DENO_TIMELINE: "production" };

/** A database, a clock, pauses that the test ends, and processes that run given jobs. */
async function createWorld() {
  const kv = await Deno.openKv(":memory:");
  const clock = { now: NOON };
  const logged: unknown[] = [];
  let wake = () => {};
  return {
    kv,
    clock,
    logged,
    endPause: () => wake(),
    start: (jobs: readonly Job[], environment: Environment = {}, database = kv) =>
      createJobRunner(jobs, {
        kv: database,
        config: parseConfig(environment),
        now: () => clock.now,
        sleep: () => new Promise<void>((resolve) => wake = resolve),
        log: { error: (...parts: unknown[]) => void logged.push(parts) },
      }),
    last: async (name: string) => (await listJobRuns(kv)).get(name),
    [Symbol.dispose]: () => kv.close(),
  };
}

/** A job that counts its runs. */
function counted(more: Partial<Job> = {}): Job & { runs: number } {
  const job: Job & { runs: number } = {
    name: "check health",
    limitSeconds: 60,
    runs: 0,
    run: () => Promise.resolve(job.runs++),
    ...more,
  };
  return job;
}

Deno.test("processes that start a job at once run it once", async () => {
  using world = await createWorld();
  const job = counted({ isWanted: () => true });
  const processes = [world.start([job]), world.start([job]), world.start([job])];
  await Promise.all(processes.map(({ runDue }) => runDue()));
  for (const { runDue } of processes) await runDue();
  assert.equal(job.runs, 1);
  world.clock.now += MINUTE;
  await Promise.all(processes.map(({ runDue }) => runDue()));
  assert.equal(job.runs, 2);
});

Deno.test("a job that another process runs between the look at it and the lease is not run again", async () => {
  using world = await createWorld();
  const job = counted();
  const first = world.start([job]);
  const kv = new Proxy(world.kv, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== "get") return typeof value === "function" ? value.bind(target) : value;
      return async (key: Deno.KvKey) => {
        if (key[0] === "lease") await first.runDue();
        return await target.get(key);
      };
    },
  });
  await world.start([job], {}, kv).runDue();
  assert.equal(job.runs, 1);
});

Deno.test("a job runs when its process begins and once in two hours, whichever isolate looks, and again after a run that was lost", async () => {
  using world = await createWorld();
  const job = counted();
  const one = world.start([job]);
  const runs: number[] = [];
  for (let run = 0; run < 50; run++) {
    await (run % 2 === 0 ? one : world.start([job], PRODUCTION)).runDue();
    runs.push(job.runs);
    world.clock.now += 5 * MINUTE;
  }
  assert.deepEqual(runs, [...Array(24).fill(1), ...Array(24).fill(2), 3, 3]);
  world.clock.now += 110 * MINUTE;
  // The isolate that ran first in these two hours has not stored its run.
  await takeLease(world.kv, "jobs", 90_000, world.clock.now);
  await world.start([job], PRODUCTION).runDue();
  assert.equal(job.runs, 3);
  world.clock.now += 5 * MINUTE;
  await world.start([job], PRODUCTION).runDue();
  assert.equal(job.runs, 4);
});

Deno.test("a job for which its process knows of work runs before its turn, and the others wait", async () => {
  using world = await createWorld();
  let isWanted = false;
  const eager = counted({ name: "refresh events", isWanted: () => isWanted });
  const patient = counted();
  const { runDue } = world.start([eager, patient]);
  await runDue();
  isWanted = true;
  world.clock.now += 5 * MINUTE;
  await runDue();
  assert.deepEqual([eager.runs, patient.runs], [2, 1]);
});

Deno.test("jobs for which requests are work run at their time where the requests were, once for all of them", async () => {
  using world = await createWorld();
  const follower = counted({ name: "deliver usage records", secondsAfterRequests: 60 });
  const other = counted();
  const { runDue, wake } = world.start([follower, other]);
  await runDue();
  world.clock.now += MINUTE;
  wake();
  wake();
  world.clock.now += MINUTE;
  assert.equal(follower.runs, 1);
  world.endPause();
  while (follower.runs < 2) await new Promise((resolve) => setTimeout(resolve));
  // Another process still runs jobs when it is time, so the next run of the cron does the work.
  while (await takeLease(world.kv, "jobs", 2 * MINUTE, world.clock.now) === null) {
    await new Promise((resolve) => setTimeout(resolve));
  }
  wake();
  world.clock.now += MINUTE;
  world.endPause();
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(follower.runs, 2);
  world.clock.now += 5 * MINUTE;
  await runDue();
  assert.deepEqual([follower.runs, other.runs], [3, 1]);
  world.clock.now += 5 * MINUTE;
  await runDue();
  assert.equal(follower.runs, 3);
});

Deno.test("a run that fails is remembered with its reason, and the next run of the cron tries again", async () => {
  using world = await createWorld();
  let isBroken = true;
  const flaky = counted({
    run: () => isBroken ? Promise.reject(new Error("no store")) : Promise.resolve(),
  });
  const { runDue } = world.start([flaky]);
  await runDue();
  const first = { startedAt: NOON, durationMs: 0, error: "no store" };
  assert.deepEqual(await world.last(flaky.name), first);
  assert.equal(world.logged.length, 1);
  isBroken = false;
  world.clock.now += 5 * MINUTE;
  await runDue();
  const startedAt = NOON + 5 * MINUTE;
  assert.deepEqual(await world.last(flaky.name), { startedAt, durationMs: 0, error: null });
});

Deno.test("a run that takes too long counts as failed, and holds up no other job", async () => {
  using world = await createWorld();
  const endless = counted({ run: () => new Promise(() => {}), limitSeconds: 0.05 });
  const other = counted({ name: "refresh events" });
  await world.start([endless, other]).runDue();
  assert.match((await world.last(endless.name))?.error ?? "", /not done after 0.05 seconds/);
  assert.equal((await world.last(other.name))?.error, null);
});

Deno.test("a database that fails stops no later run", async () => {
  using world = await createWorld();
  const job = counted();
  let isAway = true;
  const kv = faultyKv(world.kv, () => isAway ? "refuse" : "work");
  const { runDue } = world.start([job], {}, kv);
  await runDue();
  assert.deepEqual([job.runs, world.logged.length], [0, 1]);
  isAway = false;
  await runDue();
  assert.equal(job.runs, 1);
});

Deno.test("on git branches and previews of Deno Deploy no job runs", async () => {
  const table = { "production": 1, "git-branch/spring": 0, "preview/x1y2": 0 };
  for (const [DENO_TIMELINE, expected] of Object.entries(table)) {
    using world = await createWorld();
    const job = counted({ isWanted: () => true });
    await world.start([job], { ...PRODUCTION, DENO_TIMELINE }).runDue();
    assert.equal(job.runs, expected, DENO_TIMELINE);
  }
});

Deno.test("a ClickHouse that fails is the failure of the job that fills it, and a store that fails is logged once", async () => {
  await using foyer = await startFoyer({ env: { ANALYTICS_URL: "http://127.0.0.1:1" } });
  const member = await foyer.createMember();
  await foyer.post("/proxy/v1/websearch/search", member.key, { query: "bread" });
  await foyer.services.ledger.flush();
  foyer.store.faults.push({ kind: "status", status: 401 });
  foyer.lines.length = 0;
  await runJobs(foyer.services);
  const runs = await listJobRuns(foyer.kv);
  assert.equal(runs.get("refresh events")?.error, null);
  assert.match(runs.get("deliver usage records")?.error ?? "", /^ClickHouse cannot be reached/);
  // Each failure is logged once.
  const told = foyer.lines.filter(({ message }) => message !== "A check failed.");
  assert.deepEqual(told.map(({ message, properties: { name } }) => [message, name]), [
    ["events: the record store could not be read", undefined],
    ["A job failed.", "deliver usage records"],
  ]);
});

Deno.test("a request to the proxy wakes the jobs once it is booked", async () => {
  await using foyer = await startFoyer();
  let bookings = 0;
  foyer.services.whenBooked(() => bookings++);
  const member = await foyer.createMember();
  for (const path of ["search", "contents"]) {
    const body = path === "search" ? { query: "bread" } : { urls: ["https://bread.example"] };
    await foyer.post(`/proxy/v1/websearch/${path}`, member.key, body);
  }
  await foyer.services.ledger.flush();
  assert.equal(bookings, 2);
});

/** The report of several isolates on one database. */

import assert from "node:assert/strict";
import type { Checks } from "../../../lib/operate/health/checks.ts";
import { createHealth } from "../../../lib/operate/health/report.ts";
import { faultyKv } from "../../support/faulty_kv.ts";
import { holdLimits } from "../../support/held_limits.ts";
import { skipPauses } from "../../support/held_pauses.ts";

const NOON = Date.parse("2026-11-21T12:00:00Z");

const up = () => Promise.resolve({ isUp: true });
const ALL_UP: Checks = {
  database: up,
  analytics: up,
  router: up,
  ocr: up,
  websearch: up,
  balance: up,
  media: up,
};

/** A process's report. By default, every check is up, it is noon, and no limit or pause ends by itself. */
function startHealth(given: Partial<Parameters<typeof createHealth>[0]> & { kv: Deno.Kv }) {
  return createHealth({
    checks: ALL_UP,
    readDatabase: ["database", "analytics"],
    areEventsUp: () => Promise.resolve(null),
    now: () => NOON,
    sleep: skipPauses,
    log: { warn() {}, error() {} },
    ...given,
  });
}

Deno.test("isolates share one run of the checks, for half a minute and not longer", async () => {
  using kv = await Deno.openKv(":memory:");
  const clock = { now: NOON };
  let runs = 0;
  const checks: Checks = {
    ...ALL_UP,
    ocr() {
      runs++;
      return up();
    },
  };
  const start = () =>
    startHealth({
      checks,
      kv,
      now: () => clock.now,
      // Pauses between two reads of the database end at once, limits never.
      sleep: (milliseconds) =>
        new Promise((resolve) => void (milliseconds < 1_000 && setTimeout(resolve))),
    });
  const reports = await Promise.all(Array.from({ length: 5 }, () => start().get()));
  assert.equal(runs, 1);
  assert.deepEqual(new Set(reports.map(({ timestamp }) => timestamp)), new Set([NOON]));

  clock.now += 30_000 - 1;
  assert.equal((await start().get()).timestamp, NOON);
  assert.equal(runs, 1);
  clock.now += 1;
  assert.equal((await start().get()).timestamp, clock.now);
  assert.equal(runs, 2);
});

Deno.test("for an idle service, a check is news that fails, or that failed the last time", async () => {
  using kv = await Deno.openKv(":memory:");
  let isUp = true;
  const health = startHealth({
    checks: { ...ALL_UP, router: () => Promise.resolve({ isUp }) },
    kv,
    startLimit: holdLimits().start,
  });
  assert.equal(await health.hasNews(), false);
  isUp = false;
  assert.equal(await health.hasNews(), true);
  await health.record();
  isUp = true;
  assert.equal(await health.hasNews(), true);
  await health.record();
  assert.equal(await health.hasNews(), false);
});

Deno.test("a database that can be read and not written is down, and the rest is checked", async () => {
  using kv = await Deno.openKv(":memory:");
  const full = new Proxy(kv, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== "atomic") return typeof value === "function" ? value.bind(target) : value;
      return () => {
        const operation = target.atomic();
        operation.commit = () => Promise.reject(new Error("the disk is full"));
        return operation;
      };
    },
  });
  const { status, database, ocr } = await startHealth({ kv: full }).get();
  assert.deepEqual([status, database, ocr], ["down", false, true]);
});

Deno.test("a database that does not answer for 0.7 seconds is not waited for, and the rest is checked", async () => {
  using kv = await Deno.openKv(":memory:");
  const limits = holdLimits();
  let asked = 0;
  const health = startHealth({
    checks: {
      ...ALL_UP,
      database: () => asked++ === 0 ? new Promise(() => {}) : Promise.resolve({ isUp: false }),
    },
    kv: faultyKv(kv, () => "die before"),
    startLimit: limits.start,
  });
  const report = health.get();
  await limits.expire(700);
  // The history's limit.
  await limits.expire(300);
  const { status, database, router } = await report;
  assert.deepEqual([status, database, router], ["down", false, true]);
});

Deno.test("a database too slow to share the report is logged, and this process's own report is sent", async () => {
  // The first commit takes the lease. Without it nothing is checked, and every check counts as failed.
  for (const [commits, expected] of [[1, "up"], [0, "down"]] as const) {
    using kv = await Deno.openKv(":memory:");
    const limits = holdLimits();
    const logged: string[] = [];
    let left: number = commits;
    const health = startHealth({
      kv: faultyKv(kv, ({ kind }) => kind === "read" || left-- > 0 ? "work" : "die before"),
      startLimit: limits.start,
      log: { warn() {}, error: (message) => void logged.push(message) },
    });
    const report = health.get();
    // The history's limit, and the report's.
    if (commits > 0) await limits.expire(300);
    await limits.expire(5_200);
    const { status, database, timestamp } = await report;
    assert.deepEqual([status, database, timestamp], [expected, expected === "up", NOON]);
    assert.deepEqual(logged, ["The health report cannot be shared: the database is too slow."]);
  }
});

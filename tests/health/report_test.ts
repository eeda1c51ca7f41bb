/** The report of several isolates on one database. */

import assert from "node:assert/strict";
import type { Checks } from "../../lib/health/checks.ts";
import { createHealth } from "../../lib/health/report.ts";
import { NOON } from "../support/foyer.ts";

Deno.test("isolates share one run of the checks, for half a minute and not longer", async () => {
  using kv = await Deno.openKv(":memory:");
  const clock = { now: NOON };
  let runs = 0;
  const up = () => Promise.resolve({ isUp: true });
  const checks: Checks = {
    database: up,
    analytics: up,
    router: up,
    ocr: () => {
      runs++;
      return up();
    },
    websearch: up,
    balance: up,
    media: up,
  };
  const log = { warn: () => {}, error: () => {} };
  const start = () =>
    createHealth({
      checks,
      areEventsUp: () => Promise.resolve(null),
      kv,
      now: () => clock.now,
      // Pauses between two looks at the database pass at once, limits never.
      sleep: (milliseconds) =>
        new Promise((resolve) => void (milliseconds < 1_000 && setTimeout(resolve))),
      log,
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
  const up = () => Promise.resolve({ isUp: true });
  const checks = {
    database: up,
    analytics: up,
    router: up,
    ocr: up,
    websearch: up,
    balance: up,
    media: up,
  };
  const { status, database, ocr } = await createHealth({
    checks,
    areEventsUp: () => Promise.resolve(null),
    kv: full,
    now: () => NOON,
    sleep: () => Promise.resolve(),
    log: { warn: () => {}, error: () => {} },
  }).get();
  assert.deepEqual([status, database, ocr], ["down", false, true]);
});

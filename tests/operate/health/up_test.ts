/**
 * `GET /up`, through the public door. The checks' time limits are held,
 * so that nothing counts as down because this machine is slow.
 */

import assert from "node:assert/strict";
import { createHistoryWriter, readHistory } from "../../../lib/operate/health/history.ts";
import { createJobRunner, listJobs } from "../../../lib/operate/jobs.ts";
import { NOON, startFoyer } from "../../support/foyer.ts";
import { holdLimits } from "../../support/held_limits.ts";
import { until } from "../../support/until.ts";

const SECOND = 1_000;

/** The report of a service that is well, without figures. */
const WELL = {
  ...{ status: "up", database: true, analytics: true, router: true, ocr: true, websearch: true },
  timestamp: NOON,
};

Deno.test("everything up is 200 with every field of the health record, needs no key, costs nothing and tells no key", async () => {
  await using foyer = await startFoyer();
  const response = await foyer.get("/up");
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("cache-control"), "no-store");
  const report = await response.json();
  assert.ok(!/test-/.test(JSON.stringify(report)));
  const { limitRemaining } = foyer.router.account;
  assert.deepEqual(report, {
    ...WELL,
    dailyKeyUsageRemaining: limitRemaining,
    keyLimitRemaining: limitRemaining,
    keyUsage: report.keyUsage,
    balanceRemaining: report.balanceRemaining,
    mediaUnusedCredit: 12.34,
  });
  assert.equal(typeof report.keyUsage, "number");
  assert.equal(typeof report.balanceRemaining, "number");
  for (const provider of [foyer.decision, foyer.ocr, foyer.router, foyer.media]) {
    assert.equal(provider.charges.size, 0);
    assert.ok(provider.requests.every(({ method }) => method === "GET"));
  }
  // The contents of no page.
  assert.equal(foyer.websearch.charges.size, 0);
  assert.equal(foyer.websearch.requests.length, 1);
});

Deno.test("a figure that is not available keeps its last known value, and the rest of a limit that was lifted is left out", async () => {
  await using foyer = await startFoyer();
  const report = async () => await (await foyer.get("/up")).json();
  const before = await report();
  for (const provider of [foyer.router, foyer.media]) {
    provider.faults.push({ kind: "status", status: 500, sticky: true });
  }
  foyer.clock.now += 31 * SECOND;
  const after = await report();
  assert.deepEqual({ ...after, status: "up", router: true, timestamp: NOON }, before);
  assert.equal(after.router, false);
  foyer.router.faults.clear();
  foyer.router.account.limitRemaining = null;
  foyer.clock.now += 31 * SECOND;
  const { keyLimitRemaining: _key, dailyKeyUsageRemaining: _daily, ...rest } = before;
  assert.deepEqual(await report(), { ...rest, timestamp: foyer.clock.now });
});

Deno.test("a dependency that is not configured is not needed, and its figures are left out", async () => {
  const keys = ["ROUTER_API_KEY", "ROUTER_MANAGEMENT_KEY", "OCR_API_KEY", "WEBSEARCH_API_KEY"];
  const env = Object.fromEntries([...keys, "MEDIA_API_KEY"].map((name) => [name, undefined]));
  await using foyer = await startFoyer({ env });
  const response = await foyer.get("/up");
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), WELL);
});

Deno.test("anything down is 503, and HEAD says the same without a body", async () => {
  await using foyer = await startFoyer();
  foyer.ocr.faults.push({ kind: "status", status: 500, sticky: true });
  const head = await foyer.get("/up", { method: "HEAD" });
  assert.equal(head.status, 503);
  assert.equal(await head.text(), "");
  const response = await foyer.get("/up");
  assert.equal(response.status, 503);
  const { status, ocr, router } = await response.json();
  assert.deepEqual([status, ocr, router], ["down", false, true]);
  const failed = foyer.lines.filter(({ message }) => message === "A check failed.");
  assert.deepEqual(failed.map(({ properties }) => properties["name"]), ["ocr"]);
});

Deno.test("a thousand callers at once cost one run of the checks, and a result lives half a minute", async () => {
  await using foyer = await startFoyer();
  const reports = await Promise.all(
    Array.from({ length: 1000 }, async () => await (await foyer.get("/up")).json()),
  );
  assert.equal(new Set(reports.map(({ timestamp }) => timestamp)).size, 1);
  assert.equal(foyer.ocr.requests.length, 1);
  foyer.clock.now += 30 * SECOND - 1;
  await (await foyer.get("/up")).json();
  assert.equal(foyer.ocr.requests.length, 1);
  foyer.clock.now += 1;
  const { timestamp } = await (await foyer.get("/up")).json();
  assert.equal(timestamp, foyer.clock.now);
  assert.equal(foyer.ocr.requests.length, 2);
});

Deno.test("a process that is ending reports down, and still answers every request", async () => {
  await using foyer = await startFoyer();
  const { key } = await foyer.createMember();
  foyer.services.health.leave();
  const up = await foyer.get("/up");
  assert.deepEqual([up.status, (await up.json()).status], [503, "down"]);
  const answer = await foyer.post("/proxy/v1/websearch/search", key, { query: "bread" });
  assert.equal(answer.status, 200);
});

Deno.test("a database that can be read and not written is down, and the rest is checked", async () => {
  await using foyer = await startFoyer({
    judge: ({ kind }) => kind === "commit" ? "refuse" : "work",
  });
  const report = await (await foyer.get("/up")).json();
  assert.partialDeepStrictEqual(report, { status: "down", database: false, ocr: true });
});

Deno.test("a database that answers no write is down from the next report on", async () => {
  const limits = holdLimits();
  let isFull = true;
  await using foyer = await startFoyer({
    judge: ({ kind }) => isFull && kind === "commit" ? "die before" : "work",
    startLimit: limits.start,
  });
  for (const database of [true, false]) {
    const asked = foyer.get("/up");
    await until(() => limits.count(700) === 1);
    await limits.expire(700);
    assert.partialDeepStrictEqual(await (await asked).json(), { database, ocr: true });
    foyer.clock.now += 30 * SECOND;
  }
  isFull = false;
  assert.partialDeepStrictEqual(await (await foyer.get("/up")).json(), { database: true });
});

Deno.test("a database that does not answer is down with the usage records after less than six seconds, and the rest is checked", async () => {
  const limits = holdLimits();
  await using foyer = await startFoyer({ judge: () => "die before", startLimit: limits.start });
  const asked = foyer.get("/up");
  // The database, which is also the place of the usage records.
  await until(() => limits.count(5_000) === 2);
  await limits.expire(5_000);
  await limits.expire(700);
  const down = { status: "down", database: false, analytics: false };
  assert.partialDeepStrictEqual(await (await asked).json(), { ...down, ocr: true });
});

Deno.test("each result is counted for its day, and of two isolates that store one at once none is lost", async () => {
  await using foyer = await startFoyer();
  const other = createHistoryWriter({ kv: foyer.kv, log: { warn() {} } });
  const outcomes = [1, 2, 3].map((second) => ({ at: NOON + second, isUp: { ocr: second !== 2 } }));
  await Promise.all([foyer.get("/up"), ...outcomes.map(other)]);
  const { runs, failed, firstAt, lastAt } =
    (await readHistory(foyer.kv, NOON)).get("2026-11-21")?.ocr ?? {};
  assert.deepEqual([runs, failed, firstAt, lastAt], [4, 1, NOON, NOON + 3]);
});

Deno.test("while a check fails, the job checks it again at each run of the cron", async () => {
  await using foyer = await startFoyer();
  const { services, clock, ocr } = foyer;
  const sleep = () => Promise.resolve();
  const { runDue } = createJobRunner(listJobs(services), { ...services, sleep });
  ocr.faults.push({ kind: "status", status: 500 });
  const checked: number[] = [];
  for (let run = 0; run < 4; run++) {
    await runDue();
    checked.push(ocr.requests.length);
    clock.now += 5 * 60 * SECOND;
  }
  assert.deepEqual(checked, [1, 2, 2, 2]);
});

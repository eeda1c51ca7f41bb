/** `status`: the facts that the operator sees and the public does not. */

import assert from "node:assert/strict";
import { parseConfig } from "../../lib/platform/config/config.ts";
import type { Job } from "../../lib/operate/jobs.ts";
import { NOON, row, startFoyer } from "../support/foyer.ts";
import { runJobs } from "../support/run_jobs.ts";
import { callAt, callTool, done, json } from "./desk.ts";

const HOSTILE = "\u001b[31m2026";
const TABLE = { AIRTABLE_TOKEN: "pat", AIRTABLE_BASE_ID: "appTest", AIRTABLE_TABLE: "tblTest" };

/** The job that reads the events, which fails for a reason. */
const failing = (reason: string): Job => {
  const run = () => Promise.reject(new Error(reason));
  return { name: "refresh events", limitSeconds: 1, run };
};

Deno.test("the operator sees the left-out records with reasons and links, why a job failed, and the spending", async () => {
  await using foyer = await startFoyer({
    records: [
      row({ "Name": "Jam" }),
      row({ "id": "recBroken00000001", "Start Date": HOSTILE }),
      row({ "id": "recPart0000000001", "Background Type": "color" }),
    ],
  });
  const { kv, clock } = foyer;
  await runJobs(foyer.services);
  clock.now += 60_000;
  await runJobs(foyer.services, [failing(HOSTILE)]);
  const now = () => clock.now;
  const status = (...args: string[]) => callAt(foyer, "status", ...args);
  const body = { query: "x" };
  for (const { key } of [await foyer.createMember(), await foyer.createMember()]) {
    await foyer.post("/proxy/v1/websearch/search", key, body);
  }
  await foyer.services.ledger.flush();
  await foyer.kv.set(["outbox", "request-1"], ["usage", "acc_a", "2026-11-21", 0, "request-1"]);
  const told = await json(status("--json"));
  assert.equal(told.outbox.waiting, 1);
  const [left, ...others] = told.leftOut;
  assert.deepEqual([left.recordId, left.column, others], ["recBroken00000001", "Start Date", []]);
  assert.match(left.reason, /expected/);
  assert.equal(left.link, null, "the table is not at Airtable");
  const link = "https://airtable.com/appTest/tblTest/recBroken00000001";
  const place = { kv, config: parseConfig(TABLE), now };
  const named = { ...place, config: parseConfig({ ...TABLE, AIRTABLE_TABLE: "Events" }) };
  for (const [at, expected] of [[place, link], [named, null]] as const) {
    const { leftOut } = await json(callTool("status", ["--json"], at));
    assert.equal(leftOut[0].link, expected);
  }
  assert.ok((await done(callTool("status", [], place))).includes(link));
  assert.deepEqual(told.shownInPart[0].recordId, "recPart0000000001");
  const { error } = told.jobs.find(({ name }: { name: string }) => name === "refresh events");
  assert.equal(error, HOSTILE);
  assert.equal(told.events.count, 2);
  assert.deepEqual(
    told.checks.map(({ name, state }: Record<string, string>) => `${name}: ${state}`).join(),
    "events: warning,database: up,analytics: up,router: up,ocr: up,websearch: up",
  );
  const days = [{ date: "2026-11-21", runs: 1, failed: 0 }];
  assert.deepEqual(told.checks[1], { name: "database", state: "up", failingSince: null, days });
  assert.equal(told.today.requests, 2);
  assert.ok(told.today.spentUsd > 0);

  const text = await done(status());
  for (const part of ["recBroken00000001", "Start Date", "refresh events", "Today: "]) {
    assert.ok(text.includes(part), part);
  }
  // deno-lint-ignore no-control-regex -- what no terminal may get
  assert.ok(!/[\u0000-\u0009\u000b-\u001f]/.test(text));
});

Deno.test("over an empty database it says that nothing was checked, and names the unconfigured parts", async () => {
  using kv = await Deno.openKv(":memory:");
  const now = () => NOON;
  const config = parseConfig({ AIRTABLE_TOKEN: "pat", AIRTABLE_BASE_ID: "app1" });
  const text = await done(callTool("status", [], { kv, config, now }));
  assert.match(text, /^Nothing has been checked yet\./);
  assert.match(text, /^Web search +not configured/m);
  assert.match(text, /^Events +not read yet/m);
  assert.match(text, /^The events have not been read yet\.$/m);
  assert.match(text, /^refresh events +not run yet$/m);
  assert.match(text, /^Database +not checked yet +Last 90 days: no data$/m);
  assert.match(text, /^No requests on 2026-11-21 \(UTC\)\.$/m);
  assert.doesNotMatch(text, /cannot|late|failed/);
  const notified = parseConfig({
    AIRTABLE_TOKEN: "pat",
    AIRTABLE_BASE_ID: "app1",
    AIRTABLE_NOTIFICATIONS: "on",
    BASE_URL: "https://foyer.example",
  });
  assert.match(
    await done(callTool("status", [], { kv, config: notified, now })),
    /^The table is read every 120 seconds until Airtable reports changes\.$/m,
  );
  const bare = await done(callTool("status", [], { kv, config: parseConfig({}), now }));
  assert.match(bare, /^The events store is not configured\./);
  assert.match(bare, /Set AIRTABLE_TOKEN and AIRTABLE_BASE_ID/);
});

Deno.test("the operator is told of jobs that are late or failed, of notifications that cannot arrive, and of the calls", async () => {
  await using foyer = await startFoyer({
    records: [row()],
    env: { AIRTABLE_NOTIFICATIONS: "on" },
    airtable: { webhookRights: () => "no scope" },
  });
  const status = () => done(callAt(foyer, "status"));
  await foyer.services.events.refresh();
  await foyer.get("/up");
  const text = await status();
  assert.match(text, /so the events are polled/);
  assert.match(text, /Airtable's API in 2026-11: 2/);
  assert.match(text, /^Database .* Last 90 days: no failures, no data for 89 days$/m);
  assert.doesNotMatch(text, /late/);
  await runJobs(foyer.services, [failing("no")]);
  assert.match(await status(), /^Failed jobs: refresh events\.$/m);
  foyer.clock.now += 6 * 3_600_000 + 1;
  const later = await status();
  assert.match(later, /^Late jobs: refresh events, check health, /m);
  assert.match(later, /not run yet, and late/);
  foyer.store.faults.push({ kind: "status", status: 401, sticky: true });
  await foyer.services.events.refresh();
  assert.match(await status(), /Check AIRTABLE_TOKEN/);
  assert.match(await status(), /^The last read: Airtable: 401 AUTHENTICATION_REQUIRED/m);
  assert.doesNotMatch(await (await foyer.get("/status")).text(), /AUTHENTICATION_REQUIRED/);
});

/** `usage`: its queries, and their results as text. */

import assert from "node:assert/strict";
import { serveStandIn } from "../../lib/sandbox/serve_stand_in.ts";
import { createStandIn, PASSWORD, record } from "../proxy/records/clickhouse.ts";
import { type Desk, done, json, mistake, sitDown } from "./desk.ts";

const [BOT, DEMO] = ["acc_aaaaaaaaaaaa", "acc_bbbbbbbbbbbb"];

/** A day's bookings of two accounts, and one of the day before. */
async function fill(desk: Desk): Promise<void> {
  const bot = { accountId: BOT, endpoint: "chat/completions", model: "openai/gpt-5" };
  await desk.book(
    record({ ...bot, cost: 1_500_000_001n, inputTokens: 1200, outputTokens: 34, durationMs: 900 }),
    record({ ...bot, cost: 0n, status: 502, durationMs: 30_000 }),
    record({ ...bot, cost: 40n, status: null, durationMs: null, costFrom: "sweep" }),
  );
  await desk.book(record({ accountId: DEMO, cost: 7_000_000n, durationMs: 250 }));
  await desk.book(record({ accountId: DEMO, cost: 1n, day: "2026-11-20" }));
}

Deno.test("usage shows today by account, with a total, and by --details tokens and durations", async () => {
  using desk = await sitDown();
  assert.equal(await done(desk.usage()), "No requests on 2026-11-21 (UTC).\n");
  assert.equal(
    await done(desk.usage("--from", "2026-11-01", "--to", "2026-11-03")),
    "No requests from 2026-11-01 to 2026-11-03 (UTC).\n",
  );
  assert.match(await done(desk.usage("--to", "2026-11-01")), /^No requests on 2026-11-01 /);
  assert.deepEqual((await json(desk.usage("--json"))).groups, []);
  await fill(desk);
  assert.equal(
    await done(desk.usage()),
    `ACCOUNT           REQUESTS  FAILED    COST
acc_aaaaaaaaaaaa         3       2   $1.50
acc_bbbbbbbbbbbb         1       0  $0.007
total                    4       2   $1.51
`,
  );
  const { total } = await json(desk.usage("--json"));
  assert.deepEqual([total.costNanoUsd, total.inputTokens, total.p95Ms], ["1507000041", null, null]);
  assert.equal(
    await done(desk.usage("--details")),
    `ACCOUNT           REQUESTS  FAILED    COST  TOKENS IN  TOKENS OUT  MEDIAN MS  P95 MS
acc_aaaaaaaaaaaa         3       2   $1.50       1200          34        900   30000
acc_bbbbbbbbbbbb         1       0  $0.007          0           0        250     250
total                    4       2   $1.51       1200          34        900   30000
`,
  );
});

Deno.test("records answer for 31 days and sums for 400; a longer question is told what can be asked", async () => {
  using desk = await sitDown();
  await fill(desk);
  await desk.book(record({ day: "2025-10-18", cost: 3n }));
  const month = ["--from", "2026-10-22"];
  for (const options of [["--by", "model"], ["--by", "status"], ["--details"]]) {
    assert.equal((await desk.usage(...month, ...options)).code, 0);
    assert.match(
      await mistake(desk.usage("--from", "2026-10-21", ...options)),
      /^error: --\w+.* reads the records, of at most 31 days at once; these are 32\. Ask for fewer /,
    );
  }
  for (const by of ["account", "endpoint", "key", "day"]) {
    const asked = ["--from", "2025-10-18", "--by", by, "--json"];
    assert.equal((await json(desk.usage(...asked))).total.costNanoUsd, "1507000045", by);
  }
  const refused = await mistake(desk.usage("--from", "2025-10-17"));
  assert.match(refused, /the books have the last 400 days, from 2025-10-18 on\. .*clickhouse$/);
});

Deno.test("today by account shows each limit, the part of it that is used, and marks who is near", async () => {
  using desk = await sitDown();
  const costs = { far: 1_000_000_000n, near: 3_400_000_000n, close: 3_200_000_000n };
  for (const [name, cost] of Object.entries(costs)) {
    const { id } = await json(desk.accounts("create", name, "--json"));
    await desk.book(record({ accountId: id, cost }));
  }
  const { id } = await json(desk.accounts("create", "none", "--limit", "0", "--json"));
  await desk.book(record({ accountId: id, cost: 0n, status: 502 }));
  const out = await done(desk.usage());
  assert.match(out, /^acc_\w+ +none .* \$0\.00 +100% !$/m);
  assert.match(out, /^ACCOUNT .* LIMIT +USED$/m);
  assert.match(out, /^acc_\w+ +near .* \$4\.00 +85% !$/m);
  assert.match(out, /^acc_\w+ +close .* \$4\.00 +80%$/m);
  assert.match(out, /^acc_\w+ +far .* \$4\.00 +25%$/m);
  const { groups } = await json(desk.usage("--json"));
  assert.deepEqual(
    groups.map(({ limitUsd, shareOfLimit }: Record<string, number>) => [limitUsd, shareOfLimit]),
    [[4, 0.85], [4, 0.8], [4, 0.25], [0, 1]],
  );
  assert.doesNotMatch(await done(desk.usage("--from", "2026-11-20")), /LIMIT/);
});

Deno.test("--json is exact, and repeats the question up to today", async () => {
  using desk = await sitDown();
  await fill(desk);
  const options = ["--from", "2026-11-20", "--to", "9999-12-31", "--by", "status", "--json"];
  const { groups, total, ...question } = await json(desk.usage(...options));
  const days = { from: "2026-11-20", to: "2026-11-21" };
  assert.deepEqual(question, { ...days, by: "status", account: null, refused: [] });
  assert.deepEqual(groups[1], {
    ...{ status: null, requests: 1, failed: 1, costUsd: 4e-8, costNanoUsd: "40" },
    ...{ inputTokens: 0, outputTokens: 0, medianMs: null, p95Ms: null },
  });
  const told = [...groups, total].map(({ status, requests, costNanoUsd, medianMs }) => [
    ...[status, requests, costNanoUsd, medianMs],
  ]);
  assert.deepEqual(told, [
    [200, 3, "1507000002", 250],
    [null, 1, "40", null],
    [502, 1, "0", 30_000],
    [undefined, 5, "1507000042", 250],
  ]);
});

Deno.test("a name of a model cannot move the cursor of a terminal", async () => {
  using desk = await sitDown();
  await desk.book(record({ model: "a\u001b[2Jb\nc\u202ed" }));
  const out = await done(desk.usage("--by", "model"));
  assert.match(out, /^a\ufffd\[2Jb\ufffdc\ufffdd /m);
});

Deno.test("--source clickhouse asks ClickHouse", async () => {
  const { standIn } = createStandIn();
  const server = serveStandIn(standIn.fetch);
  using desk = await sitDown({
    ANALYTICS_URL: server.origin.replace("//", `//foyer:${encodeURIComponent(PASSWORD)}@`),
  });
  await desk.book(record());
  const tokens = { inputTokens: "7", outputTokens: "0", medianMs: "3", p95Ms: null };
  const totals = { requests: "9", failed: "1", cost: "5", ...tokens };
  standIn.prepare("model AS group_key", { data: [{ group_key: "gpt", ...totals }], totals });
  const options = ["--source", "clickhouse", "--from", "2024-01-01", "--by", "model", "--json"];
  const { groups: [{ model, requests, inputTokens, medianMs, p95Ms }] } = await json(
    desk.usage(...options),
  );
  assert.deepEqual([model, requests, inputTokens, medianMs, p95Ms], ["gpt", 9, 7, 3, null]);
  assert.equal(standIn.statements[0]?.parameters.param_from, "2024-01-01");
  // The books need no ClickHouse, and have no delay.
  const own = await desk.usage("--json");
  assert.deepEqual([JSON.parse(own.out).total.requests, own.err], [1, ""]);
  standIn.faults.push({ kind: "exception", sticky: true });
  const failed = await desk.usage("--source", "clickhouse");
  assert.deepEqual([failed.code, failed.out], [1, ""]);
  assert.match(failed.err, /^error: ClickHouse answered status 500: [^\n]+\n$/);
  await server.shutdown();
});

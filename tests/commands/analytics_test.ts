/** `analytics`: migrate, status and flush. */

import assert from "node:assert/strict";
import { outboxKey } from "../../lib/proxy/ledger/books.ts";
import { createClickHouseStandIn } from "../../lib/sandbox/clickhouse.ts";
import { serveStandIn } from "../../lib/sandbox/serve_stand_in.ts";
import { NOON, record } from "../proxy/records/stores.ts";
import { done, json, sitDown } from "./desk.ts";

async function setUp() {
  const standIn = createClickHouseStandIn({ user: "default", password: "" });
  const server = serveStandIn(standIn.fetch);
  const desk = await sitDown({ ANALYTICS_URL: server.origin });
  return {
    standIn,
    desk,
    async [Symbol.asyncDispose]() {
      desk[Symbol.dispose]();
      await server.shutdown();
    },
  };
}

Deno.test("migrate creates the tables, and the second time says that they exist", async () => {
  await using world = await setUp();
  const { desk } = world;
  assert.equal(
    await done(desk.analytics("migrate")),
    "Created the tables foyer_usage and foyer_refusals.\n",
  );
  assert.match(await done(desk.analytics("migrate")), /^Nothing changed: .*foyer_usage/);
  const again = await json(desk.analytics("migrate", "--json"));
  assert.deepEqual(again, { store: "clickhouse", migration: "unchanged", created: [] });
});

Deno.test("migrate has nothing to do for the embedded store", async () => {
  using desk = await sitDown();
  assert.match(await done(desk.analytics("migrate")), /the embedded store needs no table/);
});

Deno.test("status shows whether the store responds, and the waiting batches", async () => {
  await using world = await setUp();
  const { desk, standIn } = world;
  await desk.book(record());
  assert.deepEqual(await json(desk.analytics("status", "--json")), {
    store: "clickhouse",
    reachable: true,
    error: null,
    waitingPages: 1,
    oldestAt: new Date(NOON + 1).toISOString(),
    asidePages: 0,
    failures: 0,
    pausedUntil: null,
  });
  const failed = await desk.analytics("flush");
  assert.deepEqual([failed.code, failed.out], [1, ""]);
  assert.match(
    failed.err,
    /^analytics: ClickHouse answered status 404: Code: 60\..*analytics migrate` [^\n]+\n$/,
  );

  standIn.faults.push({ kind: "exception", sticky: true });
  const shown = (await done(desk.analytics("status"))).split("\n").map((line) =>
    line.split(/ {2,}/)
  );
  const [, [, answers = ""] = [], ...others] = shown;
  assert.match(answers, /^no: ClickHouse answered status 500: /);
  assert.deepEqual(others, [
    ["Batches waiting", "1"],
    ["Oldest booking", "2026-11-21 12:00 UTC"],
    ["Batches set aside", "0"],
    ["Failures", "1 in a row"],
    ["Next attempt", "after 2026-11-21 12:00 UTC"],
    [""],
  ]);
});

Deno.test("flush delivers the waiting batches, and names unreadable ones", async () => {
  using desk = await sitDown();
  await desk.book(record(), record());
  await desk.kv.set(outboxKey("broken"), 5);
  const { code, out, err } = await desk.analytics("flush");
  assert.deepEqual([code, out], [0, "Delivered 2 records.\n"]);
  assert.match(
    err,
    /^Note: A batch of usage records cannot be read and is set aside\. \([^\n]+\)\n$/,
  );
  assert.deepEqual(await json(desk.analytics("flush", "--json")), { records: 0 });
  const status = await desk.analytics("status");
  assert.match(status.out, /^Batches set aside +1$/m);
  assert.match(status.err, /flush --aside`/);
  assert.match((await desk.analytics("flush", "--aside")).err, /cannot be read/);
});

Deno.test("flush ends although a newer version's records are left where they wait", async () => {
  using desk = await sitDown();
  await desk.kv.set(outboxKey("newer"), { format: 99 });
  const { code, out, err } = await desk.analytics("flush", "--json");
  assert.deepEqual([code, JSON.parse(out)], [0, { records: 0 }]);
  assert.match(err, /^Note: .* format 99/);
  const status = await desk.analytics("status", "--json");
  assert.equal(JSON.parse(status.out).waitingPages, 1);
});

Deno.test("an embedded store with a database of its own keeps its rows there", async () => {
  const folder = await Deno.makeTempDir();
  try {
    using desk = await sitDown({ ANALYTICS_KV_PATH: `${folder}/analytics.sqlite3` });
    await desk.book(record());
    await done(desk.analytics("flush"));
    assert.equal((await json(desk.usage("--json"))).total.requests, 1);
    const here = await Array.fromAsync(desk.kv.list({ prefix: ["analytics", "rows"] }));
    assert.deepEqual(here, []);
    using closed = await sitDown({ ANALYTICS_KV_PATH: `${folder}/no/such/folder` });
    const { code, err } = await closed.analytics("status");
    assert.equal(code, 1);
    assert.match(err, /^analytics: ANALYTICS_KV_PATH: the database \S+ cannot be opened: /);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** `analytics`: migrate and fill. */

import assert from "node:assert/strict";
import { createClickHouseStandIn } from "../../lib/sandbox/clickhouse.ts";
import { serveStandIn } from "../../lib/sandbox/serve_stand_in.ts";
import { countInserted, record } from "../proxy/records/clickhouse.ts";
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

Deno.test("migrate creates the table", async () => {
  await using world = await setUp();
  const { desk, standIn } = world;
  assert.equal(await done(desk.analytics("migrate")), "Created the table foyer_usage.\n");
  assert.match(standIn.statements.at(-1)?.sql ?? "", /^CREATE TABLE IF NOT EXISTS foyer_usage/);
  assert.deepEqual(await json(desk.analytics("migrate", "--json")), { migration: "created" });
});

Deno.test("fill sends the days of before, and refuses what is no period", async () => {
  await using world = await setUp();
  const { desk, standIn } = world;
  await desk.book(record({ cost: 1n }), record({ cost: 2n, day: "2026-11-20" }));
  await desk.book(record({ cost: 4n, day: "2026-10-01" }));
  const period = ["--from", "2026-11-01", "--to", "2026-11-20", "--json"];
  assert.deepEqual(await json(desk.analytics("fill", ...period)), {
    from: "2026-11-01",
    to: "2026-11-20",
    records: 1,
  });
  const { from } = await json(desk.analytics("fill", "--json"));
  assert.equal(from, "2026-08-14", "the first of 100 days");
  assert.equal(await done(desk.analytics("fill")), "Sent 3 records.\n");
  assert.deepEqual(countInserted(standIn), [3, 7n]);
});

/** The outbox: every booked request reaches ClickHouse, and counts there once. */

import assert from "node:assert/strict";
import { createOutbox, fillClickHouse, readBacklog } from "../../../lib/proxy/records/outbox.ts";
import type { UsageRow } from "../../../lib/proxy/records/clickhouse.ts";
import { dayKey, outboxKey, usageKey } from "../../../lib/proxy/ledger/values.ts";
import { openAccounts } from "../../support/accounts.ts";
import { bookRecords, moveDay } from "../../support/booked.ts";
import { countInserted, createStandIn, mark, MINUTE, record, TODAY } from "./clickhouse.ts";

type Insert = (insert: () => Promise<void>) => Promise<void>;

/** The outboxes of two isolates, over a ClickHouse that a test can make fail. */
async function openWorld() {
  const { kv, now, advance } = await openAccounts();
  const { standIn, clickHouse } = createStandIn();
  const logged: string[] = [];
  const onInsert: Insert = (insert) => insert();
  const state = { onInsert, inserts: 0 };
  const options = {
    kv,
    clickHouse: {
      insert(rows: readonly UsageRow[]): Promise<void> {
        state.inserts++;
        return state.onInsert(() => clickHouse.insert(rows));
      },
    },
    now,
    log: { error: (text: unknown) => void logged.push(String(text)) },
  };
  return Object.assign(state, {
    kv,
    now,
    advance,
    logged,
    options,
    outbox: createOutbox(options),
    other: createOutbox(options),
    /** What ClickHouse counts: requests and nano-dollars. */
    held: () => countInserted(standIn),
    waiting: () => readBacklog(kv),
    [Symbol.dispose]: () => kv.close(),
  });
}

Deno.test("many records go in few inserts, each once, and the outbox is empty", async () => {
  using world = await openWorld();
  await mark(world.kv, ...Array.from({ length: 5_200 }, () => record({ cost: 1n })));
  assert.equal(await world.waiting(), 5_200);
  assert.equal(await world.outbox.deliver(), 5_200);
  assert.deepEqual(world.held(), [5_200, 5_200n]);
  assert.equal(await world.outbox.deliver(), 0);
  assert.deepEqual([world.inserts, await world.waiting(), world.logged], [2, 0, []]);
});

Deno.test("an isolate that crashes between insert and delete delays no other for long, and doubles nothing", async () => {
  using world = await openWorld();
  await mark(world.kv, record({ cost: 3n }));
  const stuck = Promise.withResolvers<void>();
  const inserted = Promise.withResolvers<void>();
  world.onInsert = async (insert) => {
    await insert();
    inserted.resolve();
    await stuck.promise;
  };
  const crashed = world.outbox.deliver();
  await inserted.promise;
  world.onInsert = (insert) => insert();
  assert.equal(await world.other.deliver(), 0, "the lease is held");
  world.advance(2 * MINUTE);
  assert.equal(await world.other.deliver(), 1);
  // The isolate had not crashed but slept: its work now harms nothing.
  stuck.resolve();
  await crashed;
  assert.deepEqual(world.held(), [1, 3n]);
  assert.equal(await world.waiting(), 0);
});

Deno.test("a correction that arrives during the insert is delivered too", async () => {
  using world = await openWorld();
  const swept = record({ cost: 100n, costFrom: "sweep", status: null });
  await mark(world.kv, swept, record({ cost: 1n }));
  world.onInsert = async (insert) => {
    await insert();
    world.onInsert = (again) => again();
    await mark(world.kv, { ...swept, cost: 7n, costFrom: "provider" });
  };
  assert.equal(await world.outbox.deliver(), 3);
  assert.deepEqual(world.held(), [2, 8n]);
  assert.equal(await world.waiting(), 0);
});

Deno.test("a slow isolate that inserts an old version late does not undo the correction", async () => {
  using world = await openWorld();
  const swept = record({ cost: 100n, costFrom: "sweep", status: null });
  await mark(world.kv, swept);
  const wakes = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  world.onInsert = async (insert) => {
    asked.resolve();
    await wakes.promise;
    await insert();
  };
  const slow = world.outbox.deliver();
  await asked.promise;
  world.onInsert = (insert) => insert();
  await mark(world.kv, { ...swept, cost: 7n, costFrom: "provider" });
  world.advance(2 * MINUTE);
  assert.equal(await world.other.deliver(), 1);
  wakes.resolve();
  await slow;
  assert.deepEqual(world.held(), [1, 7n]);
});

Deno.test("a record that has expired is logged, and the rest is delivered", async () => {
  using world = await openWorld();
  const { kv } = world;
  await mark(kv, record({ cost: 5n }));
  await kv.set(outboxKey("expired"), usageKey(record()));
  assert.equal(await world.outbox.deliver(), 1);
  assert.match(world.logged.join("\n"), /^A usage record expired before it was delivered\.$/);
  assert.equal(await world.waiting(), 0);
  assert.deepEqual(world.held(), [1, 5n]);
});

Deno.test("the backlog is counted up to 10,000", async () => {
  using world = await openWorld();
  for (let made = 0; made < 10_500;) {
    const operation = world.kv.atomic();
    for (let more = 0; more < 500; more++) {
      operation.set(outboxKey(`r${made++}`), usageKey(record()));
    }
    await operation.commit();
  }
  assert.equal(await world.waiting(), 10_000);
});

Deno.test("fill sends the records of its days, of every account, however often", async () => {
  using world = await openWorld();
  const { kv, options } = world;
  const other = "acc_bbbbbbbbbbbb";
  await bookRecords(
    kv,
    record({ day: "2026-11-19", cost: 1n }),
    record({ day: "2026-11-20", cost: 2n }),
    record({ day: "2026-11-20", cost: 4n, accountId: other }),
    record({ cost: 8n }),
    record({ day: "2026-11-22", cost: 16n }),
  );
  await moveDay(kv, other, "2026-11-20");
  // An admission that was taken back leaves an account's day without records.
  await kv.set(dayKey(TODAY, "acc_cccccccccccc"), {});
  for (let time = 0; time < 2; time++) {
    assert.equal(await fillClickHouse(options, { from: "2026-11-20", to: TODAY }), 3);
  }
  assert.deepEqual(world.held(), [3, 14n]);
});

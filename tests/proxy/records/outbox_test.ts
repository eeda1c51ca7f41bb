/** The outbox: every booked request reaches the store, and counts there once. */

import assert from "node:assert/strict";
import { outboxKey, usageKey } from "../../../lib/proxy/ledger/books.ts";
import { createOutbox, readBacklog } from "../../../lib/proxy/records/outbox.ts";
import type { UsageBatch } from "../../../lib/proxy/records/record.ts";
import { StoreError, type UsageStore } from "../../../lib/proxy/records/store.ts";
import { takeLease } from "../../../lib/platform/kv/lease.ts";
import { openAccounts } from "../../support/accounts.ts";
import { book, createEmbedded, MINUTE, NOON, record, TODAY } from "./stores.ts";

type Insert = (batches: readonly UsageBatch[], insert: () => Promise<void>) => Promise<void>;

/** A store that is down. */
const DOWN: Insert = () => Promise.reject(new StoreError("it is down"));

/** A store that keeps every batch, but whose response is lost. */
const ANSWER_LOST: Insert = async (_batches, insert) => {
  await insert();
  throw new StoreError("the connection broke");
};

/** The outboxes of two isolates, over a store that a test can make fail. */
async function createOutboxWorld() {
  const { kv, now, advance } = await openAccounts();
  const embedded = await createEmbedded();
  const store: UsageStore = {
    ...embedded.store,
    insert(batches) {
      world.inserts++;
      return world.onInsert(batches, () => embedded.store.insert(batches));
    },
  };
  const logged: string[] = [];
  const write = (text: unknown) => void logged.push(String(text));
  const options = { kv, store, now, log: { warn: write, error: write } };
  const onInsert: Insert = (_batches, insert) => insert();
  const world = {
    kv,
    now,
    advance,
    store,
    logged,
    onInsert,
    inserts: 0,
    outbox: createOutbox(options),
    other: createOutbox(options),
    /** Today's rows in the store: requests and nano-dollars. */
    async held() {
      const question = { from: TODAY, to: TODAY, accountId: null, by: "account" as const };
      const { total } = await store.query(question);
      return [total.requests, total.cost];
    },
    [Symbol.dispose]() {
      kv.close();
      embedded[Symbol.dispose]();
    },
  };
  return world;
}

Deno.test("deliver inserts what is booked, and empties the outbox", async () => {
  using world = await createOutboxWorld();
  await book(world.kv, [record({ cost: 1n }), record({ cost: 2n })], `${NOON}-a`);
  await book(world.kv, [record({ cost: 4n })], "swept");
  assert.equal(await world.outbox.depth(), 2);
  assert.equal(await world.outbox.deliver(), 3);
  assert.deepEqual(await world.held(), [3, 7n]);
  assert.equal(await world.outbox.depth(), 0);
  assert.equal(await world.outbox.deliver(), 0);
  assert.deepEqual(world.logged, []);
});

Deno.test("many batches go in few inserts", async () => {
  using world = await createOutboxWorld();
  for (let index = 0; index < 2_500;) {
    const operation = world.kv.atomic();
    for (let more = 0; more < 250; more++, index++) {
      const { accountId, day, ...rest } = record({ cost: 1n });
      operation.set(usageKey(accountId, day, `${NOON + index}-x`), [{ accountId, day, ...rest }])
        .set(outboxKey(`${NOON + index}-x`), { accountId, day });
    }
    await operation.commit();
  }
  assert.equal(await world.outbox.deliver(), 2_500);
  assert.equal(world.inserts, 3);
  assert.deepEqual(await world.held(), [2_500, 2_500n]);
});

Deno.test("a store that is down for an hour loses nothing, and is tried less and less often", async () => {
  using world = await createOutboxWorld();
  world.onInsert = DOWN;
  for (let minute = 0; minute < 60; minute++) {
    await book(world.kv, [record({ cost: 1n })], `${world.now()}-${minute}`);
    assert.equal(await world.outbox.deliver(), 0);
    assert.equal(await world.other.deliver(), 0, "the pause holds for every isolate");
    world.advance(MINUTE);
  }
  assert.ok(world.inserts >= 6 && world.inserts <= 10, `${world.inserts} attempts`);
  assert.deepEqual(world.logged, []);
  const { waiting, oldestAt, pause } = await readBacklog(world.kv);
  assert.equal(pause?.reason, "it is down");
  assert.deepEqual([waiting, oldestAt, pause?.failures], [60, NOON, world.inserts]);

  world.onInsert = (_batches, insert) => insert();
  let delivered = 0;
  for (let minute = 0; minute <= 15; minute++) {
    delivered += await world.other.deliver();
    world.advance(MINUTE);
  }
  assert.equal(delivered, 60);
  assert.deepEqual(await world.held(), [60, 60n]);
  assert.equal((await readBacklog(world.kv)).pause, null);
});

Deno.test("a store that fails is asked after half a minute, then after twice as long, at most a quarter of an hour", async () => {
  using world = await createOutboxWorld();
  world.onInsert = DOWN;
  await book(world.kv, [record({ cost: 1n })], `${NOON}-a`);
  const asked: number[] = [];
  for (let second = 0; second < 3_600; second += 15) {
    const before = world.inserts;
    await world.outbox.deliver();
    if (world.inserts > before) asked.push(second);
    world.advance(15_000);
  }
  assert.deepEqual(asked, [0, 30, 90, 210, 450, 930, 1_830, 2_730]);
});

Deno.test("a batch that was inserted but whose response was lost counts once", async () => {
  using world = await createOutboxWorld();
  await book(world.kv, [record({ cost: 3n })], `${NOON}-a`);
  world.onInsert = ANSWER_LOST;
  assert.equal(await world.outbox.deliver(), 0);
  // Meanwhile the next batch is another one.
  await book(world.kv, [record({ cost: 4n })], `${NOON - 1}-b`);
  world.onInsert = (_batches, insert) => insert();
  world.advance(MINUTE);
  assert.equal(await world.outbox.deliver(), 2);
  assert.deepEqual(await world.held(), [2, 7n]);
});

Deno.test("an isolate that crashes between insert and delete delays no other for long, and doubles nothing", async () => {
  using world = await createOutboxWorld();
  await book(world.kv, [record({ cost: 3n })], `${NOON}-a`);
  const stuck = Promise.withResolvers<void>();
  const inserted = Promise.withResolvers<void>();
  world.onInsert = async (_batches, insert) => {
    await insert();
    inserted.resolve();
    await stuck.promise;
  };
  const crashed = world.outbox.deliver();
  await inserted.promise;
  world.onInsert = (_batches, insert) => insert();
  assert.equal(await world.other.deliver(), 0, "the lease is held");
  world.advance(2 * MINUTE);
  assert.equal(await world.other.deliver(), 1);
  assert.deepEqual(await world.held(), [1, 3n]);
  // The isolate had not crashed but slept: its work now harms nothing.
  stuck.resolve();
  await crashed;
  assert.deepEqual(await world.held(), [1, 3n]);
  assert.equal(await world.outbox.depth(), 0);
});

Deno.test("two isolates that deliver at once insert everything once", async () => {
  using world = await createOutboxWorld();
  for (let index = 0; index < 50; index++) {
    await book(world.kv, [record({ cost: 1n })], `${NOON + index}-x`);
  }
  const counts = await Promise.all([world.outbox.deliver(), world.other.deliver()]);
  assert.deepEqual(counts.toSorted((a, b) => a - b), [0, 50]);
  assert.deepEqual(await world.held(), [50, 50n]);
});

Deno.test("a correction that arrives during the insert is delivered too", async () => {
  using world = await createOutboxWorld();
  const swept = record({ cost: 100n, costFrom: "sweep", status: null });
  await book(world.kv, [swept], swept.requestId);
  world.onInsert = async (_batches, insert) => {
    await insert();
    world.onInsert = (_more, again) => again();
    await book(world.kv, [{ ...swept, cost: 7n, costFrom: "provider" }], swept.requestId);
  };
  assert.equal(await world.outbox.deliver(), 2);
  assert.deepEqual(await world.held(), [1, 7n]);
  assert.equal(await world.outbox.depth(), 0);
});

Deno.test("a slow isolate that inserts an old version late does not undo the correction", async () => {
  using world = await createOutboxWorld();
  const swept = record({ cost: 100n, costFrom: "sweep", status: null });
  await book(world.kv, [swept], swept.requestId);
  const wakes = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  world.onInsert = async (_batches, insert) => {
    asked.resolve();
    await wakes.promise;
    await insert();
  };
  const slow = world.outbox.deliver();
  await asked.promise;
  world.onInsert = (_batches, insert) => insert();
  await book(world.kv, [{ ...swept, cost: 7n, costFrom: "provider" }], swept.requestId);
  world.advance(2 * MINUTE);
  assert.equal(await world.other.deliver(), 1);
  wakes.resolve();
  await slow;
  assert.deepEqual(await world.held(), [1, 7n]);
});

Deno.test("an unreadable batch is set aside and logged, and the rest is delivered", async () => {
  using world = await createOutboxWorld();
  const { kv } = world;
  const good = record({ cost: 5n });
  await book(kv, [good], `${NOON}-b`);
  await kv.set(outboxKey(`${NOON}-a`), "not what the ledger writes");
  await kv.set(outboxKey(`${NOON}-c`), { accountId: good.accountId, day: good.day });
  await kv.set(usageKey(good.accountId, good.day, `${NOON}-c`), [{ ...good, cost: 5 }]);
  await kv.set(outboxKey(`${NOON}-d`), { accountId: "acc_other", day: good.day });
  await kv.set(usageKey("acc_other", good.day, `${NOON}-d`), [good]);
  assert.equal(await world.outbox.deliver(), 1);
  assert.equal(world.logged.length, 3);
  assert.deepEqual([await world.outbox.depth(), (await readBacklog(world.kv)).setAside], [0, 3]);
  assert.equal(await world.outbox.deliver(), 0);
  assert.equal(world.logged.length, 3, "it is not tried again");

  await kv.set(usageKey(good.accountId, good.day, `${NOON}-c`), [record({ cost: 2n })]);
  assert.equal(
    await world.outbox.flush({ includeSetAside: true }),
    1,
    "until it has been repaired",
  );
  assert.deepEqual(await world.held(), [2, 7n]);
  assert.equal((await readBacklog(world.kv)).setAside, 2);
});

Deno.test("a batch with more faults than a value can name is set aside, and the rest is delivered", async () => {
  using world = await createOutboxWorld();
  const good = record({ cost: 5n });
  await book(world.kv, [good], `${NOON}-b`);
  await world.kv.set(outboxKey(`${NOON}-a`), { accountId: good.accountId, day: good.day });
  await world.kv.set(usageKey(good.accountId, good.day, `${NOON}-a`), new Array(1_000).fill({}));
  assert.equal(await world.outbox.deliver(), 1);
  assert.deepEqual([await world.outbox.depth(), (await readBacklog(world.kv)).setAside], [0, 1]);
});

Deno.test("the marker of a batch that has expired is dropped and logged", async () => {
  using world = await createOutboxWorld();
  await world.kv.set(outboxKey("1700000000000-x"), { accountId: "acc_a", day: "2023-11-14" });
  assert.equal(await world.outbox.deliver(), 0);
  assert.equal(await world.outbox.depth(), 0);
  assert.match(world.logged.join(), /^A batch of usage records expired before it was delivered/);
});

Deno.test("flush tries a paused store, and reports its failure", async () => {
  using world = await createOutboxWorld();
  await book(world.kv, [record({ cost: 1n })], `${NOON}-a`);
  world.onInsert = DOWN;
  await world.outbox.deliver();
  await assert.rejects(world.outbox.flush(), new StoreError("it is down"));
  world.onInsert = (_batches, insert) => insert();
  assert.equal(await world.outbox.deliver(), 0, "the pause is kept");
  assert.equal(await world.outbox.flush(), 1);
});

Deno.test("flush says when another process delivers", async () => {
  using world = await createOutboxWorld();
  await takeLease(world.kv, "outbox", MINUTE, world.now());
  await assert.rejects(world.outbox.flush(), /process is delivering/);
  assert.equal(await world.outbox.deliver(), 0);
});

Deno.test("the depth is counted up to 10,000", async () => {
  using world = await createOutboxWorld();
  for (let page = 0; page < 10_500;) {
    const operation = world.kv.atomic();
    for (let more = 0; more < 500; more++) {
      operation.set(outboxKey(`${NOON + page++}-x`), { accountId: "a", day: "2026-11-21" });
    }
    await operation.commit();
  }
  assert.equal(await world.outbox.depth(), 10_000);
});

/** The daily limit of all accounts together, over several isolates. */

import assert from "node:assert/strict";
import type { Admission, Bid } from "../../../lib/proxy/ledger/admission.ts";
import {
  readServiceStatus,
  readServiceSum,
  removeOldServiceDays,
} from "../../../lib/proxy/ledger/service_day.ts";
import { openLedger } from "../../support/accounts.ts";
import { countingKv, faultyKv } from "../../support/faulty_kv.ts";
import { readBooks } from "../../support/ledger_books.ts";

const NOON = Date.parse("2026-11-21T12:00:00Z");
const DAY = "2026-11-21";

/** Isolates with a limit of 1,000 for all accounts, and timers that the test fires. */
async function createWorld(serviceLimit = 1_000n) {
  const kv = await Deno.openKv(":memory:");
  const clock = { now: NOON };
  const warnings: string[] = [];
  const timers = new Set<() => void>();
  let ids = 0;
  return {
    kv,
    clock,
    warnings,
    isolate: (own = kv) =>
      openLedger(own, () => clock.now, {
        serviceLimit,
        log: { warn: (text: string) => void warnings.push(text), error() {} },
        startTimer(work, milliseconds) {
          // Short pauses end at once; the others are idle times.
          if (milliseconds < 1_000) queueMicrotask(work);
          else timers.add(work);
          return () => void timers.delete(work);
        },
      }),
    bid: (amount: bigint, accountId = `acc_${++ids}`): Bid => ({
      requestId: `r${++ids}`,
      accountId,
      keyId: "key",
      endpoint: "search",
      model: null,
      limit: 10n ** 12n,
      amount,
    }),
    fireTimers() {
      const due = [...timers];
      timers.clear();
      for (const work of due) work();
    },
    setAside: async () => (await readServiceStatus(kv, DAY)).setAside,
    [Symbol.dispose]: () => kv.close(),
  };
}

const isReached = (admission: Admission) => !admission.admitted && admission.reason === "service";

Deno.test("600 simultaneous bids of 600 accounts over four isolates are admitted as far as they fit", async () => {
  using world = await createWorld();
  const isolates = [1, 2, 3, 4].map(() => world.isolate());
  const admissions = await Promise.all(
    Array.from({ length: 600 }, (_, at) => isolates[at % 4]?.reserve(world.bid(10n))),
  );
  const admitted = admissions.filter((each) => each?.admitted).length;
  // The only unused amount may be the one that one isolate holds when another finds none.
  assert.ok(admitted <= 100 && admitted > 80, `${admitted} admitted`);
  assert.ok(admissions.every((each) => each && (each.admitted || isReached(each))));
  await readBooks(world.kv);
  assert.equal(await readServiceSum(world.kv, DAY), 10n * BigInt(admitted));
  assert.equal(world.warnings.length, 4, "each isolate says it once");
  assert.ok((await readServiceStatus(world.kv, DAY)).isReached);

  // The held amount is given back, and then all isolates can use the rest of the limit.
  for (let turn = 0; turn < 4; turn++) {
    world.fireTimers();
    await Promise.all(isolates.map((ledger) => ledger.flush()));
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await Promise.all(isolates.map((ledger) => ledger.close()));
  assert.equal(await world.setAside(), 0n);
  world.clock.now += 2_000;
  const rest = 1_000n - 10n * BigInt(admitted);
  if (rest > 0n) assert.ok((await isolates[0]?.reserve(world.bid(rest)))?.admitted);
  world.clock.now += 2_000;
  const last = await isolates[1]?.reserve(world.bid(1n));
  assert.ok(last && isReached(last));
});

Deno.test("returned and unspent amounts are free for others, and a new day starts at zero", async () => {
  using world = await createWorld();
  const [one, two] = [world.isolate(), world.isolate()];
  const admission = await one.reserve(world.bid(900n));
  assert.ok(admission.admitted);
  assert.ok(isReached(await two.reserve(world.bid(200n))));
  await one.settle(admission.hold, { cost: 300n, status: 200 });
  await one.close();
  world.clock.now += 2_000;
  assert.ok((await two.reserve(world.bid(600n))).admitted);
  assert.ok(isReached(await one.reserve(world.bid(200n))));
  world.clock.now += 12 * 3_600_000;
  assert.ok((await one.reserve(world.bid(800n))).admitted);
  await readBooks(world.kv);
});

Deno.test("an amount whose commit was reported lost is free again", async () => {
  using world = await createWorld();
  let isLost = true;
  const kv = faultyKv(world.kv, ({ sets }) => {
    if (!isLost || !sets.includes("reservations")) return "work";
    isLost = false;
    return "lose answer";
  });
  const isolate = world.isolate(kv);
  await assert.rejects(isolate.reserve(world.bid(900n)));
  await isolate.flush();
  assert.ok((await isolate.reserve(world.bid(900n))).admitted);
});

Deno.test("the allowance of an isolate that has ended is free after its time, and its owner can no longer use it", async () => {
  using world = await createWorld();
  const [gone, other] = [world.isolate(), world.isolate()];
  assert.ok((await gone.reserve(world.bid(100n))).admitted);
  const held = await world.setAside();
  assert.ok(held > 100n, "more than the first request needed");
  world.clock.now += 61_000;
  // The first draw still counts what it takes away, the next one does not.
  await other.reserve(world.bid(700n));
  world.clock.now += 2_000;
  assert.ok((await other.reserve(world.bid(150n))).admitted);
  world.clock.now += 2_000;
  // Its clock stands still: it believes that its allowance lasts.
  world.clock.now -= 65_000;
  const late = await gone.reserve(world.bid(100n));
  assert.ok(isReached(late) || late.admitted);
  const { days } = await readBooks(world.kv);
  const sum = [...days.values()].reduce((all, day) => all + day.spent + day.reserved, 0n);
  assert.ok(sum <= 1_000n, `${sum}`);
});

Deno.test("requests of one isolate share draws: most cost no further read and no further commit", async () => {
  using world = await createWorld(10n ** 9n);
  const { kv, counts } = countingKv(world.kv);
  await world.isolate(kv).close();
  assert.deepEqual([counts.commits, counts.reads], [0, 0], "an isolate without requests");
  const ledger = world.isolate(kv);
  for (let count = 0; count < 200; count++) {
    const admission = await ledger.reserve(world.bid(10n, "acc_a"));
    assert.ok(admission.admitted);
    await ledger.settle(admission.hold, { cost: 10n, status: 200 });
    world.clock.now += 50;
  }
  await ledger.flush();
  // Two commits for each request, and some for the draws.
  assert.ok(counts.commits <= 400 + 30, `${counts.commits} commits`);
  assert.ok(counts.reads <= 60, `${counts.reads} reads`);
});

Deno.test("the service's days are removed with the accounts'", async () => {
  using world = await createWorld();
  assert.ok((await world.isolate().reserve(world.bid(100n))).admitted);
  await removeOldServiceDays(world.kv, DAY);
  assert.equal(await readServiceSum(world.kv, DAY), 100n);
  await removeOldServiceDays(world.kv, "2026-11-22");
  assert.equal(await readServiceSum(world.kv, DAY), 0n);
  assert.equal(await world.setAside(), 0n);
});

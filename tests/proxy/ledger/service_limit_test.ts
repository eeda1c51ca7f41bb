/** The daily limit of all accounts together, over several isolates. */

import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { Admission } from "../../../lib/proxy/ledger/transitions.ts";
import type { Asked } from "../../../lib/proxy/ledger/ledger.ts";
import { createServiceFigure, readServiceSum } from "../../../lib/proxy/ledger/service_sums.ts";
import { serviceSumKey } from "../../../lib/proxy/ledger/values.ts";
import { openLedger } from "../../support/accounts.ts";
import { type Fate, faultyKv } from "../../support/faulty_kv.ts";
import { readBooks } from "../../support/ledger_books.ts";
import { until } from "../../support/until.ts";

const NOON = Date.parse("2026-11-21T12:00:00Z");
const DAY = "2026-11-21";

/** Isolates with a limit of 1,000 for all accounts. */
async function createWorld(serviceLimit = 1_000n) {
  const kv = await Deno.openKv(":memory:");
  const clock = { now: NOON };
  const warnings: string[] = [];
  let ids = 0;
  return {
    kv,
    clock,
    warnings,
    isolate: (own = kv, isLimited = true) =>
      openLedger(own, () => clock.now, {
        serviceLimit: isLimited ? serviceLimit : undefined,
        log: { warn: (text: string) => void warnings.push(text), error() {} },
      }),
    request: (amount: bigint, accountId = `acc_${++ids}`): Asked => ({
      requestId: `r${++ids}`,
      accountId,
      keyId: "key",
      endpoint: "search",
      model: null,
      limit: 10n ** 12n,
      amount,
    }),
    [Symbol.dispose]: () => kv.close(),
  };
}

const isReached = (admission: Admission) => !admission.admitted && admission.reason === "service";

Deno.test("600 simultaneous requests of 600 accounts through one isolate are admitted as far as they fit", async () => {
  using world = await createWorld(995n);
  const isolate = world.isolate();
  const admissions = await Promise.all(
    Array.from({ length: 600 }, () => isolate.reserve(world.request(10n))),
  );
  const admitted = admissions.filter((each) => each.admitted).length;
  assert.equal(admitted, 100, "the last one admitted passes the limit");
  assert.ok(admissions.every((each) => each.admitted || isReached(each)));
  await readBooks(world.kv);
  assert.equal(await readServiceSum(world.kv, DAY), 1_000n);
  assert.equal(world.warnings.length, 1, "it is said once");
  assert.ok(isReached(await world.isolate().reserve(world.request(1n))));
});

Deno.test("a limit that is set at noon counts what was spent since midnight, and without one nothing is written for it", async () => {
  using world = await createWorld();
  const unlimited = world.isolate(world.kv, false);
  for (let count = 0; count < 3; count++) {
    const admission = await unlimited.reserve(world.request(200n));
    assert.ok(admission.admitted);
    if (count > 0) await unlimited.settle(admission.reservation, { cost: 250n, status: 200 });
  }
  assert.equal((await readBooks(world.kv)).service.size, 0);
  assert.equal(await readServiceSum(world.kv, DAY), 700n);
  const isolates = [1, 2, 3].map(() => world.isolate());
  const answers = await Promise.all(isolates.map((each) => each.reserve(world.request(299n))));
  // The second one reaches the limit. The third passes it, unless it reads what the others have reserved.
  const admitted = answers.filter((each) => each.admitted).length;
  assert.ok(admitted >= 2 && answers.every((each) => each.admitted || isReached(each)));
  await readBooks(world.kv);
  assert.ok(isReached(await world.isolate().reserve(world.request(1n))));
});

Deno.test("isolates that admit at the same instant may pass the limit by their estimates, and no more", async () => {
  using world = await createWorld();
  let underWay = 0;
  const begin = () => {
    underWay++;
    return "work" as const;
  };
  const watched = faultyKv(world.kv, begin, () => void underWay--);
  const isolates = [1, 2, 3, 4].map(() => world.isolate(watched));
  for (let round = 0; round < 50; round++) {
    world.clock.now += 1_100;
    await Promise.all(isolates.map((isolate) => isolate.reserve(world.request(7n))));
    // The sums are read again behind the requests.
    await setImmediate();
    await until(() => underWay === 0);
    await setImmediate();
  }
  const used = await readServiceSum(world.kv, DAY);
  assert.ok(used >= 1_000n && used < 1_000n + 4n * 7n, `${used}`);
});

Deno.test("an estimate that does not fit waits until its account has nothing reserved", async () => {
  using world = await createWorld();
  const isolate = world.isolate();
  assert.ok((await isolate.reserve(world.request(500n, "acc_a"))).admitted);
  const refused = await isolate.reserve(world.request(501n, "acc_a"));
  assert.ok(!refused.admitted);
  assert.deepEqual([refused.reason, refused.scope], ["open", "service"]);
  assert.ok((await isolate.reserve(world.request(501n, "acc_b"))).admitted);
  assert.ok(isReached(await isolate.reserve(world.request(1n, "acc_c"))));
});

Deno.test("amounts that were settled or taken back are free again, and a new day starts at zero", async () => {
  using world = await createWorld();
  let isLost = false;
  const kv = faultyKv(world.kv, ({ kind }) => {
    if (!isLost || kind === "read") return "work";
    isLost = false;
    return "lose answer";
  });
  const isolate = world.isolate(kv);
  const admission = await isolate.reserve(world.request(900n));
  assert.ok(admission.admitted);
  await isolate.settle(admission.reservation, { cost: 300n, status: 200 });
  isLost = true;
  await assert.rejects(isolate.reserve(world.request(700n)));
  await isolate.flush();
  assert.ok((await isolate.reserve(world.request(700n))).admitted);
  assert.ok(isReached(await isolate.reserve(world.request(1n))));
  world.clock.now += 12 * 3_600_000;
  assert.ok((await isolate.reserve(world.request(800n))).admitted);
  await readBooks(world.kv);
});

Deno.test("the sums are read behind the requests, and before one that is near the limit or has an old figure", async () => {
  using world = await createWorld(1_000n);
  let begun = 0;
  const isolate = world.isolate(faultyKv(world.kv, ({ kind }) => {
    if (kind === "read") begun++;
    return "work";
  }));
  const reads = async (amount: bigint) => {
    const before = begun;
    assert.ok((await isolate.reserve(world.request(amount, "acc_a"))).admitted);
    return begun - before;
  };
  // The first of a day begins the sums, and the first of an account reads its value and its day.
  assert.equal(await reads(1n), 4);
  assert.equal(await reads(1n), 0);
  world.clock.now += 1_500;
  assert.equal(await reads(1n), 1);
  world.clock.now += 6_000;
  assert.equal(await reads(900n), 1);
  assert.equal(await reads(1n), 1);
  assert.equal(await reads(96n), 1);
  // A refusal reads the sums alone: the account's ledger value would not change it.
  const before = begun;
  assert.ok(isReached(await isolate.reserve(world.request(1n, "acc_a"))));
  assert.equal(begun - before, 1);
});

/** A process's figure of the sums, to which other processes add. */
async function createFigure() {
  const world = await createWorld();
  let onRead: () => Promise<void> | void = () => {};
  const figure = createServiceFigure({
    kv: faultyKv(world.kv, () => "work", () => onRead()),
    limit: 1_000n,
    now: () => world.clock.now,
    onReached() {},
  });
  return {
    clock: world.clock,
    take: (amount: bigint) => figure.take(amount, DAY),
    left: async () => (await figure.take(0n, DAY)).left,
    addElsewhere: (amount: bigint) =>
      world.kv.atomic().sum(serviceSumKey(DAY, "used"), amount).commit(),
    /** Holds the next read when it has seen the sums. */
    hold() {
      const [seen, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      onRead = () => {
        onRead = () => {};
        seen.resolve();
        return gate.promise;
      };
      return {
        seen: seen.promise,
        release() {
          gate.resolve();
          return setImmediate();
        },
      };
    },
    [Symbol.dispose]: () => world[Symbol.dispose](),
  };
}

Deno.test("a figure of more than five seconds is read first; its age counts from the beginning of the read", async () => {
  for (
    const [readTime, pause, left] of [[0, 5_000, 1_000n], [0, 5_001, 10n], [4_000, 1_001, 10n]]
  ) {
    using figure = await createFigure();
    const held = figure.hold();
    const first = figure.left();
    await held.seen;
    figure.clock.now += Number(readTime);
    await held.release();
    assert.equal(await first, 1_000n);
    await figure.addElsewhere(990n);
    figure.clock.now += Number(pause);
    assert.equal(await figure.left(), left, `after ${pause} ms`);
  }
});

Deno.test("a reservation that is made while the sums are read counts beside them, and one that is refused never", async () => {
  using figure = await createFigure();
  (await figure.take(600n)).end(false);
  assert.equal(await figure.left(), 1_000n);
  figure.clock.now += 1_001;
  const held = figure.hold();
  const part = await figure.take(600n);
  await held.seen;
  part.end(true);
  assert.equal(await figure.left(), 400n);
  await held.release();
  assert.equal(await figure.left(), 400n);
});

Deno.test("near the limit, a read that began before another process reserved admits nothing", async () => {
  using figure = await createFigure();
  await figure.addElsewhere(950n);
  assert.equal(await figure.left(), 50n);
  const held = figure.hold();
  const early = figure.left();
  await held.seen;
  await figure.addElsewhere(50n);
  const late = figure.left();
  await held.release();
  assert.deepEqual([await early, await late], [50n, 0n]);
});

Deno.test("near the limit, a reservation that is committed during a read is not counted twice", async () => {
  using figure = await createFigure();
  await figure.addElsewhere(986n);
  const part = await figure.take(7n);
  await figure.addElsewhere(7n);
  const held = figure.hold();
  const next = figure.take(7n);
  await held.seen;
  part.end(true);
  await held.release();
  assert.equal((await next).left, 7n);
});

Deno.test("a figure that cannot be read refuses the request, and the next one tries again", async () => {
  using world = await createWorld();
  let isAway = true;
  // Only the sums are read by twos.
  const kv = faultyKv(world.kv, ({ keys }) => isAway && keys === 2 ? "refuse" : "work");
  const isolate = world.isolate(kv);
  await assert.rejects(isolate.reserve(world.request(1n)));
  isAway = false;
  assert.ok((await isolate.reserve(world.request(1n))).admitted);
});

Deno.test("a reservation that may have been made counts until it is taken back", async () => {
  using world = await createWorld();
  const gate = Promise.withResolvers<Fate>();
  let commits = 0;
  const kv = faultyKv(world.kv, ({ kind, sets }) => {
    if (kind === "read" || sets.includes("service")) return "work";
    return ++commits === 1 ? "lose answer" : gate.promise;
  });
  const isolate = world.isolate(kv);
  await assert.rejects(isolate.reserve(world.request(1_000n)));
  assert.ok(isReached(await isolate.reserve(world.request(1n))));
  gate.resolve("work");
  await isolate.flush();
  assert.ok((await isolate.reserve(world.request(1n))).admitted);
});

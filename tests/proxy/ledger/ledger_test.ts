/** The ledger: admission, settlement, the sweep, and an account's standing. */

import assert from "node:assert/strict";
import type { Admission, Bid } from "../../../lib/proxy/ledger/admission.ts";
import { createLedger, type Ledger } from "../../../lib/proxy/ledger/ledger.ts";
import type { Hold } from "../../../lib/proxy/ledger/books.ts";
import { openLedger } from "../../support/accounts.ts";
import { countingKv, type Fate, faultyKv, type Operation } from "../../support/faulty_kv.ts";
import { readBooks } from "../../support/ledger_books.ts";

const NOON = Date.parse("2026-11-21T12:00:00Z");
const DAY = 86_400_000;
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

interface World extends Disposable {
  readonly kv: Deno.Kv;
  readonly clock: { now: number };
  readonly logged: string[];
  ledger(kv?: Deno.Kv): Ledger;
}

async function createWorld(requests = 1_000_000): Promise<World> {
  const kv = await Deno.openKv(":memory:");
  const clock = { now: NOON };
  const logged: string[] = [];
  return {
    kv,
    clock,
    logged,
    ledger: (own = kv) =>
      createLedger({
        kv: own,
        now: () => clock.now,
        // A pause advances the clock, but takes no real time.
        sleep: (milliseconds) => Promise.resolve(void (clock.now += milliseconds)),
        policy: { requests, windowSeconds: 60 },
        holdSeconds: 20,
        log: { warn() {}, error: (text: string) => void logged.push(text) },
      }),
    [Symbol.dispose]: () => kv.close(),
  };
}

let bids = 0;

function bid(amount: bigint, more: Partial<Bid> = {}): Bid {
  return {
    requestId: `r${++bids}`,
    accountId: "acc_a",
    keyId: "key",
    endpoint: "search",
    model: null,
    limit: 1_000n,
    amount,
    ...more,
  };
}

function holdOf(admission: Admission | undefined): Hold {
  assert.ok(admission?.admitted);
  return admission.hold;
}

Deno.test("a request is reserved, settled at its cost, and found in the day's book", async () => {
  using world = await createWorld();
  const ledger = world.ledger();
  const admission = await ledger.reserve(bid(300n, { requestId: "one", model: "m" }));
  const hold = holdOf(admission);
  assert.deepEqual(admission.today, {
    day: "2026-11-21",
    book: { spent: 0n, reserved: 300n, requests: 0, byEndpoint: {} },
  });
  assert.equal(admission.rate.remaining, 999_999);
  world.clock.now += 1_500;
  await ledger.settle(hold, { cost: 450n, status: 200, inputTokens: 5, model: "m-2" });
  const { days, records, open } = await readBooks(world.kv);
  assert.equal(open.size, 0);
  assert.deepEqual([...records.values()], [{
    requestId: "one",
    accountId: "acc_a",
    keyId: "key",
    day: "2026-11-21",
    endpoint: "search",
    at: NOON,
    model: "m-2",
    cost: 450n,
    costFrom: "provider",
    inputTokens: 5,
    outputTokens: null,
    status: 200,
    durationMs: 1_500,
  }]);
  assert.deepEqual(days.get("acc_a/2026-11-21"), {
    spent: 450n,
    reserved: 0n,
    requests: 1,
    byEndpoint: { search: { requests: 1, spent: 450n } },
  });
});

Deno.test("the last one admitted may pass the limit, the next one is refused and leaves nothing", async () => {
  using world = await createWorld(3);
  const ledger = world.ledger();
  holdOf(await ledger.reserve(bid(999n)));
  holdOf(await ledger.reserve(bid(500n)));
  const refusal = await ledger.reserve(bid(1n));
  assert.ok(!refusal.admitted && refusal.reason === "account");
  assert.equal(refusal.today.book.reserved, 1_499n);
  assert.equal(refusal.rate.remaining, 1, "what is refused is not counted");
  holdOf(await ledger.reserve(bid(1n, { limit: 1_500n })));
  const limited = await ledger.reserve(bid(1n, { limit: 9_000n }));
  assert.ok(!limited.admitted && limited.reason === "rate");
  assert.equal(limited.rate.resetsAt, NOON + 60_000);
  assert.equal((await readBooks(world.kv)).open.size, 3);
  assert.equal((await ledger.reserve(bid(0n, { limit: 0n, accountId: "b" }))).admitted, false);
});

Deno.test("1,000 simultaneous bids over two ledgers with room for ten get ten admissions", async () => {
  using world = await createWorld();
  const [one, two] = [world.ledger(), world.ledger()];
  const admissions = await Promise.all(
    range(1_000).map((index) => (index % 2 === 0 ? one : two).reserve(bid(100n))),
  );
  const admitted = admissions.filter((each) => each.admitted);
  assert.equal(admitted.length, 10);
  const { open, days } = await readBooks(world.kv);
  assert.equal(open.size, 10);
  assert.equal(days.get("acc_a/2026-11-21")?.reserved, 1_000n);

  // A closed reservation makes room, for the other ledger too.
  await one.settle(holdOf(admitted[0]), { cost: 99n, status: 200 });
  const again = await Promise.all(range(20).map(() => two.reserve(bid(100n))));
  assert.equal(again.filter((each) => each.admitted).length, 1, "one more, the last one over");
});

Deno.test("an account that is refused, or whose commits hang, keeps no other waiting", async () => {
  using world = await createWorld();
  const gate = Promise.withResolvers<Fate>();
  let operations = 0;
  const ledger = world.ledger(faultyKv(world.kv, () => ++operations === 1 ? gate.promise : "work"));
  const stuck = range(100).map(() => ledger.reserve(bid(1n, { limit: 0n })));
  const other = await ledger.reserve(bid(1n, { accountId: "acc_b" }));
  assert.equal(other.admitted, true);
  gate.resolve("work");
  const refused = (await Promise.all(stuck)).filter(({ admitted }) => !admitted);
  assert.equal(refused.length, 100);
});

Deno.test("1,000 reservations at once with the longest names fit, batch by batch", async () => {
  using world = await createWorld();
  const { kv, counts } = countingKv(world.kv);
  const ledger = world.ledger(kv);
  const model = "語".repeat(500);
  const limit = 10n ** 15n;
  const holds = await Promise.all(
    range(1_000).map(async () =>
      holdOf(
        await ledger.reserve(bid(10n ** 12n, { model, limit, requestId: crypto.randomUUID() })),
      )
    ),
  );
  assert.equal(holds[0]?.model?.length, 100, "a name is cut");
  const batches = new Set(holds.map(({ batch }) => batch));
  assert.ok(batches.size <= 20, `${batches.size} batches: each is a value of every commit`);
  assert.ok(counts.commits <= 40, `${counts.commits} commits`);
  assert.equal((await readBooks(world.kv)).open.size, 1_000);
  await Promise.all(holds.map((hold) => ledger.settle(hold, { cost: null, model, status: 200 })));
  const { open, records } = await readBooks(world.kv);
  assert.deepEqual([open.size, records.size], [0, 1_000]);
  assert.ok(counts.commits <= 80, `${counts.commits} commits`);
  assert.ok(counts.maxChecks <= 100 && counts.maxMutations <= 1_000);
});

Deno.test("a ledger whose copy of a batch lacks a reservation reads again, and settles it", async () => {
  using world = await createWorld();
  const [one, other] = [world.ledger(), world.ledger()];
  for (const cost of [1n, 200n]) {
    const hold = holdOf(await one.reserve(bid(300n)));
    await other.settle(hold, { status: 200, cost });
  }
  const { days, open } = await readBooks(world.kv);
  assert.equal(open.size, 0);
  assert.equal(days.get("acc_a/2026-11-21")?.spent, 201n);
});

Deno.test("a settlement goes to the day of the admission; midnight between keys and values too", async () => {
  using world = await createWorld();
  world.clock.now = Date.parse("2026-11-21T23:59:59.999Z");
  // The read of the first bid lasts past midnight, when another isolate books on the new day.
  const other = world.ledger();
  let isSlow = true;
  const slow = world.ledger(faultyKv(world.kv, async ({ kind }): Promise<Fate> => {
    if (kind === "read" && isSlow) {
      isSlow = false;
      world.clock.now += 2;
      holdOf(await other.reserve(bid(70n)));
    }
    return "work";
  }));
  const hold = holdOf(await slow.reserve(bid(5n)));
  assert.equal(hold.day, "2026-11-21");
  const { days } = await readBooks(world.kv);
  assert.equal(days.get("acc_a/2026-11-22")?.reserved, 70n, "not overwritten");
  world.clock.now += 5_000;
  await slow.settle(hold, { cost: 9n, status: 200 });
  assert.equal((await readBooks(world.kv)).days.get("acc_a/2026-11-21")?.spent, 9n);
});

Deno.test("the sweep charges an abandoned reservation once, and a late settlement corrects it", async () => {
  using world = await createWorld();
  const [one, two] = [world.ledger(), world.ledger()];
  const left = holdOf(await one.reserve(bid(100n)));
  const late = holdOf(await one.reserve(bid(200n)));
  const unknown = holdOf(await one.reserve(bid(400n)));
  const long = holdOf(await one.reserve(bid(50n)));
  world.clock.now += 15_000;
  assert.equal(await two.sweep(), 0, "not before its time");
  const renewed = await one.renew(long);
  assert.equal(renewed?.deadline, world.clock.now + 20_000);
  world.clock.now += 5_000;
  assert.deepEqual((await Promise.all([one.sweep(), two.sweep()])).reduce((a, b) => a + b), 3);
  const swept = await readBooks(world.kv);
  assert.deepEqual([...swept.open.keys()], [long.requestId]);
  assert.deepEqual(swept.records.get(left.requestId), {
    requestId: left.requestId,
    accountId: "acc_a",
    keyId: "key",
    day: "2026-11-21",
    endpoint: "search",
    at: NOON,
    model: null,
    cost: 100n,
    costFrom: "sweep",
    inputTokens: null,
    outputTokens: null,
    status: null,
    durationMs: null,
  });
  assert.equal(await one.renew(left), null);
  await one.settle(late, { cost: 30n, status: 200 });
  await one.settle(late, { cost: 31n, status: 200 });
  await one.settle(unknown, { cost: null, status: 504 });
  await one.settle(renewed ?? long, { cost: 1n, status: 200 });
  const { days, records } = await readBooks(world.kv);
  assert.equal(days.get("acc_a/2026-11-21")?.spent, 100n + 30n + 400n + 1n);
  assert.equal(records.get(late.requestId)?.costFrom, "provider");
  assert.equal(records.get(unknown.requestId)?.costFrom, "sweep");
});

Deno.test("a reservation that was committed, reported lost and swept is not made again", async () => {
  using world = await createWorld();
  let reads = 0;
  let commits = 0;
  const judge = async ({ kind }: Operation): Promise<Fate> => {
    if (kind === "commit") return ++commits === 1 ? "deny" : "work";
    if (++reads === 2) {
      world.clock.now += DAY;
      assert.equal(await world.ledger().sweep(), 1);
    }
    return "work";
  };
  const ledger = world.ledger(faultyKv(world.kv, judge));
  const admission = await ledger.reserve(bid(100n, { requestId: "once" }));
  const swept = (await readBooks(world.kv)).records.get("once");
  assert.deepEqual([swept?.cost, swept?.costFrom], [100n, "sweep"]);
  await ledger.settle(holdOf(admission), { cost: 70n, status: 200 });
  const { records, open } = await readBooks(world.kv);
  assert.equal(open.size, 0);
  assert.deepEqual([...records.values()].map(({ cost }) => cost), [70n]);
});

Deno.test("a reservation that cannot be swept does not keep the sweep from the others", async () => {
  using world = await createWorld();
  await world.ledger().reserve(bid(1n, { accountId: "acc_a" }));
  await world.ledger().reserve(bid(2n, { accountId: "acc_b" }));
  world.clock.now += 60_000;
  let commits = 0;
  const ledger = world.ledger(
    faultyKv(world.kv, ({ kind }) => kind === "commit" && commits++ === 0 ? "refuse" : "work"),
  );
  assert.equal(await ledger.sweep(), 1);
  assert.match(String(world.logged), /the next one will try again/);
  assert.equal(await ledger.sweep(), 1);
});

for (const fate of ["refuse", "lose answer", "deny", "come late"] as const) {
  Deno.test(`a reservation whose commit fails (${fate}) is not there twice, nor for ever`, async () => {
    using world = await createWorld();
    let next: Fate = "work";
    const ledger = world.ledger(faultyKv(world.kv, ({ kind }) => {
      const now = kind === "commit" ? next : "work";
      if (kind === "commit") next = "work";
      return now;
    }));
    next = fate;
    const outcome = await ledger.reserve(bid(100n)).catch(() => null);
    await ledger.flush();
    const { open } = await readBooks(world.kv);
    assert.deepEqual([outcome?.admitted, open.size], fate === "deny" ? [true, 1] : [undefined, 0]);
    if (!outcome?.admitted) return;
    assert.equal(outcome.rate.remaining, 999_999, "counted once");
    next = fate;
    await ledger.settle(outcome.hold, { cost: 5n, status: 200 });
    assert.equal((await readBooks(world.kv)).days.get("acc_a/2026-11-21")?.spent, 5n);
  });
}

Deno.test("a reservation that failed for an unresponsive database is not made when that recovers", async () => {
  using world = await createWorld();
  const gate = Promise.withResolvers<Fate>();
  const over = Promise.withResolvers<void>();
  let commits = 0;
  let isBack = false;
  const judge = ({ kind }: Operation): Fate | Promise<Fate> => {
    if (kind === "read") return "work";
    // The second bid is the first one, sent again.
    return ++commits === 1 ? "come late" : commits === 2 ? gate.promise : "work";
  };
  const ledger = world.ledger(faultyKv(world.kv, judge, () => void (isBack && over.resolve())));
  await assert.rejects(ledger.reserve(bid(100n)), /no answer yet/);
  await ledger.flush();
  isBack = true;
  gate.resolve("work");
  await over.promise;
  assert.equal((await readBooks(world.kv)).open.size, 0);
});

Deno.test("a settlement survives an unavailable database, even if it begins after the deadline", async () => {
  using world = await createWorld();
  let isAway = false;
  const ledger = world.ledger(faultyKv(world.kv, () => isAway ? "refuse" : "work"));
  const hold = holdOf(await ledger.reserve(bid(100n)));
  const lost = holdOf(await ledger.reserve(bid(10n)));
  world.clock.now += 3_600_000;
  isAway = true;
  const settled = ledger.settle(hold, { cost: 7n, status: 200 });
  while (world.logged.length < 3) await new Promise((resolve) => setTimeout(resolve));
  isAway = false;
  await settled;
  assert.equal((await readBooks(world.kv)).records.get(hold.requestId)?.cost, 7n);

  isAway = true;
  await ledger.settle(lost, { cost: 7n, status: 200 });
  assert.match(String(world.logged.at(-1)), /the sweep will charge the reservation/);
  isAway = false;
  await ledger.sweep();
  assert.equal((await readBooks(world.kv)).records.get(lost.requestId)?.cost, 10n);
});

Deno.test("the status is read from the database with the days before; rate costs one read at most", async () => {
  using world = await createWorld();
  const { kv, counts } = countingKv(world.kv);
  const [ledger, other] = [world.ledger(kv), world.ledger()];
  const settle = async (by: Ledger, cost: bigint) =>
    await by.settle(holdOf(await by.reserve(bid(1n))), { cost, status: 200 });
  await settle(ledger, 10n);
  world.clock.now += DAY;
  await settle(ledger, 20n);
  await settle(other, 30n);
  const { days, rate } = await ledger.status("acc_a", 3);
  assert.deepEqual(days.map(({ day, book }) => [day, book.spent]), [
    ["2026-11-22", 50n],
    ["2026-11-21", 10n],
    ["2026-11-20", 0n],
  ]);
  assert.equal(rate.remaining, 999_998);
  const before = counts.reads;
  assert.equal((await ledger.rate("acc_a")).remaining, 999_998);
  assert.equal(counts.reads, before);
  assert.equal((await ledger.rate("acc_new")).resetsAt, null);
});

/** Reserves for one account and settles; returns whether the reservation was set aside. */
async function spend(ledger: Ledger, amount: bigint, more: Partial<Bid> = {}): Promise<boolean> {
  const { isSetAside, admission } = ledger.ask(bid(amount, more));
  await ledger.settle(holdOf(await admission), { cost: amount, status: 200 });
  return isSetAside;
}

Deno.test("a request's commit sets the next one aside, for a minute and for its day", async () => {
  using world = await createWorld();
  const { clock } = world;
  const ledger = world.ledger();
  assert.equal(await spend(ledger, 10n), false);
  assert.equal(await spend(ledger, 10n), true);
  assert.equal(await spend(ledger, 30n), false, "more than was set aside");
  clock.now += 50_000;
  assert.equal(await spend(ledger, 30n), true);
  clock.now += 56_000;
  assert.equal(await spend(ledger, 30n), false, "its time is nearly over");
  assert.equal(await spend(ledger, 30n, { limit: 999n }), false, "the limit was lowered");
  assert.equal(await spend(ledger, 30n, { accountId: "acc_b" }), false);
  clock.now = Date.parse("2026-11-21T23:59:59.999Z");
  await spend(ledger, 30n);
  clock.now += 1;
  assert.equal(await spend(ledger, 30n), false, "it was for the day before");
});

Deno.test("an isolate's allowance counts for the others until it expires", async () => {
  using world = await createWorld(100);
  const [one, other] = [world.ledger(), world.ledger()];
  await spend(one, 40n);
  const [rate] = (await readBooks(world.kv)).rates.values();
  assert.deepEqual(rate?.allowances?.map(({ amount, places }) => [amount, places]), [[80n, 2]]);
  holdOf(await other.reserve(bid(870n)));
  const account = { accountId: "acc_a", limit: 1_000n };
  assert.equal(await other.refusal(account), null);
  holdOf(await other.reserve(bid(10n)));
  const refusal = await other.reserve(bid(1n));
  assert.ok(!refusal.admitted && refusal.reason === "account");
  assert.equal(refusal.today.book.reserved, 960n);
  assert.equal(await one.refusal(account), null, "its own is no obstacle");
  const aside = one.ask(bid(40n));
  assert.equal(aside.isSetAside, true);
  holdOf(await aside.admission);
  holdOf(await one.reserve(bid(40n)));
  assert.equal((await one.reserve(bid(1n))).admitted, false);

  const [late, another] = ["acc_b", "acc_c"];
  await spend(one, 40n, { accountId: late });
  holdOf(await other.reserve(bid(880n, { accountId: late })));
  assert.equal((await other.reserve(bid(1n, { accountId: late }))).admitted, false);
  world.clock.now += 60_000;
  holdOf(await other.reserve(bid(1n, { accountId: late })));

  // Places in the rate window: nine may be set aside of the 99 that are left, and these are two.
  const startedAt = world.clock.now;
  await other.reserve(bid(1n, { accountId: another }));
  world.clock.now += 30_000;
  await spend(one, 1n, { accountId: another });
  for (let count = 0; count < 96; count++) await other.reserve(bid(1n, { accountId: another }));
  const full = await other.reserve(bid(1n, { accountId: another }));
  assert.ok(!full.admitted && full.reason === "rate" && full.rate.remaining === 0);
  assert.equal(full.rate.resetsAt, startedAt + 60_000, "before the places set aside expire");
  assert.equal((await other.rate(another)).remaining, 2);
  assert.equal(await spend(one, 1n, { accountId: another }), true);
});

Deno.test("the allowances of 20 isolates refuse no request before nine tenths of a limit are used", async () => {
  using world = await createWorld(200);
  const [other, ...isolates] = range(21).map(() => world.ledger());
  assert.ok(other !== undefined);
  const more = { limit: 20_000n };
  for (const ledger of isolates) await Promise.all(range(3).map(() => spend(ledger, 100n, more)));
  const [rate] = (await readBooks(world.kv)).rates.values();
  assert.ok((rate?.allowances?.length ?? 0) > 1);
  holdOf(await other.reserve(bid(12_000n, more)));
  holdOf(await other.reserve(bid(1n, more)));
  for (let count = 62; count < 180; count++) holdOf(await other.reserve(bid(0n, more)));
  world.clock.now += 59_000;
  assert.equal((await other.rate("acc_a")).remaining, 20);
  world.clock.now += 2_000;
  holdOf(await other.reserve(bid(1_998n, more)));
  holdOf(await other.reserve(bid(1n, more)));
  assert.equal((await other.reserve(bid(1n, more))).admitted, false, "all of it is used");
});

Deno.test("promised parts stay set aside until their requests are admitted, however little is left", async () => {
  using world = await createWorld();
  const [one, other, third] = range(3).map(() => world.ledger());
  assert.ok(one && other && third);
  await spend(one, 10n);
  await spend(other, 10n);
  holdOf(await third.reserve(bid(950n)));
  const asked = [10n, 10n, 10n].map((amount) => one.ask(bid(amount)));
  assert.deepEqual(asked.map(({ isSetAside }) => isSetAside), [true, true, false]);
  const admissions = await Promise.all(asked.map(({ admission }) => admission));
  assert.deepEqual(admissions.map(({ admitted }) => admitted), [true, true, false]);
});

Deno.test("a cost above its reservation, or a lowered limit, also counts for requests with an allowance", async () => {
  using world = await createWorld();
  const [one, other] = [world.ledger(), world.ledger()];
  const refused = async (ledger: Ledger, more: Partial<Bid>, isSetAside = false) => {
    const asked = ledger.ask(bid(10n, more));
    assert.equal(asked.isSetAside, isSetAside);
    const admission = await asked.admission;
    assert.ok(!admission.admitted && admission.reason === "account");
  };
  const costly = { accountId: "acc_costly" };
  await spend(other, 10n, costly);
  const hold = holdOf(await one.reserve(bid(10n, costly)));
  const settled = one.settle(hold, { cost: 5_000n, status: 200 });
  await refused(one, costly);
  await settled;
  await refused(one, costly);
  await refused(other, costly, true);
  await refused(other, costly);

  const lowered = { accountId: "acc_lowered" };
  await spend(one, 10n, lowered);
  await refused(one, { ...lowered, limit: 10n });
  await refused(one, { ...lowered, limit: 10n });
});

Deno.test("a request whose promised part is gone is decided like any other", async () => {
  using world = await createWorld();
  const gate = Promise.withResolvers<Fate>();
  let isHeld = false;
  const one = world.ledger(
    faultyKv(world.kv, ({ kind }) => isHeld && kind === "commit" ? gate.promise : "work"),
  );
  const other = world.ledger();
  await spend(one, 40n);
  isHeld = true;
  const asked = [40n, 40n].map((amount) => one.ask(bid(amount)));
  assert.deepEqual(asked.map(({ isSetAside }) => isSetAside), [true, true]);
  // The isolate is frozen for so long that others may use its allowance.
  world.clock.now += 61_000;
  holdOf(await other.reserve(bid(950n)));
  gate.resolve("lose race");
  isHeld = false;
  const admissions = await Promise.all(asked.map(({ admission }) => admission));
  assert.deepEqual(admissions.map(({ admitted }) => admitted), [true, false]);
});

Deno.test("an allowance outlives a rate limit's window that is shorter", async () => {
  using world = await createWorld();
  const { kv, clock } = world;
  const expiries: unknown[] = [];
  const atomic = kv.atomic.bind(kv);
  kv.atomic = () => {
    const operation = atomic();
    const set = operation.set.bind(operation);
    operation.set = (key, value, options) => {
      if (key[0] === "rate") expiries.push(options?.expireIn);
      return set(key, value, options);
    };
    return operation;
  };
  for (const windowSeconds of [1, 1_800]) {
    const policy = { requests: 1_000, windowSeconds };
    await openLedger(kv, () => clock.now, { policy }).reserve(bid(1n));
  }
  assert.deepEqual(expiries, [60_000, 1_800_000]);
});

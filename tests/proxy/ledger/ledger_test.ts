/** The ledger: admission, settlement, the sweep, and an account's standing. */

import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { NewerVersionError } from "../../../lib/platform/kv/write.ts";
import type { Asked, Ledger } from "../../../lib/proxy/ledger/ledger.ts";
import { serialize } from "node:v8";
import { removeDay } from "../../../lib/proxy/ledger/retention.ts";
import {
  LEDGER_VERSION,
  ledgerKey,
  type LedgerValue,
  type Reservation,
} from "../../../lib/proxy/ledger/values.ts";
import { openLedger } from "../../support/accounts.ts";
import { countingKv, type Fate, faultyKv, type Operation } from "../../support/faulty_kv.ts";
import { readBooks } from "../../support/ledger_books.ts";
import { until } from "../../support/until.ts";

const NOON = Date.parse("2026-11-21T12:00:00Z");
const DAY = 86_400_000;
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

async function createWorld(requests = 1_000_000) {
  const kv = await Deno.openKv(":memory:");
  const clock = { now: NOON };
  const logged: string[] = [];
  const gate = { opened: Promise.resolve() };
  return {
    kv,
    clock,
    logged,
    /** Every pause waits for it. */
    gate,
    ledger: (own = kv) =>
      openLedger(own, () => clock.now, {
        // A pause advances the clock, but takes no real time.
        sleep: async (milliseconds) => {
          await gate.opened;
          clock.now += milliseconds;
        },
        policy: { requests, windowSeconds: 60 },
        reservationSeconds: 20,
        log: { warn() {}, error: (text: string) => void logged.push(text) },
      }),
    [Symbol.dispose]: () => kv.close(),
  };
}

let requests = 0;

function request(amount: bigint, more: Partial<Asked> = {}): Asked {
  return {
    requestId: `r${++requests}`,
    accountId: "acc_a",
    keyId: "key",
    endpoint: "search",
    model: null,
    limit: 1_000n,
    amount,
    ...more,
  };
}

/** Reserves for a request that must be admitted. */
async function admit(ledger: Ledger, amount: bigint, more?: Partial<Asked>): Promise<Reservation> {
  const admission = await ledger.reserve(request(amount, more));
  assert.ok(admission.admitted);
  return admission.reservation;
}

/** Why a request is refused, and by whose limit. */
async function refusalOf(ledger: Ledger, amount: bigint, more?: Partial<Asked>) {
  const admission = await ledger.reserve(request(amount, more));
  assert.ok(!admission.admitted);
  return [admission.reason, admission.scope];
}

const settle = (ledger: Ledger, reservation: Reservation, cost: bigint) =>
  ledger.settle(reservation, { cost, status: 200 });

Deno.test("a request is reserved, settled at its cost, and found in the day's book", async () => {
  using world = await createWorld();
  const ledger = world.ledger();
  const reservation = await admit(ledger, 300n, { requestId: "one", model: "m" });
  world.clock.now += 1_500;
  await ledger.settle(reservation, { cost: 450n, status: 200, inputTokens: 5, model: "m-2" });
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
    byEndpoint: { search: { requests: 1, failures: 0, spent: 450n } },
    byKey: { key: { requests: 1, failures: 0, spent: 450n } },
  });
});

Deno.test("a request that does not fit waits until nothing is reserved under the account's limit or the key's", async () => {
  using world = await createWorld();
  const ledger = world.ledger();
  const large = await admit(ledger, 1_700n);
  const account = { accountId: "acc_b", limit: 1_000n };
  const first = await admit(ledger, 600n, account);
  assert.deepEqual(await refusalOf(ledger, 401n, account), ["open", "account"]);
  await admit(ledger, 400n, account);
  await settle(ledger, first, 0n);
  await settle(ledger, large, 0n);

  const cap = { id: "key", limitNanoUsd: 100n };
  const capped = await admit(ledger, 150n, { cap });
  await settle(ledger, capped, 50n);
  const small = await admit(ledger, 10n, { cap });
  assert.deepEqual(await refusalOf(ledger, 41n, { cap }), ["open", "key"]);
  await admit(ledger, 41n, { keyId: "uncapped" });
  await settle(ledger, small, 10n);
  await admit(ledger, 41n, { cap });
  assert.deepEqual(await refusalOf(ledger, 1n, { cap }), ["key", "key"]);
  await readBooks(world.kv);
});

Deno.test("an account that is refused, or whose commits hang, keeps no other waiting", async () => {
  using world = await createWorld();
  const gate = Promise.withResolvers<Fate>();
  let operations = 0;
  const ledger = world.ledger(faultyKv(world.kv, () => ++operations === 1 ? gate.promise : "work"));
  const stuck = range(100).map(() => ledger.reserve(request(1n, { limit: 0n })));
  const other = await ledger.reserve(request(1n, { accountId: "acc_b" }));
  assert.equal(other.admitted, true);
  gate.resolve("work");
  const refused = (await Promise.all(stuck)).filter(({ admitted }) => !admitted);
  assert.equal(refused.length, 100);
});

Deno.test("a request waits for no second read, although refusals arrive during the first", async () => {
  using world = await createWorld();
  const kinds: string[] = [];
  const gate = Promise.withResolvers<Fate>();
  const ledger = world.ledger(
    faultyKv(world.kv, ({ kind }) => kinds.push(kind) === 1 ? gate.promise : "work"),
  );
  const admitted = ledger.reserve(request(1n));
  const refused = ledger.reserve(request(1n, { limit: 0n }));
  gate.resolve("work");
  assert.deepEqual([(await admitted).admitted, (await refused).admitted], [true, false]);
  // The value, the day, and a commit that began after the refusal had arrived, so it confirms that too.
  assert.deepEqual(kinds, ["read", "read", "commit"]);
});

Deno.test("1,000 reservations at once with the longest names fit, commit by commit", async () => {
  using world = await createWorld();
  const { kv, counts } = countingKv(world.kv);
  const ledger = world.ledger(kv);
  const model = "語".repeat(500);
  const limit = 10n ** 15n;
  const reservations = await Promise.all(
    range(1_000).map(async () =>
      await admit(ledger, 10n ** 12n, { model, limit, requestId: crypto.randomUUID() })
    ),
  );
  assert.equal(reservations[0]?.model?.length, 100, "a name is cut");
  assert.ok(counts.commits <= 14, `${counts.commits} commits`);
  assert.equal((await readBooks(world.kv)).open.size, 1_000);
  await Promise.all(
    reservations.map((each) => ledger.settle(each, { cost: null, model, status: 200 })),
  );
  const { open, records } = await readBooks(world.kv);
  assert.deepEqual([open.size, records.size], [0, 1_000]);
  assert.ok(counts.commits <= 28, `${counts.commits} commits`);
  assert.ok(counts.maxChecks <= 10 && counts.maxMutations <= 1_000);
  assert.ok(counts.reads <= 4, `${counts.reads} reads`);
});

Deno.test("a search waits for one commit, and shares it with the settlement of the one before", async () => {
  using world = await createWorld();
  const { kv, counts } = countingKv(world.kv);
  const ledger = world.ledger(kv);
  const capped = { keyId: "key_c", cap: { id: "key_c", limitNanoUsd: 10n ** 9n } };
  for (const more of [{}, capped]) {
    Object.assign(counts, { commits: 0, reads: 0 });
    let settled = Promise.resolve();
    for (let count = 0; count < 10; count++) {
      const reservation = await admit(ledger, 10n, more);
      assert.equal(counts.commits, count + 1);
      settled = settle(ledger, reservation, 10n);
    }
    await settled;
    // The value and the day, once.
    assert.deepEqual([counts.commits, counts.reads], [11, more === capped ? 0 : 2]);
  }
});

Deno.test("beside a request in progress, one that arrives in the next turn of the event loop shares the commit", async () => {
  using world = await createWorld();
  const { kv, counts } = countingKv(world.kv);
  const ledger = world.ledger(kv);
  await admit(ledger, 10n);
  const second = admit(ledger, 10n);
  await setImmediate();
  await Promise.all([second, admit(ledger, 10n)]);
  assert.equal(counts.commits, 2);
});

Deno.test("a refusal reads the ledger value, and empties no memory of what is in progress", async () => {
  using world = await createWorld();
  const { kv, counts } = countingKv(world.kv);
  const ledger = world.ledger(kv);
  const reservation = await admit(ledger, 1_000n);
  counts.reads = 0;
  for (let time = 1; time <= 3; time++) {
    assert.deepEqual(await refusalOf(ledger, 1n), ["account", "account"]);
    assert.equal(counts.reads, time);
  }
  await settle(ledger, reservation, 1n);
  assert.equal(counts.reads, 3, "the reservation and its record are not read");
});

Deno.test("the sweep charges an abandoned reservation once, and a late settlement corrects it", async () => {
  using world = await createWorld();
  const [one, two] = [world.ledger(), world.ledger()];
  const left = await admit(one, 100n);
  const late = await admit(one, 200n);
  const unknown = await admit(one, 400n);
  const long = await admit(one, 50n);
  world.clock.now += 15_000;
  assert.equal(await two.sweep(), 0, "not before its time");
  await one.renew(long);
  const renewed = (await readBooks(world.kv)).open.get(long.requestId);
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
  await one.renew(left);
  await settle(one, late, 30n);
  await settle(one, late, 31n);
  await one.settle(unknown, { cost: null, status: 504 });
  await settle(one, long, 1n);
  const { days, records } = await readBooks(world.kv);
  assert.equal(days.get("acc_a/2026-11-21")?.spent, 100n + 30n + 400n + 1n);
  assert.equal(records.get(late.requestId)?.costFrom, "provider");
  assert.equal(records.get(unknown.requestId)?.costFrom, "sweep");
});

Deno.test("sums by key begin at no number below zero, although an older version without them counted the failure that is corrected", async () => {
  using world = await createWorld();
  const ledger = world.ledger();
  const reservation = await admit(ledger, 100n);
  world.clock.now += 20_000;
  assert.equal(await ledger.sweep(), 1);
  const read = async () => (await world.kv.get<LedgerValue>(ledgerKey("acc_a"))).value;
  const [day, { byKey, ...sums }] = Object.entries((await read())?.days ?? {})[0] ?? assert.fail();
  assert.equal(byKey?.["key"]?.failures, 1);
  await world.kv.set(ledgerKey("acc_a"), { ...await read(), days: { [day]: sums } });
  await settle(ledger, reservation, 30n);
  assert.equal((await read())?.days[day]?.byKey?.["key"]?.failures, 0);
});

Deno.test("what a crash left reserved is charged at its deadline if its account asks, which a refusal states", async () => {
  using world = await createWorld();
  const cap = { id: "key", limitNanoUsd: 500n };
  const asks: [bigint, Partial<Asked>][] = [
    [400n, {}],
    [600n, { accountId: "acc_b", keyId: "other" }],
    [400n, { accountId: "acc_c", cap }],
  ];
  const crashed = world.ledger();
  for (const [amount, more] of asks) await admit(crashed, amount, more);
  // So many that they are charged, and listed, in parts.
  for (let count = 0; count < 250; count++) await admit(crashed, 1n);
  const { kv, counts } = countingKv(world.kv);
  const ledger = world.ledger(kv);
  const until = world.clock.now + 20_000;
  // A request of the same process that has ended is not in the way.
  await settle(ledger, await admit(ledger, 1n), 1n);
  world.clock.now += 7_000;
  for (const [, more] of asks) {
    const refused = await ledger.reserve(request(700n, more));
    assert.ok(!refused.admitted && refused.reason === "open");
    assert.equal(refused.until, until);
  }
  world.clock.now = until;
  for (const [, more] of asks) await admit(ledger, 700n, more);
  // While a request of the same process is in the way, it ends soon, and a refusal reads no reservations.
  const more = { accountId: "acc_d", keyId: "third" };
  await admit(ledger, 900n, more);
  const before = counts.keysRead;
  const refused = await ledger.reserve(request(700n, more));
  assert.ok(!refused.admitted && refused.reason === "open" && refused.until === undefined);
  assert.equal(counts.keysRead, before + 1, "the ledger value, for the confirmation");
  const { records } = await readBooks(world.kv);
  assert.equal(
    records.values().filter(({ costFrom }) => costFrom === "sweep").toArray().length,
    253,
  );
});

Deno.test("a renewal holds against a sweep that has seen the reservation, and against a clock that is behind", async () => {
  using world = await createWorld();
  const ledger = world.ledger();
  const reservation = await admit(ledger, 100n);
  world.clock.now += 25_000;
  let reads = 0;
  const sweeper = world.ledger(faultyKv(world.kv, async ({ kind }): Promise<Fate> => {
    // The second read is of the account's value, when the sweep has listed the reservation.
    if (kind === "read" && ++reads === 2) await ledger.renew(reservation);
    return "work";
  }));
  assert.equal(await sweeper.sweep(), 0);
  assert.ok(reads >= 2);
  const deadline = world.clock.now + 20_000;
  await openLedger(world.kv, () => world.clock.now - 10_000, { reservationSeconds: 20 })
    .renew(reservation);
  const { open } = await readBooks(world.kv);
  assert.equal(open.get(reservation.requestId)?.deadline, deadline);
});

Deno.test("a reservation that cannot be swept does not keep the sweep from the others", async () => {
  using world = await createWorld();
  await world.ledger().reserve(request(1n, { accountId: "acc_a" }));
  await world.ledger().reserve(request(2n, { accountId: "acc_b" }));
  world.clock.now += 60_000;
  let commits = 0;
  const ledger = world.ledger(
    faultyKv(world.kv, ({ kind }) => kind === "commit" && commits++ === 0 ? "refuse" : "work"),
  );
  assert.equal(await ledger.sweep(), 1);
  assert.match(String(world.logged), /the next one will try again/);
  assert.equal(await ledger.sweep(), 1);
});

Deno.test("a settlement survives an unavailable database, even if it begins after the deadline", async () => {
  using world = await createWorld();
  let isAway = false;
  const ledger = world.ledger(faultyKv(world.kv, () => isAway ? "refuse" : "work"));
  const reservation = await admit(ledger, 100n);
  const lost = await admit(ledger, 10n);
  world.clock.now += 3_600_000;
  isAway = true;
  const settled = settle(ledger, reservation, 7n);
  await Promise.race([settled, until(() => world.logged.length >= 3)]);
  isAway = false;
  await settled;
  assert.equal((await readBooks(world.kv)).records.get(reservation.requestId)?.cost, 7n);

  isAway = true;
  await settle(ledger, lost, 7n);
  assert.match(String(world.logged.at(-1)), /the sweep will charge the reservation/);
  isAway = false;
  await ledger.sweep();
  assert.equal((await readBooks(world.kv)).records.get(lost.requestId)?.cost, 10n);
});

Deno.test("a flush waits for a settlement that pauses before it is tried again", async () => {
  using world = await createWorld();
  let isAway = false;
  const ledger = world.ledger(faultyKv(world.kv, () => isAway ? "refuse" : "work"));
  const reservation = await admit(ledger, 100n);
  const { promise, resolve } = Promise.withResolvers<void>();
  world.gate.opened = promise;
  isAway = true;
  void settle(ledger, reservation, 7n);
  await until(() => world.logged.length > 0);
  isAway = false;
  let isOver = false;
  const flushed = ledger.flush().then(() => isOver = true);
  await world.kv.get(["anything"]);
  assert.ok(!isOver);
  resolve();
  await flushed;
  assert.equal((await readBooks(world.kv)).records.get(reservation.requestId)?.cost, 7n);
});

Deno.test("a reservation whose commit comes late, when its request has failed, is not made", async () => {
  using world = await createWorld();
  const gate = Promise.withResolvers<Fate>();
  const arrived = Promise.withResolvers<void>();
  let commits = 0;
  const judge = ({ kind }: Operation) => {
    if (kind === "commit") commits++;
    // The second commit is the first one again.
    if (kind === "read" || commits > 2) return "work";
    return commits === 1 ? "come late" : gate.promise;
  };
  const kv = faultyKv(world.kv, judge, () => {
    if (commits > 2) arrived.resolve();
  });
  const ledger = world.ledger(kv);
  await assert.rejects(ledger.reserve(request(10n)));
  await ledger.flush();
  commits = 3;
  gate.resolve("work");
  await arrived.promise;
  assert.equal((await readBooks(world.kv)).open.size, 0);
});

Deno.test("what a key has spent through another process counts before its next request", async () => {
  using world = await createWorld();
  const [ledger, other] = [world.ledger(), world.ledger()];
  await admit(ledger, 1n);
  const capped = { cap: { id: "key", limitNanoUsd: 100n } };
  await admit(other, 100n, capped);
  assert.deepEqual(await refusalOf(ledger, 0n, capped), ["key", "key"]);
});

Deno.test("what another process has given back is seen before a request is refused", async () => {
  using world = await createWorld();
  const [ledger, other] = [world.ledger(), world.ledger()];
  const first = await admit(ledger, 1_000n);
  await settle(other, first, 0n);
  const second = await admit(ledger, 1_000n);
  assert.equal((await ledger.refusal(request(0n)))?.reason, "account");
  await settle(other, second, 0n);
  assert.equal(await ledger.refusal(request(0n)), null);
});

Deno.test("the status is read from the database with the days before; rate costs one read at most", async () => {
  using world = await createWorld();
  const { kv, counts } = countingKv(world.kv);
  const [ledger, other] = [world.ledger(kv), world.ledger()];
  const settle = async (by: Ledger, cost: bigint) =>
    await by.settle(await admit(by, 1n), { cost, status: 200 });
  await settle(ledger, 10n);
  world.clock.now += DAY;
  await settle(ledger, 20n);
  await settle(other, 30n);
  const { days, rate } = await ledger.status("acc_a", 3);
  assert.deepEqual(days.map(({ day, sums }) => [day, sums.spent]), [
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

Deno.test("a ledger value of a newer version is neither used nor changed", async () => {
  using world = await createWorld();
  const { kv, clock } = world;
  const reservation = await admit(world.ledger(), 10n);
  const key = ["ledger", "acc_a"];
  const { value } = await kv.get<object>(key);
  await kv.set(key, { ...value, version: LEDGER_VERSION + 1 });
  const before = await Array.fromAsync(kv.list({ prefix: [] }));
  const ledger = world.ledger();
  await assert.rejects(ledger.reserve(request(1n)), NewerVersionError);
  await settle(ledger, reservation, 1n);
  clock.now += 60_000;
  assert.equal(await ledger.sweep(), 0);
  await ledger.flush();
  assert.deepEqual(await Array.fromAsync(kv.list({ prefix: [] })), before);
  await kv.set(key, value);
  assert.equal(await world.ledger().sweep(), 1);
});

Deno.test("a rewrite keeps the members that it does not know", async () => {
  using world = await createWorld();
  const { kv } = world;
  const ledger = world.ledger();
  const cap = { id: "key", limitNanoUsd: 100n };
  const reservation = await admit(ledger, 10n, { cap });
  const keys = [
    ["ledger", "acc_a"],
    ["reservation", "acc_a", reservation.requestId],
  ];
  for (const key of keys) {
    const { value } = await kv.get<object>(key);
    await kv.set(key, { ...value, later: true });
  }
  const other = world.ledger();
  await other.renew(reservation);
  await admit(other, 1n, { cap });
  for (const key of keys) {
    assert.equal((await kv.get<{ later: boolean }>(key)).value?.later, true, key.join("/"));
  }
});

Deno.test("a request that failed before it was sent costs nothing, even if the sweep came before it was taken back", async () => {
  using world = await createWorld();
  let fates: Fate[] = ["lose answer", "refuse", "refuse"];
  const kv = faultyKv(world.kv, ({ kind }) => kind === "read" ? "work" : fates.shift() ?? "work");
  const [ledger, other] = [world.ledger(kv), world.ledger()];
  const gate = Promise.withResolvers<void>();
  world.gate.opened = gate.promise;
  await assert.rejects(ledger.reserve(request(400n, { cap: { id: "key", limitNanoUsd: 500n } })));
  await until(() => fates.length < 2);
  world.clock.now += 20_000;
  assert.equal(await other.sweep(), 1);
  fates = [];
  gate.resolve();
  await ledger.flush();
  const { records, days, caps } = await readBooks(world.kv);
  const [record] = records.values();
  assert.deepEqual([record?.cost, record?.status], [0n, 503]);
  assert.equal(days.get("acc_a/2026-11-21")?.spent, 0n);
  assert.equal(caps.get("acc_a/2026-11-21/key")?.spent, 0n);
});

Deno.test("a day that was removed while the ledger value still had it does not come back", async () => {
  using world = await createWorld();
  const ledger = world.ledger();
  await settle(ledger, await admit(ledger, 10n), 10n);
  world.clock.now += DAY;
  await settle(ledger, await admit(ledger, 10n), 10n);
  await removeDay(world.kv, "2026-11-21");
  world.clock.now += 402 * DAY;
  await settle(ledger, await admit(ledger, 10n), 10n);
  const days = await Array.fromAsync(world.kv.list({ prefix: ["day"] }), ({ key }) => key[1]);
  assert.deepEqual(days, ["2026-11-22", "2027-12-29"]);
  const { value } = await world.kv.get<LedgerValue>(["ledger", "acc_a"]);
  assert.deepEqual(Object.keys(value?.days ?? {}), ["2027-12-29"]);
});

Deno.test("an account's day has room for 300 caps and the sums of 100 keys, and its value stays below what a database takes", async () => {
  using world = await createWorld();
  const ledger = world.ledger();
  const ask = (at: number) => {
    const id = `cap${String(at).padStart(9, "0")}`;
    const limit = 10n ** 12n;
    return request(1_000_000_000n, { keyId: id, limit, cap: { id, limitNanoUsd: limit } });
  };
  for (let day = 0; day < 2; day++) {
    const admissions = await Promise.all(range(301).map((at) => ledger.reserve(ask(at))));
    assert.deepEqual(admissions.map(({ admitted }) => admitted), range(301).map((at) => at < 300));
    assert.ok((await ledger.reserve(ask(7))).admitted, "one that the day has");
    for (const each of admissions) {
      if (each.admitted) await ledger.settle(each.reservation, { cost: 10n ** 10n, status: 200 });
    }
    world.clock.now += DAY;
  }
  const { value } = await world.kv.get<LedgerValue>(["ledger", "acc_a"]);
  const size = serialize(value).length;
  assert.ok(size < 56 * 1024, `${size} bytes`);
  for (const { byKey = {} } of Object.values(value?.days ?? {})) {
    assert.equal(Object.keys(byKey).length, 101);
    assert.deepEqual(byKey["others"], { requests: 200, failures: 0, spent: 200n * 10n ** 10n });
  }
});

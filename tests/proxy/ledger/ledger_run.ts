/** One run of the ledger's model: random moves from a seed, and the promises checked after each. */

import assert from "node:assert/strict";
import type { Allowance } from "../../../lib/proxy/ledger/allowance.ts";
import { dayOf, type Hold } from "../../../lib/proxy/ledger/books.ts";
import { rateStateAt } from "../../../lib/proxy/ledger/rate_window.ts";
import { createRandom, type Random } from "../../../lib/sandbox/random.ts";
import type { Fate } from "../../support/faulty_kv.ts";
import { type Books, readBooks } from "../../support/ledger_books.ts";
import {
  createLedgerWorld,
  HOLD_SECONDS,
  type Isolate,
  type LedgerWorld,
  POLICY,
} from "./ledger_world.ts";

const LIMIT = 2_000n;
/** The cap of one of the keys. */
const CAP = 150n;
const CAPPED = "capped";
/** The limit of all accounts together, in some runs. */
const SERVICE_LIMIT = 2_300n;
/** The fraction of a limit's remainder that may be set aside. */
const SHARE = 10;
const MOVES = 60;
const ACCOUNTS = ["acc_a", "acc_a", "acc_a", "acc_b"];
/** Within this time, a promised part may not expire. */
const PROMISED_MILLISECONDS = 5_000;

/** The faults of a run. */
export interface Weather {
  /** Probability that a database operation does not simply work. */
  readonly faults: number;
  /** Probability that a move is the death of an isolate. */
  readonly deaths: number;
  /** Whether the clock may jump, also back. */
  readonly jumps: boolean;
}

/** From calm to everything at once. */
export const WEATHERS: readonly Weather[] = [
  { faults: 0, deaths: 0, jumps: false },
  { faults: 0.15, deaths: 0, jumps: false },
  { faults: 0, deaths: 0.04, jumps: true },
  { faults: 0.12, deaths: 0.03, jumps: true },
];

/** A request, as its caller knows it. */
interface Asked {
  readonly id: string;
  readonly accountId: string;
  readonly amount: bigint;
  readonly isolate: Isolate;
  state: "asked" | "admitted" | "refused" | "failed";
  readonly askedAt: number;
  /** Whether its provider may be called before it is admitted. */
  isSetAside: boolean;
  hold: Hold | null;
  /** Known costs of its settlements, and whether one had none. */
  readonly costs: bigint[];
  isUnknown: boolean;
  /** Whether a settlement with a known cost has resolved. */
  isSettled: boolean;
}

/** Makes a run and returns its events; throws if a promise is broken. */
export async function runLedger(
  kv: Deno.Kv,
  seed: number,
  weather: Weather,
  isServiceLimited: boolean,
): Promise<Record<string, number>> {
  const random = createRandom(seed);
  const world = await createLedgerWorld(kv, isServiceLimited ? SERVICE_LIMIT : undefined);
  const run = createRun(world, random, weather);
  for (let move = 0; move < MOVES; move++) await run.move();
  return await run.end();
}

function createRun(world: LedgerWorld, random: Random, weather: Weather) {
  const asked: Asked[] = [];
  const tally = {
    admitted: 0,
    refused: 0,
    capped: 0,
    overall: 0,
    failed: 0,
    swept: 0,
    deaths: 0,
    lies: 0,
  };
  /**
   * Requests whose part was set aside: admitted on the day or on the next one, refused, without a result, or expired.
   */
  const aside = { used: 0, overMidnight: 0, gone: 0, unknown: 0, expired: 0 };
  /** Requests that were refused although they had been promised admission. */
  let broken: Asked[] = [];
  let isolates = [world.start(), world.start(), world.start()];
  let books: Books = {
    days: new Map(),
    open: new Map(),
    records: new Map(),
    rates: new Map(),
    caps: new Map(),
  };

  function reserve(isolate: Isolate): void {
    const bid = {
      requestId: `r${asked.length}`,
      accountId: random.pick(ACCOUNTS),
      keyId: random.chance(0.15) ? CAPPED : "key",
      endpoint: random.pick(["search", "answer"]),
      model: null,
      amount: BigInt(random.pick([0, 1, 30, 90, 150, 700, 2_400])),
      limit: LIMIT,
    };
    const isCapped = bid.keyId === CAPPED;
    const request: Asked = {
      id: bid.requestId,
      accountId: bid.accountId,
      amount: bid.amount,
      isolate,
      state: "asked",
      askedAt: world.clock.now,
      isSetAside: false,
      hold: null,
      costs: [],
      isUnknown: false,
      isSettled: false,
    };
    asked.push(request);
    const { isSetAside, admission } = isolate.ledger.ask(
      isCapped ? { ...bid, cap: { id: CAPPED, limitNanoUsd: CAP } } : bid,
    );
    request.isSetAside = isSetAside;
    assert.ok(!isCapped || !isSetAside, "an allowance is no promise for a key with a cap");
    admission.then((admission) => {
      if (!admission.admitted && admission.reason === "key") tally.capped++;
      if (!admission.admitted && admission.reason === "service") tally.overall++;
      request.state = admission.admitted ? "admitted" : "refused";
      if (admission.admitted) request.hold = admission.hold;
      tally[request.state as "admitted" | "refused"]++;
      if (isSetAside) checkPromise(request);
    }, () => {
      request.state = "failed";
      tally.failed++;
      if (isSetAside) aside.unknown++;
    });
  }

  /** The promised part of a request exists, unless its commit came too late or the isolate's clock jumped. */
  function checkPromise(request: Asked): void {
    const { askedAt, hold } = request;
    const { now } = world.clock;
    if (hold !== null) aside[hold.day === dayOf(askedAt) ? "used" : "overMidnight"]++;
    else {
      aside.gone++;
      const isLate = now > askedAt + PROMISED_MILLISECONDS || dayOf(now) !== dayOf(askedAt);
      if (!isLate && weather.faults === 0 && !weather.jumps) broken.push(request);
    }
  }

  function settle(request: Asked, hold: Hold): void {
    const cost = random.pick([
      null,
      0n,
      7n,
      hold.amount,
      hold.amount + 300n,
    ]);
    if (cost === null) request.isUnknown = true;
    else request.costs.push(cost);
    const times = random.chance(0.2) ? 2 : 1;
    for (let time = 0; time < times; time++) {
      void request.isolate.ledger.settle(hold, { cost, status: 200 }).then(() => {
        if (cost !== null) request.isSettled = true;
      });
    }
  }

  function work(): void {
    const isolate = random.pick(isolates);
    const mine = asked.filter((one) => one.hold !== null && one.isolate === isolate);
    const what = random.int(0, 9);
    if (what < 4 || mine.length === 0) {
      for (let left = random.pick([1, 1, 2, 5]); left > 0; left--) reserve(isolate);
    } else if (what < 8) {
      const request = random.pick(mine.slice(-6));
      if (request.hold !== null) settle(request, request.hold);
    } else if (what === 8) {
      const request = random.pick(mine.slice(-6));
      if (request.hold === null) return;
      void isolate.ledger.renew(request.hold).then((hold) => request.hold = hold ?? request.hold);
    } else if (random.chance(0.7)) isolate.ledger.sweep().catch(() => {});
    else isolate.ledger.status("acc_a", random.pick([1, 3])).catch(() => {});
  }

  function bury(isolate: Isolate): void {
    world.kill(isolate);
    tally.deaths++;
    isolates = [...isolates.filter((one) => one !== isolate), world.start()];
  }

  /** Lets a database operation through, and checks what it left. */
  async function release(isFair: boolean): Promise<void> {
    const each = random.pick(world.pending);
    let fate: Fate = "work";
    if (!isFair && random.chance(weather.faults)) {
      const fates: Fate[] = ["refuse", "lose answer"];
      if (each.operation.kind === "commit") {
        fates.push("lose race", "deny", "lose answer", "deny", "come late", "come late");
      }
      if (weather.deaths > 0) fates.push("die before", "die after");
      fate = random.pick(fates);
      tally.lies++;
    }
    await world.release(each, fate);
    if (fate.startsWith("die")) bury(each.isolate);
    if (each.operation.kind === "commit") await check();
  }

  async function check(): Promise<void> {
    const before = books;
    books = await readBooks(world.kv);
    // The limit may nevertheless be reached: a request cost more than its reservation, or the last one was large.
    for (const { id, accountId, askedAt } of broken) {
      const sums = [before, books].map(({ days }) => days.get(`${accountId}/${dayOf(askedAt)}`));
      const isReached = sums.some((day) => day && day.spent + day.reserved >= LIMIT);
      assert.ok(isReached, `${id} was promised admission and is refused`);
    }
    broken = [];
    checkLimit(before, books);
    checkCaps(before, books);
    if (world.isServiceLimited) checkService(books);
    checkAllowances(before, books);
    for (const { id, state } of asked) {
      const isThere = books.open.has(id) || books.records.has(id);
      if (state === "admitted") assert.ok(isThere, `${id} was admitted and is lost`);
      if (state === "refused") assert.ok(!isThere, `${id} was refused and has left something`);
      if (before.records.has(id)) assert.ok(books.records.has(id), `the record of ${id} is gone`);
    }
    if (!weather.jumps) checkRate();
  }

  /** The valid part of an account's allowances, by isolate. */
  function allowancesOf({ rates }: Books, accountId: string): Map<string, Allowance> {
    const { now } = world.clock;
    const all = rates.get(accountId)?.allowances ?? [];
    return new Map(
      all.filter(({ until }) => until > now).map((each) => [`${each.isolate}/${each.day}`, each]),
    );
  }

  /** More is set aside only while all of it is a small part of what is left of both limits. */
  function checkAllowances(before: Books, after: Books): void {
    for (const [accountId, { allowances = [] }] of after.rates) {
      const old = new Map(
        before.rates.get(accountId)?.allowances?.map((
          each,
        ) => [`${each.isolate}/${each.day}`, each]),
      );
      for (const { isolate, day, amount, places } of allowances) {
        assert.ok(amount >= 0n && places > 0, "an allowance is for something");
        const last = old.get(`${isolate}/${day}`);
        old.delete(`${isolate}/${day}`);
        if (last !== undefined && amount <= last.amount && places <= last.places) continue;
        const set = allowances.filter((each) => each.day === day);
        const { spent, reserved } = after.days.get(`${accountId}/${day}`) ??
          { spent: 0n, reserved: 0n };
        const total = set.reduce((sum, each) => sum + each.amount, 0n);
        // A later booking of the same commit may have taken what was left when more was set aside.
        const isOne = !weather.jumps && after.records.size === before.records.size &&
          [...after.open.values()].filter((each) =>
              each.accountId === accountId && !before.open.has(each.requestId)
            ).length === 1;
        const most = isOne ? (LIMIT - spent - reserved) / BigInt(SHARE) : LIMIT;
        assert.ok(total <= most, "too much is set aside");
        const taken = set.reduce((sum, each) => sum + each.places, 0);
        assert.ok(SHARE * taken <= POLICY.requests, "too many places are set aside");
      }
      aside.expired += [...old.values()].filter(({ until }) => until <= world.clock.now).length;
    }
  }

  /**
   * An admitted request had room, with all that was given back in the same commit counted as given back, and all that
   * other isolates have set aside counted as reserved, unless its own part was set aside.
   */
  function checkLimit(before: Books, after: Books): void {
    const sums = new Map<string, bigint>();
    for (const [day, { spent, reserved }] of before.days) sums.set(day, spent + reserved);
    const add = (day: string, amount: bigint) => sums.set(day, (sums.get(day) ?? 0n) + amount);
    for (const { requestId, accountId, day, amount } of before.open.values()) {
      if (!after.open.has(requestId)) add(`${accountId}/${day}`, -amount);
    }
    for (const [id, { accountId, day, cost }] of before.records) {
      // A settlement that came after the sweep corrects what that had charged.
      const correction = (after.records.get(id)?.cost ?? cost) - cost;
      if (correction < 0n) add(`${accountId}/${day}`, correction);
    }
    const isAside = new Map(asked.map(({ id, isSetAside }) => [id, isSetAside]));
    const left = new Map<string, bigint>();
    const opened = new Set<string>();
    for (const [id, { accountId, day, amount, batch }] of after.open) {
      if (before.open.has(id)) continue;
      const isolate = batch.replace(/-\d+$/, "");
      const own = before.rates.get(accountId)?.allowances
        ?.find((each) => each.isolate === isolate && each.day === day)?.amount ?? 0n;
      const ownKey = `${accountId}/${isolate}/${day}`;
      const ownLeft = left.get(ownKey) ?? own;
      let reserved = sums.get(`${accountId}/${day}`) ?? 0n;
      assert.ok(reserved < LIMIT, `${id} is above the limit`);
      if (isAside.get(id) && ownLeft >= amount) left.set(ownKey, ownLeft - amount);
      else {
        for (const each of allowancesOf(before, accountId).values()) {
          const counts = each.day === day && each.isolate !== isolate && !weather.jumps;
          if (counts) reserved += each.amount;
        }
        // A part that had expired may be set aside again by an earlier request of the same commit.
        const isAgain = isAside.get(id) && opened.has(ownKey);
        assert.ok(reserved < LIMIT || isAgain, `${id} uses what is set aside`);
      }
      opened.add(ownKey);
      add(`${accountId}/${day}`, amount);
    }
  }

  /** All accounts together never pass the service's limit, but for what requests cost beyond their reservations. */
  function checkService({ days, records }: Books): void {
    const sums = new Map<string, bigint>();
    const add = (day: string, amount: bigint) => sums.set(day, (sums.get(day) ?? 0n) + amount);
    for (const [key, { spent, reserved }] of days) add(key.split("/")[1] ?? "", spent + reserved);
    const amounts = new Map(asked.map(({ id, amount }) => [id, amount]));
    for (const [id, { day, cost }] of records) {
      const beyond = cost - (amounts.get(id) ?? 0n);
      if (beyond > 0n) add(day, -beyond);
    }
    for (const [day, sum] of sums) assert.ok(sum <= SERVICE_LIMIT, `${sum} on ${day}`);
  }

  /** A request of a capped key was admitted only below the cap, with all that was given back in the same commit. */
  function checkCaps(before: Books, after: Books): void {
    const sums = new Map<string, bigint>();
    for (const [cap, { spent, reserved }] of before.caps) sums.set(cap, spent + reserved);
    const capOf = ({ accountId, day, keyId }: Pick<Hold, "accountId" | "day" | "keyId">) =>
      `${accountId}/${day}/${keyId}`;
    for (const each of before.open.values()) {
      const cap = capOf(each);
      if (!after.open.has(each.requestId)) sums.set(cap, (sums.get(cap) ?? 0n) - each.amount);
    }
    for (const [id, each] of before.records) {
      const correction = (after.records.get(id)?.cost ?? each.cost) - each.cost;
      if (correction < 0n) sums.set(capOf(each), (sums.get(capOf(each)) ?? 0n) + correction);
    }
    for (const [id, each] of after.open) {
      if (before.open.has(id) || each.keyId !== CAPPED) continue;
      const reserved = sums.get(capOf(each)) ?? 0n;
      assert.ok(reserved < CAP, `${id} is above the cap of its key`);
      sums.set(capOf(each), reserved + each.amount);
    }
  }

  /** No request was admitted above the rate, and none is forgotten. */
  function checkRate(): void {
    for (const accountId of new Set(ACCOUNTS)) {
      const admitted = [...books.open.values(), ...books.records.values()]
        .filter((each) => each.accountId === accountId && each.at > world.clock.now - 60_000);
      assert.ok(admitted.length <= POLICY.requests, "above the rate");
      const window = books.rates.get(accountId);
      const left = window && rateStateAt(window, POLICY, world.clock.now).remaining;
      assert.ok((left ?? POLICY.requests) <= POLICY.requests - admitted.length, "not counted");
    }
  }

  async function fire(): Promise<void> {
    const [handle, wake] = random.pick([...world.timers]);
    world.timers.delete(handle);
    wake();
    await world.settle();
  }

  async function move(): Promise<void> {
    if (random.chance(weather.deaths)) bury(random.pick(isolates));
    const { clock } = world;
    clock.now += random.int(0, 299);
    // A step beyond the time of a reservation, except while results are merely late.
    const mayStep = weather.jumps || weather.faults === 0;
    if (mayStep && random.chance(0.03)) clock.now += random.pick([1_000, 15_000, 61_000]);
    if (weather.jumps && random.chance(0.05)) {
      clock.now += random.pick([25_000, -40_000, 86_400_000, -3_600_000]);
    }
    if (world.pending.length > 0 && random.chance(0.7)) await release(false);
    else if (world.timers.size > 0 && random.chance(0.5)) await fire();
    else {
      work();
      await world.settle();
    }
  }

  /** All work ends, open reservations are swept, and every request is accounted for. */
  async function end(): Promise<Record<string, number>> {
    await rest();
    const alive = (request: Asked) => request.isolate.isAlive;
    assert.deepEqual(asked.filter((one) => alive(one) && one.state === "asked"), [], "unanswered");
    world.clock.now += 10 * HOLD_SECONDS * 1_000 + 2 * 86_400_000;
    const janitor = world.start();
    let swept: number | null = null;
    void janitor.ledger.sweep().then((count) => swept = count);
    await rest();
    assert.notEqual(swept, null, "the sweep has ended");
    tally.swept += swept ?? 0;
    assert.deepEqual([...books.open.keys()], [], "nothing is reserved for ever");
    for (const request of asked) checkEnd(request);
    for (const accountId of ACCOUNTS) assert.equal(allowancesOf(books, accountId).size, 0);
    return { ...tally, ...aside };
  }

  async function rest(): Promise<void> {
    for (let turns = 0; world.pending.length + world.timers.size > 0; turns++) {
      assert.ok(turns < 3_000, "it comes to rest");
      if (world.pending.length > 0) await release(true);
      else await fire();
    }
    await check();
  }

  function checkEnd({ id, state, hold, costs, isUnknown, isSettled }: Asked): void {
    const record = books.records.get(id);
    if (state === "failed" && record !== undefined) {
      assert.equal(record.costFrom, "sweep", `${id} failed, and only a sweep may charge it`);
      const isCalm = weather.deaths === 0 && !weather.jumps;
      assert.ok(!isCalm, `${id} failed and is charged, although its isolate lived`);
    }
    if (state !== "admitted" || record === undefined || hold === null) return;
    const { amount } = hold;
    const gaveUp = world.logged.some(({ text }) => text.includes("the sweep will charge"));
    if (isSettled && !isUnknown && !gaveUp) {
      assert.equal(record.costFrom, "provider", `${id} was settled by what it cost`);
    }
    if (record.costFrom === "provider") assert.ok(costs.includes(record.cost), `${id}: its cost`);
    else assert.equal(record.cost, amount, `${id}: what was reserved`);
    if (record.costFrom === "reservation") assert.ok(isUnknown);
  }

  return { move, end };
}

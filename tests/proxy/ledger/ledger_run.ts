/** One run of the ledger's model: moves that a list of choices decides, and the promises checked after each commit. */

import assert from "node:assert/strict";
import { correctCharge, CorrectionError } from "../../../lib/proxy/ledger/correction.ts";
import { dayOf } from "../../../lib/platform/utc_days.ts";
import { MAX_LEAVING } from "../../../lib/proxy/ledger/internal/queue.ts";
import { rateStateAt } from "../../../lib/proxy/ledger/rate_window.ts";
import type { Reservation, UsageRecord } from "../../../lib/proxy/ledger/values.ts";
import type { Fate } from "../../support/faulty_kv.ts";
import { type Books, readBooks } from "../../support/ledger_books.ts";
import {
  createLedgerWorld,
  type Isolate,
  type LedgerWorld,
  POLICY,
  RESERVATION_SECONDS,
} from "./ledger_world.ts";

const DAY = 86_400_000;
const LIMIT = 2_000n;
/** The limit of each capped key. */
const CAP = 150n;
/** The limit of all accounts together, in some runs. */
const SERVICE_LIMIT = 2_300n;
/** The largest estimate, and what a request may cost beyond its own. */
const DEAREST = 1_500n;
const BEYOND = 300n;
const ACCOUNTS = ["acc_a", "acc_a", "acc_a", "acc_b"];
/** A self-hosted database takes no more checks in a commit. */
const MAX_CHECKS = 10;

/** The conditions of a run. */
export interface FaultProfile {
  readonly isolates: number;
  /** Percentage of database operations that do not simply work. */
  readonly faults: number;
  /** Percentage of moves that are the death of an isolate. */
  readonly deaths: number;
  /** Whether the clock may jump, also back. */
  readonly jumps: boolean;
  /** Whether the clock of the last isolate is two days ahead. */
  readonly isAhead: boolean;
  readonly isServiceLimited: boolean;
  /** How many keys have caps. */
  readonly caps: number;
}

/** A request, as its caller knows it. */
interface Asked {
  readonly id: string;
  readonly accountId: string;
  readonly isolate: Isolate;
  state: "asked" | "admitted" | "refused" | "failed";
  reservation: Reservation | null;
  /** Known costs of its settlements, and whether one had none. */
  readonly costs: bigint[];
  isUnknown: boolean;
  /** Whether a settlement with a known cost has resolved. */
  isSettled: boolean;
}

/** Makes a run and returns its events; throws if a promise is broken. */
export async function runLedger(
  kv: Deno.Kv,
  weather: FaultProfile,
  choices: readonly number[],
): Promise<Record<string, number>> {
  const world = await createLedgerWorld(kv, weather.isServiceLimited ? SERVICE_LIMIT : undefined);
  let at = 0;
  /** A choice from 0 to `count - 1`; the first one once the choices are used up. */
  const choose = (count: number) => (choices[at++] ?? 0) % count;
  const run = createRun(world, choose, weather);
  while (at < choices.length) await run.move();
  return await run.end();
}

function createRun(world: LedgerWorld, choose: (count: number) => number, weather: FaultProfile) {
  const pick = <T>(from: readonly T[]): T => {
    const found = from[choose(from.length)];
    assert.ok(found !== undefined);
    return found;
  };
  const chance = (percent: number) => choose(100) >= 100 - percent;
  const asked: Asked[] = [];
  const tally = {
    admitted: 0,
    rate: 0,
    account: 0,
    key: 0,
    service: 0,
    open: 0,
    failed: 0,
    swept: 0,
    corrected: 0,
    moved: 0,
    returned: 0,
    deaths: 0,
    lies: 0,
    shared: 0,
    booked: 0,
    unbooked: 0,
  };
  const start = (index: number) =>
    world.start(weather.isAhead && index === weather.isolates - 1 ? 2 * DAY : 0);
  let isolates = Array.from({ length: weather.isolates }, (_, index) => start(index));
  let books: Books = {
    values: new Map(),
    days: new Map(),
    open: new Map(),
    records: new Map(),
    caps: new Map(),
    service: new Map(),
  };

  function reserve(isolate: Isolate): void {
    const id = `r${String(asked.length).padStart(4, "0")}`;
    const accountId = pick(ACCOUNTS);
    const key = weather.caps > 0 && choose(2) === 0 ? choose(weather.caps) : null;
    const request: Asked = {
      id,
      accountId,
      isolate,
      state: "asked",
      reservation: null,
      costs: [],
      isUnknown: false,
      isSettled: false,
    };
    asked.push(request);
    isolate.ledger.reserve({
      requestId: id,
      accountId,
      keyId: key === null ? "key" : `cap${key}`,
      endpoint: pick(["search", "answer"]),
      model: null,
      amount: pick([0n, 10n, 100n, 400n, DEAREST]),
      limit: LIMIT,
      ...key !== null && { cap: { id: `cap${key}`, limitNanoUsd: CAP } },
    }).then((admission) => {
      tally[admission.admitted ? "admitted" : admission.reason]++;
      request.state = admission.admitted ? "admitted" : "refused";
      if (admission.admitted) request.reservation = admission.reservation;
    }, () => {
      request.state = "failed";
      tally.failed++;
    });
  }

  function settle(request: Asked, reservation: Reservation): void {
    const cost = pick([null, 0n, 7n, reservation.amount, reservation.amount + BEYOND]);
    if (cost === null) request.isUnknown = true;
    else request.costs.push(cost);
    const status = pick([200, 200, 500]);
    const times = chance(20) ? 2 : 1;
    for (let time = 0; time < times; time++) {
      void request.isolate.ledger.settle(reservation, { cost, status }).then(() => {
        if (cost !== null) request.isSettled = true;
      });
    }
  }

  /** An operator books something back, or adds it, on a day near today. */
  function correct(isolate: Isolate): void {
    const at = world.clock.now + isolate.ahead;
    const asked = {
      at,
      accountId: pick(ACCOUNTS),
      day: dayOf(at - pick([0, 1, 3]) * DAY),
      amount: pick([-400n, -7n, -1n, 5n, 300n]),
      reason: "a wrong charge",
    };
    const options = { hasOutbox: true, hasServiceLimit: world.serviceLimit !== undefined };
    const origin = { at, by: { command: "correct", user: null } };
    correctCharge(isolate.kv, asked, options, origin, world.startTimer).then(
      () => tally.booked++,
      (error) => {
        if (error instanceof CorrectionError) tally.unbooked++;
      },
    );
  }

  function work(): void {
    const isolate = pick(isolates);
    const mine = asked.filter((one) => one.reservation !== null && one.isolate === isolate);
    const what = choose(10);
    if (what < 4 || mine.length === 0) {
      for (let left = pick([1, 1, 2, 5, 15]); left > 0; left--) reserve(isolate);
    } else if (what < 8) {
      const request = pick(mine.slice(-6));
      if (request.reservation !== null) settle(request, request.reservation);
    } else if (what === 8) {
      const { reservation } = pick(mine.slice(-6));
      if (reservation !== null) void isolate.ledger.renew(reservation);
    } else if (chance(70)) isolate.ledger.sweep().catch(() => {});
    else if (chance(50)) correct(isolate);
    else isolate.ledger.status("acc_a", pick([1, 3])).catch(() => {});
  }

  function bury(isolate: Isolate): void {
    world.kill(isolate);
    tally.deaths++;
    isolates = isolates.map((one) => one === isolate ? world.start(one.ahead) : one);
  }

  /** Lets a database operation through, and checks what it left. */
  async function release(isFair: boolean): Promise<void> {
    const each = pick(world.pending);
    let fate: Fate = "work";
    if (!isFair && chance(weather.faults)) {
      const fates: Fate[] = ["refuse", "lose answer"];
      if (each.operation.kind === "commit") {
        fates.push("lose race", "deny", "lose answer", "deny", "come late", "come late");
      }
      if (weather.deaths > 0) fates.push("die before", "die after");
      fate = pick(fates);
      tally.lies++;
    }
    assert.ok(each.operation.checks <= MAX_CHECKS, `${each.operation.checks} checks`);
    await world.release(each, fate);
    if (fate.startsWith("die")) bury(each.isolate);
    if (each.operation.kind === "commit") await check();
  }

  async function check(): Promise<void> {
    const before = books;
    books = await readBooks(world.kv, "all");
    checkCorrections(before, books);
    checkLimits(before, books);
    checkMoves(before, books);
    checkService(books);
    for (const { id, state } of asked) {
      const isThere = books.open.has(id) || books.records.has(id);
      if (state === "admitted") assert.ok(isThere, `${id} was admitted and is lost`);
      if (state === "refused") assert.ok(!isThere, `${id} was refused and has left something`);
      const record = before.records.get(id);
      if (record === undefined) continue;
      assert.ok(books.records.has(id), `the record of ${id} is gone`);
      if (record.costFrom !== "sweep") assert.deepEqual(books.records.get(id), record);
      else if (books.records.get(id)?.costFrom === "provider") tally.corrected++;
    }
    for (const [id, { amount, deadline }] of before.open) {
      const open = books.open.get(id);
      if (open === undefined) {
        const isSwept = books.records.get(id)?.costFrom === "sweep";
        assert.ok(!isSwept || deadline <= latest() || weather.jumps, `${id} was swept too early`);
        continue;
      }
      assert.equal(open.amount, amount);
      assert.ok(open.deadline >= deadline || weather.jumps || weather.isAhead, "renewed backwards");
    }
    for (const [day, sums] of before.service) {
      const after = books.service.get(day);
      for (const name of ["used", "released"] as const) {
        assert.ok((after?.[name] ?? 0n) >= sums[name], `${name} of ${day} only grows`);
      }
    }
    if (!weather.jumps && !weather.isAhead) checkRate();
  }

  /** The service's sums are kept of each day on which an account has used something, if they limit anything. */
  function checkService({ days, service }: Books): void {
    if (world.serviceLimit === undefined) return assert.equal(service.size, 0);
    for (const name of days.keys()) {
      assert.ok(service.has(name.slice(-10)), `${name} counts towards the service's limit`);
    }
  }

  /** A correction lets no day's charges fall below zero, stays as it is, and is in the audit log. */
  function checkCorrections(before: Books, after: Books): void {
    for (const [id, record] of after.records) {
      if (record.costFrom !== "operator") continue;
      const was = before.records.get(id);
      if (was !== undefined) assert.deepEqual(record, was);
      else if (record.cost < 0n) {
        const { spent = 0n } = after.days.get(`${record.accountId}/${record.day}`) ?? {};
        assert.ok(spent >= 0n, `${id} has booked back more than was charged`);
      }
    }
  }

  /** The time of the clock that is ahead of the others. */
  const latest = () => world.clock.now + (weather.isAhead ? 2 * DAY : 0);

  /** Days leave a value, and come back for a clock that was behind. */
  function checkMoves(before: Books, after: Books): void {
    for (const [name] of before.days) {
      const [accountId = "", day = ""] = name.split("/");
      const was = before.values.get(accountId)?.days[day] !== undefined;
      const is = after.values.get(accountId)?.days[day] !== undefined;
      if (was && !is) tally.moved++;
      if (!was && is) tally.returned++;
      if (!was || is) continue;
      const yesterday = dayOf(latest() - DAY);
      assert.ok(day < yesterday || weather.jumps, `${day} is not older than yesterday`);
    }
  }

  /**
   * An admitted request found room, with all that was given back in the same commit counted as given back. If its
   * estimate did not fit, nothing else was reserved under the limit.
   */
  function checkLimits(before: Books, after: Books): void {
    const opened = [...after.open.values()].filter(({ requestId }) => !before.open.has(requestId));
    if (opened.length > 1) tally.shared++;
    /** By limit: spent and reserved, and reserved alone. */
    const used = new Map<string, { sum: bigint; reserved: bigint }>();
    const at = (name: string) => {
      const found = used.get(name) ?? { sum: 0n, reserved: 0n };
      used.set(name, found);
      return found;
    };
    for (const [name, { spent, reserved }] of before.days) {
      Object.assign(at(name), { sum: spent + reserved, reserved });
    }
    for (const [name, { spent, reserved }] of before.caps) {
      Object.assign(at(name), { sum: spent + reserved, reserved });
    }
    const limitsOf = (each: Pick<Reservation, "accountId" | "day" | "capId">) => [
      { name: `${each.accountId}/${each.day}`, limit: LIMIT },
      ...each.capId === undefined
        ? []
        : [{ name: `${each.accountId}/${each.day}/${each.capId}`, limit: CAP }],
    ];
    for (const each of before.open.values()) {
      if (after.open.has(each.requestId)) continue;
      for (const { name } of limitsOf(each)) {
        at(name).sum -= each.amount;
        at(name).reserved -= each.amount;
      }
    }
    for (const [id, { accountId, day, keyId, cost }] of before.records) {
      // A settlement that came after the sweep corrects what that had charged.
      const correction = (after.records.get(id)?.cost ?? cost) - cost;
      if (correction >= 0n) continue;
      for (const { name } of limitsOf({ accountId, day, capId: keyId })) {
        at(name).sum += correction;
      }
    }
    for (const [id, { accountId, day, cost, costFrom }] of after.records) {
      if (costFrom !== "operator" || cost > 0n || before.records.has(id)) continue;
      at(`${accountId}/${day}`).sum += cost;
    }
    // They were made in the order of their ids, unless some waited for the service's sums.
    const orders = world.serviceLimit === undefined ? [opened] : [
      opened,
      opened.toSorted((one, other) => Number(one.amount - other.amount)),
      opened.toSorted((one, other) => Number(other.amount - one.amount)),
    ];
    const found = orders.map((order) => findExcess(order, used, limitsOf));
    assert.ok(found.includes(null), String(found[0]));
    // What several isolates admit at the same instant may pass it, by their estimates.
    if (world.serviceLimit === undefined || weather.isolates > 1) return;
    if ([...after.records.values()].some(isDear)) return;
    for (const { requestId, day } of opened) {
      const { used = 0n, released = 0n } = after.service.get(day) ?? {};
      const most = world.serviceLimit + DEAREST;
      assert.ok(used - released < most, `${requestId} is above the service's limit`);
    }
  }

  /** The first reservation, in an order, for which there was no room; null if there was for all. */
  function findExcess(
    order: readonly Reservation[],
    before: ReadonlyMap<string, { readonly sum: bigint; readonly reserved: bigint }>,
    limitsOf: (each: Reservation) => { readonly name: string; readonly limit: bigint }[],
  ): string | null {
    const used = new Map(before);
    for (const each of order) {
      for (const { name, limit } of limitsOf(each)) {
        const { sum, reserved } = used.get(name) ?? { sum: 0n, reserved: 0n };
        if (sum >= limit) return `${each.requestId} is above the limit of ${name}`;
        if (sum + each.amount > limit && reserved > 0n) {
          return `${each.requestId} does not fit below the limit of ${name}`;
        }
        used.set(name, { sum: sum + each.amount, reserved: reserved + each.amount });
      }
    }
    return null;
  }

  /** Whether a request cost more than it had reserved. */
  const isDear = ({ costFrom, cost }: UsageRecord) =>
    costFrom === "operator" || costFrom === "provider" && cost >= BEYOND;

  /** No request was admitted above the rate, and none is forgotten. */
  function checkRate(): void {
    for (const accountId of new Set(ACCOUNTS)) {
      const requests = [...books.records.values()].filter(({ costFrom }) =>
        costFrom !== "operator"
      );
      const admitted = [...books.open.values(), ...requests]
        .filter((each) => each.accountId === accountId && each.at > world.clock.now - 60_000);
      assert.ok(admitted.length <= POLICY.requests, "above the rate");
      const window = books.values.get(accountId)?.rate;
      const left = window && rateStateAt(window, POLICY, world.clock.now).remaining;
      assert.ok((left ?? POLICY.requests) <= POLICY.requests - admitted.length, "not counted");
    }
  }

  async function fire(): Promise<void> {
    const [handle, wake] = pick([...world.timers]);
    world.timers.delete(handle);
    wake();
    await world.settle();
  }

  async function move(): Promise<void> {
    if (chance(weather.deaths)) bury(pick(isolates));
    const { clock } = world;
    // All of these together are shorter than the time of a reservation, which passes only by a step.
    clock.now += choose(40);
    // While results are merely late, it does not pass.
    const mayStep = weather.jumps || weather.faults === 0;
    if (mayStep && chance(4)) clock.now += pick([1_000, 15_000, 61_000]);
    if (weather.jumps && chance(6)) {
      clock.now += pick([25_000, -40_000, DAY, 2 * DAY, -3_600_000]);
    }
    if (world.pending.length > 0 && choose(10) < 7) await release(false);
    else if (world.timers.size > 0 && choose(2) === 0) await fire();
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
    world.clock.now += 10 * RESERVATION_SECONDS * 1_000 + 6 * DAY;
    const janitor = world.start();
    let swept: number | null = null;
    void janitor.ledger.sweep().then((count) => swept = count);
    await rest();
    assert.notEqual(swept, null, "the sweep has ended");
    tally.swept += swept ?? 0;
    assert.deepEqual([...books.open.keys()], [], "nothing is reserved for ever");
    for (const request of asked) checkEnd(request);
    for (const accountId of new Set(ACCOUNTS)) await checkLeaving(janitor, accountId);
    return tally;
  }

  /** Nothing is reserved, so each commit moves all days older than yesterday for whose entries it has checks. */
  async function checkLeaving(isolate: Isolate, accountId: string): Promise<void> {
    const yesterday = dayOf(world.clock.now - DAY);
    const countOld = () =>
      Object.keys(books.values.get(accountId)?.days ?? {}).filter((day) => day < yesterday).length;
    for (let left = countOld(), time = 0; time === 0 || left > 0; time++) {
      void reserveLast(isolate, accountId, `z${time}`);
      await rest();
      assert.equal(countOld(), Math.max(0, left - MAX_LEAVING), "old days leave the value");
      left = countOld();
    }
  }

  async function reserveLast({ ledger }: Isolate, accountId: string, name: string): Promise<void> {
    const request = { accountId, keyId: "key", endpoint: "search", model: null, limit: LIMIT };
    const admission = await ledger.reserve({
      ...request,
      requestId: `${name}${accountId}`,
      amount: 1n,
    });
    assert.ok(admission.admitted, "another day begins with the whole limit");
  }

  async function rest(): Promise<void> {
    await world.settle();
    for (let turns = 0; world.pending.length + world.timers.size > 0; turns++) {
      assert.ok(turns < 5_000, "it comes to rest");
      if (world.pending.length > 0) await release(true);
      else await fire();
    }
    await check();
  }

  function checkEnd({ id, state, reservation, costs, isUnknown, isSettled }: Asked): void {
    const record = books.records.get(id);
    if (state === "failed" && record !== undefined && record.cost > 0n) {
      assert.equal(record.costFrom, "sweep", `${id} failed, and only a sweep may charge it`);
      const isCalm = weather.deaths === 0 && !weather.jumps && !weather.isAhead;
      assert.ok(!isCalm, `${id} failed and is charged, although its isolate lived`);
    }
    if (state !== "admitted" || reservation === null) return;
    assert.ok(record !== undefined, `${id} was admitted, and nothing is charged`);
    const gaveUp = world.logged.some(({ text }) => text.includes("the sweep will charge"));
    if (isSettled && !isUnknown && !gaveUp) {
      assert.equal(record.costFrom, "provider", `${id} was settled by what it cost`);
    }
    if (record.costFrom === "provider") assert.ok(costs.includes(record.cost), `${id}: its cost`);
    else assert.equal(record.cost, reservation.amount, `${id}: what was reserved`);
    if (record.costFrom === "reservation") assert.ok(isUnknown);
  }

  return { move, end };
}

/** The ledger's books, read directly from the database, and their invariants. */

import assert from "node:assert/strict";
import {
  type CapDay,
  type DayBook,
  type Hold,
  outboxKey,
  type Rate,
  type Reservation,
  type UsageRecord,
} from "../../lib/proxy/ledger/books.ts";

/** All values of the ledger in the database. */
export interface Books {
  /** By account and day, `acc/2026-11-21`. */
  readonly days: ReadonlyMap<string, DayBook>;
  readonly open: ReadonlyMap<string, Hold>;
  readonly records: ReadonlyMap<string, UsageRecord>;
  /** Windows, with the amounts that isolates have set aside. */
  readonly rates: ReadonlyMap<string, Rate>;
  /** Caps of keys, by account, day and key. */
  readonly caps: ReadonlyMap<string, CapDay>;
}

/**
 * Reads the books and checks that they are in order: every day's sums are those of its usage records
 * and of its open reservations, and no request is there twice.
 *
 * @param isDelivering whether records were delivered to the analytics store meanwhile, so that the outbox lacks some.
 */
export async function readBooks(kv: Deno.Kv, isDelivering = false): Promise<Books> {
  const days = new Map<string, DayBook>();
  const open = new Map<string, Hold>();
  const records = new Map<string, UsageRecord>();
  const rates = new Map<string, Rate>();
  const caps = new Map<string, CapDay>();
  const service = new Map<string, bigint>();
  const [pages, outbox] = [new Set<string>(), new Set<string>()];
  // Each prefix holds values of one kind, which only the ledger writes. So the casts are safe.
  for await (const { key, value } of kv.list({ prefix: [] })) {
    const [kind, accountId, day, page] = key.map(String);
    if (kind === "spend") days.set(`${accountId}/${day}`, value as DayBook);
    if (kind === "spend_of_key") caps.set(`${accountId}/${day}/${page}`, value as CapDay);
    if (kind === "service_spend") {
      const sum = (service.get(String(accountId)) ?? 0n) + (value as Deno.KvU64).value;
      service.set(String(accountId), BigInt.asIntN(64, sum));
    }
    if (kind === "rate") rates.set(String(accountId), value as Rate);
    if (kind === "outbox") outbox.add(key.join("/"));
    if (kind === "reservations") {
      assert.notDeepEqual(value, [], "no empty pages");
      for (const each of value as Reservation[]) {
        assert.ok(!open.has(each.requestId), `${each.requestId} is reserved twice`);
        open.set(each.requestId, { ...each, batch: String(day) });
      }
    }
    if (kind === "usage") {
      pages.add(outboxKey(String(page)).join("/"));
      for (const each of value as UsageRecord[]) {
        assert.ok(!records.has(each.requestId), `${each.requestId} is charged twice`);
        assert.equal(`${each.accountId}/${each.day}`, `${accountId}/${day}`);
        records.set(each.requestId, each);
      }
    }
  }
  assert.deepEqual(
    isDelivering ? outbox.difference(pages) : outbox.symmetricDifference(pages),
    new Set(),
    "every page of usage is on its way to the analytics store",
  );
  for (const id of open.keys()) assert.ok(!records.has(id), `${id} is both reserved and charged`);
  assert.deepEqual(spokenOf(sumsOf(open.values(), records.values())), spokenOf(days));
  assertCaps(caps, open.values(), records.values());
  assertService(service, days);
  return { days, open, records, rates, caps };
}

/** The service's sum of a day equals that of all accounts. */
function assertService(
  service: ReadonlyMap<string, bigint>,
  days: ReadonlyMap<string, DayBook>,
): void {
  const sums = new Map<string, bigint>();
  for (const [key, { spent, reserved }] of days) {
    const day = key.split("/")[1] ?? "";
    sums.set(day, (sums.get(day) ?? 0n) + spent + reserved);
  }
  const spoken = (of: ReadonlyMap<string, bigint>) =>
    new Map([...of].filter(([, sum]) => sum !== 0n));
  assert.deepEqual(spoken(service), spoken(sums));
}

/** A cap has the sums of its key's records and reservations, in tests in which no key replaces another. */
function assertCaps(
  caps: ReadonlyMap<string, CapDay>,
  open: Iterable<Reservation>,
  records: Iterable<UsageRecord>,
): void {
  const sums = new Map([...caps.keys()].map((cap) => [cap, { spent: 0n, reserved: 0n }]));
  const sumOf = ({ accountId, day, keyId }: Reservation | UsageRecord) =>
    sums.get(`${accountId}/${day}/${keyId}`) ?? { spent: 0n, reserved: 0n };
  for (const each of open) sumOf(each).reserved += each.amount;
  for (const each of records) sumOf(each).spent += each.cost;
  assert.deepEqual(sums, new Map(caps));
}

/** The days' sums by the records and reservations. */
function sumsOf(open: Iterable<Reservation>, records: Iterable<UsageRecord>) {
  const days = new Map<string, Omit<DayBook, "byEndpoint"> & { byEndpoint: Sums }>();
  const dayOf = ({ accountId, day }: Reservation | UsageRecord) => {
    const found = days.get(`${accountId}/${day}`) ??
      { spent: 0n, reserved: 0n, requests: 0, byEndpoint: {} };
    days.set(`${accountId}/${day}`, found);
    return found;
  };
  for (const each of open) {
    Object.assign(dayOf(each), { reserved: dayOf(each).reserved + each.amount });
  }
  for (const each of records) {
    const { spent, requests, byEndpoint } = dayOf(each);
    const { requests: count, spent: part } = byEndpoint[each.endpoint] ??
      { requests: 0, spent: 0n };
    Object.assign(dayOf(each), { spent: spent + each.cost, requests: requests + 1 });
    byEndpoint[each.endpoint] = { requests: count + 1, spent: part + each.cost };
  }
  return days;
}

type Sums = Record<string, { requests: number; spent: bigint }>;

/** The days that are not empty, without the fields that no usage record determines. */
function spokenOf(days: ReadonlyMap<string, DayBook>): Map<string, DayBook> {
  return new Map(
    [...days].filter(([, { reserved, requests }]) => reserved !== 0n || requests > 0)
      .map(([day, { suspectCosts: _suspectCosts, ...sums }]) => [day, sums]),
  );
}

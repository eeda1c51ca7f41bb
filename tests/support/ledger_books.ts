/** The ledger's books, read directly from the database, and their invariants. */

import assert from "node:assert/strict";
import {
  type CapDay,
  type DaySums,
  ledgerKey,
  type LedgerValue,
  outboxKey,
  type Reservation,
  type SERVICE_SUMS,
  usageKey,
  type UsageRecord,
} from "../../lib/proxy/ledger/values.ts";

type ServiceSums = Readonly<Record<(typeof SERVICE_SUMS)[number], bigint>>;

/** All values of the ledger in the database. */
export interface Books {
  /** By account. */
  readonly values: ReadonlyMap<string, LedgerValue>;
  /** By account and day, `acc/2026-11-21`, in the account's value or not. */
  readonly days: ReadonlyMap<string, DaySums>;
  readonly open: ReadonlyMap<string, Reservation>;
  readonly records: ReadonlyMap<string, UsageRecord>;
  /** Caps of keys, by account, day and cap. */
  readonly caps: ReadonlyMap<string, CapDay>;
  /** By day. */
  readonly service: ReadonlyMap<string, ServiceSums>;
}

/**
 * Reads the books and checks that they are in order: every day's sums are those of its usage records
 * and of its open reservations, and no request is there twice.
 *
 * @param outbox what the outbox holds: every record, none, or some because records were delivered meanwhile.
 */
export async function readBooks(
  kv: Deno.Kv,
  outbox: "all" | "none" | "some" = "none",
): Promise<Books> {
  const values = new Map<string, LedgerValue>();
  const entries = new Map<string, Partial<DaySums>>();
  const open = new Map<string, Reservation>();
  const records = new Map<string, UsageRecord>();
  const caps = new Map<string, CapDay>();
  const service = new Map<string, ServiceSums>();
  const [marked, unmarked] = [new Set<string>(), new Set<string>()];
  // Each prefix holds values of one kind, which only the ledger writes. So the casts are safe.
  for await (const { key, value } of kv.list({ prefix: [] })) {
    const [kind, second, third] = key.map(String);
    if (kind === "ledger") values.set(String(second), value as LedgerValue);
    if (kind === "day") entries.set(`${third}/${second}`, value as Partial<DaySums>);
    if (kind === "service") {
      const before = service.get(String(second)) ?? { used: 0n, released: 0n };
      service.set(String(second), { ...before, [String(third)]: (value as Deno.KvU64).value });
    }
    if (kind === "outbox") marked.add(`${key.join("/")} ${(value as Deno.KvKey).join("/")}`);
    if (kind === "reservation") {
      const each = value as Reservation;
      assert.deepEqual(key, ["reservation", each.accountId, each.requestId]);
      open.set(each.requestId, each);
    }
    if (kind === "usage") {
      const each = value as UsageRecord;
      assert.ok(!records.has(each.requestId), `${each.requestId} is charged twice`);
      assert.deepEqual(key, usageKey(each));
      records.set(each.requestId, each);
      unmarked.add(`${outboxKey(each.requestId).join("/")} ${key.join("/")}`);
    }
  }
  if (outbox === "none") assert.deepEqual(marked, new Set());
  else if (outbox === "all") assert.deepEqual(marked, unmarked, "records on their way");
  else assert.deepEqual(marked.difference(unmarked), new Set());
  for (const id of open.keys()) assert.ok(!records.has(id), `${id} is both reserved and charged`);
  const days = joinDays(values, entries);
  assert.deepEqual(spokenOf(sumsOf(open.values(), records.values())), spokenOf(days));
  for (const [name, sums] of days) {
    for (const [id, cap] of Object.entries(sums.caps ?? {})) caps.set(`${name}/${id}`, cap);
  }
  assertCaps(caps, open.values(), records.values());
  assertService(service, days);
  return { values, days, open, records, caps, service };
}

/** The days of all accounts: each is in its account's value, or in an entry of its own. */
function joinDays(
  values: ReadonlyMap<string, LedgerValue>,
  entries: ReadonlyMap<string, Partial<DaySums>>,
): Map<string, DaySums> {
  const days = new Map<string, DaySums>();
  for (const [accountId, { rate, days: held }] of values) {
    assert.ok(rate.length <= 2 * 120, `${ledgerKey(accountId)}: the window is small`);
    for (const [day, sums] of Object.entries(held)) {
      const name = `${accountId}/${day}`;
      assert.deepEqual(entries.get(name), {}, `${name} is in the value, so its entry is empty`);
      days.set(name, sums);
    }
  }
  for (const [name, sums] of entries) {
    if (days.has(name)) continue;
    assert.notDeepEqual(sums, {}, `${name} is in no value, so its entry has the sums`);
    assert.equal(sums.reserved, 0n, `${name} has left the value, so nothing is reserved in it`);
    days.set(name, sums as DaySums);
  }
  return days;
}

/** The service's sum of a day that it has equals that of all accounts. */
function assertService(
  service: ReadonlyMap<string, ServiceSums>,
  days: ReadonlyMap<string, DaySums>,
): void {
  for (const [day, { used, released }] of service) {
    const own = [...days].filter(([name]) => name.endsWith(`/${day}`));
    const sum = own.reduce((sum, [, { spent, reserved }]) => sum + spent + reserved, 0n);
    assert.equal(used - released, sum, `the service's sums of ${day}`);
  }
}

/** A cap has the sums of its key's records and reservations, in tests in which no key replaces another. */
function assertCaps(
  caps: ReadonlyMap<string, CapDay>,
  open: Iterable<Reservation>,
  records: Iterable<UsageRecord>,
): void {
  const none = { spent: 0n, reserved: 0n };
  const sums = new Map([...caps.keys()].map((cap) => [cap, { ...none }]));
  const sumOf = ({ accountId, day, keyId }: Reservation | UsageRecord) =>
    sums.get(`${accountId}/${day}/${keyId}`) ?? { ...none };
  for (const each of open) sumOf(each).reserved += each.amount;
  for (const each of records) sumOf(each).spent += each.cost;
  assert.deepEqual(sums, new Map(caps), "the caps' sums");
}

/** The days' sums by the records and reservations. */
function sumsOf(open: Iterable<Reservation>, records: Iterable<UsageRecord>) {
  const days = new Map<string, DaySums>();
  const nameOf = ({ accountId, day }: Reservation | UsageRecord) => `${accountId}/${day}`;
  const get = (each: Reservation | UsageRecord): DaySums =>
    days.get(nameOf(each)) ?? { spent: 0n, reserved: 0n, requests: 0, byEndpoint: {}, byKey: {} };
  for (const each of open) {
    const sums = get(each);
    days.set(nameOf(each), { ...sums, reserved: sums.reserved + each.amount });
  }
  for (const each of records) {
    const { endpoint, keyId, cost, status, costFrom } = each;
    const requests = costFrom === "operator" ? 0 : 1;
    const sums = get(each);
    const failures = status === null || status >= 400 ? requests : 0;
    const plus = (before = { requests: 0, failures: 0, spent: 0n }) => ({
      requests: before.requests + requests,
      failures: before.failures + failures,
      spent: before.spent + cost,
    });
    const { byEndpoint, byKey = {} } = sums;
    days.set(nameOf(each), {
      ...sums,
      spent: sums.spent + cost,
      requests: sums.requests + requests,
      byEndpoint: { ...byEndpoint, [endpoint]: plus(byEndpoint[endpoint]) },
      byKey: { ...byKey, [keyId]: plus(byKey[keyId]) },
    });
  }
  return days;
}

/** The days that are not empty, without the fields that no usage record determines. */
function spokenOf(days: ReadonlyMap<string, DaySums>): Map<string, DaySums> {
  return new Map(
    [...days].filter(([, { reserved, byEndpoint }]) =>
      reserved !== 0n || Object.keys(byEndpoint).length > 0
    )
      .map((
        [day, { suspectCosts: _suspectCosts, caps: _caps, byKey = {}, ...sums }],
      ) => [day, { ...sums, byKey }]),
  );
}

/** A remote database: reads, writes, and commits whose response is lost. */
// Not quick: a remote database that fails, and its retries.

import assert from "node:assert/strict";
import { createAccount, listAccounts } from "../../../lib/accounts/account.ts";
import { createKey, listKeys, rotateKey } from "../../../lib/accounts/key.ts";
import { createHistoryWriter, readHistory } from "../../../lib/operate/health/history.ts";
import {
  getBlobPointer,
  type PointerSwitch,
  readBlob,
  writeBlob,
} from "../../../lib/platform/kv/blob.ts";
import { takeLease } from "../../../lib/platform/kv/lease.ts";
import { listEntries } from "../../../lib/platform/kv/list.ts";
import { limitKv, openKv } from "../../../lib/platform/kv/open.ts";
import { createOutbox, readBacklog } from "../../../lib/proxy/records/outbox.ts";
import { countInserted, createStandIn } from "../../proxy/records/clickhouse.ts";
import { openLedger } from "../../support/accounts.ts";
import { startKvConnect, type Treatment } from "../../support/kv_connect.ts";
import { readBooks } from "../../support/ledger_books.ts";
import { madeBy } from "../../support/made_by.ts";

const TODAY = "2026-11-21";
const NOON = Date.parse("2026-11-21T12:00:00Z");
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

function request(requestId: string) {
  const request = { requestId, accountId: "acc_a", keyId: "key", endpoint: "search", model: null };
  return { ...request, amount: 100n, limit: 1_000_000n };
}

Deno.test("a database afar keeps every kind of value, in the order of the keys, page by page", async () => {
  await using server = startKvConnect();
  using kv = await openKv(server.env.KV_PATH);
  const values = [1, 10n ** 15n, "ä", null, true, { list: [1n, undefined] }, new Uint8Array(3)];
  for (const [index, value] of values.entries()) await kv.set(["jobs", index], value);
  const found = await Array.fromAsync(listEntries(kv, ["jobs"]));
  assert.deepEqual(found.map(({ value }) => value), values);

  for (const index of range(250)) await kv.set(["lease", `${index}`.padStart(3, "0")], index);
  await kv.delete(["lease", "100"]);
  const pages = await Array.fromAsync(listEntries<number>(kv, ["lease"]));
  assert.deepEqual(pages.map(({ value }) => value), range(250).filter((index) => index !== 100));

  const key = ["jobs", 0];
  const { versionstamp } = await kv.get(key);
  assert.ok((await kv.atomic().check({ key, versionstamp }).set(key, 2).commit()).ok);
  assert.ok(!(await kv.atomic().check({ key, versionstamp }).set(key, 3).commit()).ok);
  assert.ok(!(await kv.atomic().check({ key, versionstamp: null }).set(key, 3).commit()).ok);
  assert.equal((await kv.get(key)).value, 2);
});

async function replaceBlob(kv: Deno.Kv, fill: number, change: PointerSwitch<number>) {
  const bytes = new Uint8Array(100).fill(fill);
  const written = await writeBlob(kv, "models", bytes, change);
  assert.ok(written?.pointer);
  assert.deepEqual(written, await getBlobPointer(kv, "models"));
  assert.deepEqual(await readBlob(kv, "models", written.pointer), bytes);
}

for (const treatment of ["drop before", "drop after"] satisfies Treatment[]) {
  Deno.test(`a value that is created once exists once, and its creator knows it (${treatment})`, async () => {
    await using server = startKvConnect();
    using kv = await openKv(server.env.KV_PATH);
    let commits = 0;
    let faulty = 0;
    server.judge = ({ method }) =>
      method === "atomic_write" && ++commits === faulty ? treatment : "answer";
    /** One future commit fails: the next one by default. */
    const fail = (nth = 1) => void (faulty = commits + nth);

    fail();
    const asked = { name: "bot", limitNanoUsd: null, verified: true };
    const account = await createAccount(kv, asked, madeBy(NOON));
    assert.deepEqual(await Array.fromAsync(listAccounts(kv)), [account]);

    fail();
    const askedKey = { accountId: account.id, label: null, expiresAt: null };
    const { key } = await createKey(kv, askedKey, madeBy(NOON));
    assert.deepEqual(await listKeys(kv, account.id), [key]);
    fail();
    const rotation = await rotateKey(kv, key.id, { overlapMilliseconds: 0 }, madeBy(NOON));
    assert.ok(rotation.kind === "rotated");
    const both = new Set([rotation.key, rotation.replaced]);
    assert.deepEqual(new Set(await listKeys(kv, account.id)), both);

    fail();
    const lease = await takeLease(kv, "work", 60_000, NOON);
    assert.ok(lease, "no other process holds it");
    // The chunks, and the pointer.
    for (const nth of [1, 2]) {
      const replaces = await getBlobPointer<number>(kv, "models");
      fail(nth);
      await replaceBlob(kv, nth, { replaces, meta: nth, guard: lease.guard });
    }

    fail();
    const isUp = { database: true, analytics: true, router: true, ocr: true, websearch: true };
    await createHistoryWriter({ kv, log: console })({ at: NOON, isUp });
    assert.equal((await readHistory(kv, NOON)).get(TODAY)?.router?.runs, 1);
  });
}

Deno.test("a reservation that a silent database makes after it was refused is not made", async () => {
  await using server = startKvConnect();
  using kv = await openKv(server.env.KV_PATH);
  using impatient = limitKv(await openKv(server.env.KV_PATH), 100);
  const gate = Promise.withResolvers<Treatment>();
  let commits = 0;
  server.judge = ({ method }) =>
    method === "atomic_write" && ++commits === 1 ? gate.promise : "answer";
  const ledger = openLedger(impatient, Date.now);
  await assert.rejects(ledger.reserve(request("late")), /has not answered for 0.1 s/);
  await ledger.flush();
  gate.resolve("answer");
  // It reaches the database before the next requests.
  const admission = await openLedger(kv, Date.now).reserve(request("next"));
  assert.ok(admission.admitted);
  const { open } = await readBooks(kv);
  assert.deepEqual([...open.keys()], ["next"]);
});

Deno.test("where a commit may check ten keys only, every booking and every delivery fits", async () => {
  await using server = startKvConnect();
  using kv = await openKv(server.env.KV_PATH);
  const ledgers = [1, 2].map(() => openLedger(kv, Date.now, { hasOutbox: true }));
  const settled = range(60).map(async (index) => {
    const ledger = ledgers[index % 2];
    const keyId = `key${index}`;
    const cap = { id: keyId, limitNanoUsd: 1_000n };
    const admission = await ledger?.reserve({ ...request(`r${index}`), keyId, cap });
    assert.ok(admission?.admitted);
    await ledger?.settle(admission.reservation, { cost: 70n, status: 200 });
  });
  await Promise.all(settled);
  const { records, open } = await readBooks(kv, "all");
  assert.deepEqual([records.size, open.size], [60, 0]);
  const { standIn, clickHouse } = createStandIn();
  const outbox = createOutbox({ kv, clickHouse, now: Date.now, log: console });
  assert.equal(await outbox.deliver(), 60);
  assert.equal(await readBacklog(kv), 0);
  assert.deepEqual(countInserted(standIn), [60, 4_200n]);
  assert.equal(server.refused, 0);
});

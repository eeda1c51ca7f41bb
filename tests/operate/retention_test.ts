/** How long records are kept, and proof that no clock removes one early. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { createEmbeddedStore } from "../../lib/proxy/records/embedded.ts";
import { dayOf } from "../../lib/proxy/ledger/books.ts";
import { listJobs } from "../../lib/operate/jobs.ts";
import { firstDayOf } from "../../lib/platform/kv/days_seen.ts";
import { type Foyer, NOON, startFoyer } from "../support/foyer.ts";
import { readBooks } from "../support/ledger_books.ts";

const DAY = 86_400_000;
const YEAR = 366 * DAY;
const TODAY = "2026-11-21";

async function search(foyer: Foyer, key: string): Promise<void> {
  const answer = await foyer.post("/proxy/v1/websearch/search", key, { query: "anything" });
  assert.equal(answer.status, 200, await answer.text());
  await foyer.services.ledger.flush();
}

/** The number of values below each prefix. */
async function count({ kv }: Foyer, ...prefixes: Deno.KvKey[]): Promise<number[]> {
  const entries = prefixes.map((prefix) => Array.fromAsync(kv.list({ prefix })));
  return (await Promise.all(entries)).map(({ length }) => length);
}

/** Advances the clock by days, and runs the job that removes old values on each. */
async function pass(foyer: Foyer, days: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    foyer.clock.now += DAY;
    await foyer.services.removeOldRecords();
  }
}

Deno.test("a database removes nothing that is needed for a process whose clock is a century ahead", async () => {
  const folder = await Deno.makeTempDir();
  const kvPath = join(folder, "kv.sqlite3");
  try {
    await using foyer = await startFoyer({ kvPath, now: Date.now() });
    const { services, kv } = foyer;
    const { key, accountId } = await foyer.createMember();
    await search(foyer, key);
    await services.outbox.flush();
    await search(foyer, key);
    await foyer.services.health.record();
    const today = dayOf(foyer.clock.now);
    const before = await readBooks(kv, true);

    // As Deno itself does, by the clock of its host.
    const file = new DatabaseSync(kvPath);
    const ahead = Date.now() + 100 * YEAR;
    file.prepare("DELETE FROM kv WHERE expiration_ms >= 0 AND expiration_ms <= ?").run(ahead);
    file.close();

    const after = await readBooks(kv, true);
    assert.deepEqual(after.days, before.days);
    assert.deepEqual(after.records, before.records);
    assert.equal(await services.outbox.flush(), 1, "what was not delivered still is");
    const question = { from: today, to: today, accountId, by: "endpoint" } as const;
    const { total } = await createEmbeddedStore(kv).query(question);
    assert.deepEqual([total.requests, total.cost], [2, 14_000_000n]);
    assert.deepEqual(await count(foyer, ["health_day"], ["analytics", "pages"]), [1, 2]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the record of changes is kept for 400 days on which the service ran", async () => {
  await using foyer = await startFoyer();
  const { accountId } = await foyer.createMember();
  await foyer.services.removeOldRecords();
  const kept = () => count(foyer, ["change", accountId], ["account"]);
  foyer.clock.now += 10 * YEAR;
  await pass(foyer, 399);
  assert.deepEqual(await kept(), [2, 1]);
  await pass(foyer, 1);
  assert.deepEqual(await kept(), [0, 1]);
});

Deno.test("usage is kept for 100 days and until it is delivered, notes of it for 200, day books for 400", async () => {
  await using foyer = await startFoyer();
  const { services, kv } = foyer;
  const { key, accountId } = await foyer.createMember();
  await services.health.record();
  await search(foyer, key);
  await services.outbox.flush();
  await search(foyer, key);
  await services.removeOldRecords();
  const usage = ["usage", accountId, TODAY];
  const notes = ["analytics", "pages", TODAY];
  const kept = () => count(foyer, ["health_day"], usage, notes, ["spend", accountId]);

  await pass(foyer, 89);
  assert.deepEqual(await kept(), [1, 2, 1, 1]);
  await pass(foyer, 1);
  assert.deepEqual(await kept(), [0, 2, 1, 1]);
  await pass(foyer, 9);
  assert.deepEqual(await kept(), [0, 2, 1, 1]);
  await pass(foyer, 1);
  assert.deepEqual(await kept(), [0, 1, 1, 1], "the page that waits for its delivery stays");
  await pass(foyer, 99);
  await services.outbox.flush();
  assert.deepEqual(await kept(), [0, 1, 2, 1]);
  await pass(foyer, 1);
  assert.deepEqual(await kept(), [0, 0, 0, 1]);
  await pass(foyer, 199);
  assert.deepEqual(await kept(), [0, 0, 0, 1]);
  await pass(foyer, 1);
  assert.deepEqual(await kept(), [0, 0, 0, 0]);
  const question = { from: TODAY, to: TODAY, accountId, by: "endpoint" } as const;
  assert.equal((await createEmbeddedStore(kv).query(question)).total.requests, 2);
});

Deno.test("a page that was set aside stays, however old, until it has been taken back and delivered", async () => {
  await using foyer = await startFoyer();
  const { services, kv } = foyer;
  const { key } = await foyer.createMember();
  await search(foyer, key);
  const [marker] = await Array.fromAsync(kv.list({ prefix: ["outbox"] }));
  assert.ok(marker);
  await kv.delete(marker.key);
  const aside = ["analytics", "aside", String(marker.key.at(-1))];
  await kv.set(aside, { value: marker.value, reason: "for the test" });
  await pass(foyer, 150);
  assert.deepEqual(await count(foyer, ["usage"]), [1]);
  assert.equal(await services.outbox.flush({ includeSetAside: true }), 1);
  await pass(foyer, 1);
  assert.deepEqual(await count(foyer, ["usage"]), [0]);
});

Deno.test("a clock that is years ahead for a while, and back again, removes nothing early", async () => {
  await using foyer = await startFoyer();
  const { services, clock } = foyer;
  await pass(foyer, 420);
  const { key, accountId } = await foyer.createMember();
  await search(foyer, key);
  await services.outbox.flush();
  const kept = () => count(foyer, ["usage", accountId], ["spend", accountId]);
  for (const years of [1, 10, 50]) {
    clock.now += years * YEAR;
    await services.removeOldRecords();
    clock.now -= years * YEAR;
    await services.removeOldRecords();
  }
  assert.deepEqual(await kept(), [1, 1]);
  // It is removed in the end: three days early, because three days never happened.
  await pass(foyer, 96);
  assert.deepEqual(await kept(), [1, 1]);
  await pass(foyer, 1);
  assert.deepEqual(await kept(), [0, 1]);
});

Deno.test("however days are seen, none among them is removed sooner than the false ones among them allow", () => {
  const anyDays = fc.array(
    fc.oneof(
      { weight: 9, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.integer({ min: -20_000, max: 20_000 }) },
    ),
    { maxLength: 200 },
  );
  fc.assert(fc.property(anyDays, fc.integer({ min: 1, max: 60 }), (days, length) => {
    let today = NOON;
    const seen: string[] = [];
    let wrong = 0;
    for (const jump of days) {
      if (jump === null) today += DAY;
      const day = dayOf(jump === null ? today : today + jump * DAY);
      if (seen.includes(day)) continue;
      seen.push(day);
      if (jump !== null) wrong++;
    }
    const first = firstDayOf(seen, length);
    if (first === null) assert.ok(seen.length < length);
    else if (wrong < length) assert.ok(first <= dayOf(today - (length - 1 - wrong) * DAY));
  }));
});

Deno.test("the job removes once a day, and leaves days and accounts of a newer version as they are", async () => {
  await using foyer = await startFoyer();
  const { kv, services } = foyer;
  const { accountId } = await foyer.createMember();
  const job = listJobs(services).find(({ name }) => name === "remove old records");
  await pass(foyer, 400);
  const [old, newer] = ["2020-01-01", "2020-01-02"].map((day) => ["spend", accountId, day]);
  assert.ok(old && newer && job);
  await kv.set(old, { spent: 1n });
  await kv.set(newer, { format: 2 });
  // Before any other account in the list.
  await kv.set(["account", "acc_000000000000"], { format: 2 });
  await kv.set(["spend", "acc_000000000000", "2020-01-01"], { spent: 1n });
  await job.run();
  assert.deepEqual(await count(foyer, ["spend", accountId]), [2]);
  foyer.clock.now += DAY;
  await job.run();
  assert.deepEqual(await count(foyer, ["spend", accountId]), [1]);
  assert.equal((await kv.get(newer)).versionstamp !== null, true);
  assert.deepEqual(await count(foyer, ["spend", "acc_000000000000"]), [1]);
});

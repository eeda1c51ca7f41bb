/** How long records are kept, and proof that no clock removes much too early. */

import assert from "node:assert/strict";
import { madeBy } from "../support/made_by.ts";
import { dayOf } from "../../lib/platform/utc_days.ts";
import { createKey } from "../../lib/accounts/key.ts";
import { removeOldRecords } from "../../lib/operate/retention.ts";
import { type Foyer, startFoyer } from "../support/foyer.ts";
import { readBooks } from "../support/ledger_books.ts";

const DAY = 86_400_000;

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
    await removeOldRecords(foyer.services);
  }
}

/** A member with a capped key that has searched once. */
async function searched(foyer: Foyer) {
  const { accountId } = await foyer.createMember();
  const asked = { accountId, label: null, expiresAt: null, cap: 10n ** 9n };
  const { text } = await createKey(foyer.kv, asked, madeBy(foyer.clock.now));
  await search(foyer, text);
  return { accountId, key: text };
}

Deno.test("the audit log and the sums of days and of caps are kept for 400 days, and accounts for ever", async () => {
  await using foyer = await startFoyer();
  const today = dayOf(foyer.clock.now);
  await removeOldRecords(foyer.services);
  const { accountId, key } = await searched(foyer);
  // A later request moves the day out of the account's value.
  foyer.clock.now += 3 * DAY;
  await search(foyer, key);
  foyer.clock.now -= 3 * DAY;
  await readBooks(foyer.kv);
  const sums = [["day", today]];
  const kept = () => count(foyer, ["change", accountId], ...sums, ["ledger"], ["account"]);
  await pass(foyer, 400);
  assert.deepEqual(await kept(), [3, 1, 1, 1]);
  await pass(foyer, 1);
  assert.deepEqual(await kept(), [0, 0, 1, 1]);
  assert.deepEqual(await count(foyer, ["day"]), [1], "of another day");
});

Deno.test("a clock that is years ahead for a while costs one day", async () => {
  await using foyer = await startFoyer();
  const { services, clock } = foyer;
  const today = dayOf(clock.now);
  await removeOldRecords(services);
  await searched(foyer);
  await pass(foyer, 300);
  for (const years of [1, 10, 50]) {
    clock.now += years * 365 * DAY;
    for (let run = 0; run < 12; run++) await removeOldRecords(services);
    clock.now -= years * 365 * DAY;
    await removeOldRecords(services);
  }
  await pass(foyer, 99);
  assert.deepEqual(await count(foyer, ["day", today]), [1]);
  await pass(foyer, 2);
  assert.deepEqual(await count(foyer, ["day", today]), [0]);
});

Deno.test("a clock that is behind removes nothing twice, and nothing is left when it is right again", async () => {
  await using foyer = await startFoyer();
  const { services, clock } = foyer;
  const today = dayOf(clock.now);
  await removeOldRecords(services);
  await searched(foyer);
  clock.now -= 30 * DAY;
  await removeOldRecords(services);
  clock.now += 30 * DAY;
  await pass(foyer, 440);
  assert.deepEqual(await count(foyer, ["day", today]), [0]);
});

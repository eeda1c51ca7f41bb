/** `requests`: an account's requests, and the reasons of the refusals; the same in `usage`. */

import assert from "node:assert/strict";
import { storeRefusals } from "../../lib/proxy/records/refusals.ts";
import { MINUTE, NOON, record, refusal } from "../proxy/records/clickhouse.ts";
import { done, json, sitDown } from "./desk.ts";

const LIMIT = { code: "spending_limit_reached", reason: "key" };
const BODY = { code: "validation_failed", field: "numResults" };

async function setUp() {
  const desk = await sitDown();
  const { id } = await json(desk.accounts("create", "Ada", "--json"));
  const key = await json(desk.keys("create", id, "--name", "laptop", "--json"));
  const ours = { accountId: id, keyId: key.id };
  await desk.book(
    record({ ...ours, endpoint: "search", at: NOON - 20 * MINUTE }),
    record({ ...ours, endpoint: "search", at: NOON - 61 * MINUTE }),
  );
  await storeRefusals(desk.kv, [
    refusal({ ...ours, ...LIMIT, requests: 312, lastAt: NOON - 11 * MINUTE }),
    refusal({ ...ours, ...BODY, lastAt: NOON - 90 * MINUTE }),
    refusal({ ...ours, keyId: null, endpoint: null, code: "of_tomorrow", lastAt: NOON - MINUTE }),
    refusal({ accountId: "acc_bbbbbbbbbbbb" }),
  ]);
  return { desk, id, key, [Symbol.dispose]: () => desk[Symbol.dispose]() };
}

Deno.test("requests lists what was charged and what was refused, with the reason", async () => {
  using world = await setUp();
  const { desk, id, key } = world;
  assert.equal(
    await done(desk.requests("--account", "ada", "--since", "1h")),
    `TIME (UTC)           ENDPOINT   KEY        STATUS  COST    MS   WHY
2026-11-21 11:40:00  search     laptop     200     $0.007  100
2026-11-21 11:49:00  search     laptop     402     -       -    312 times: The key's own daily limit was reached
2026-11-21 11:59:00  (several)  (several)  -       -       -    of_tomorrow
`,
  );
  const longer = await done(desk.requests("--account", id, "--since", "2h", "--refused"));
  assert.match(longer, /422 .* The body is invalid: numResults\n/);
  assert.doesNotMatch(longer, / 200 /);
  const told = await json(desk.requests("--account", id, "--json"));
  assert.deepEqual([told.account, told.since], [id, "2026-11-21T11:00:00.000Z"]);
  assert.deepEqual(
    told.requests.map(({ status, costUsd }: Record<string, number>) => [status, costUsd]),
    [[200, 0.007]],
  );
  assert.deepEqual(told.refused[1], {
    ...{ lastAt: "2026-11-21T11:49:00.000Z", requests: 312 },
    ...{ keyId: key.id, keyName: "laptop", endpoint: "search", status: 402, ...LIMIT },
    ...{ field: null, message: "The key's own daily limit was reached" },
  });
});

Deno.test("usage counts refused requests apart, by its group and their reason", async () => {
  using world = await setUp();
  const { desk, id, key } = world;
  const bot = await done(desk.usage("--account", id, "--day", "yesterday"));
  assert.match(bot, /^No requests on 2026-11-20 \(UTC\)\.\n$/);
  const out = await done(desk.usage());
  assert.match(out, /^total +2 +0 .*\n\nREFUSED +ACCOUNT +WHY\n312 /m);
  assert.match(out, new RegExp(`^312 +${id} +Ada +The key's own daily limit was reached$`, "m"));
  assert.match(await done(desk.usage("--by", "status")), /^312 +402 /m);
  assert.match(await done(desk.usage("--by", "key")), new RegExp(`^312 +${key.id} +laptop `, "m"));
  const { refused, total } = await json(desk.usage("--account", id, "--by", "endpoint", "--json"));
  assert.equal(total.requests, 2);
  assert.deepEqual(refused[0], { endpoint: "search", ...LIMIT, requests: 312 });
});

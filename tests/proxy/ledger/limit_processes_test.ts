/** An account's limit while two real processes on one database file get requests at the same moment. */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { readDays } from "../../../lib/proxy/ledger/read.ts";
import { EMPTY_DAY } from "../../../lib/proxy/ledger/transitions.ts";
import { dayOf, endOfDay } from "../../../lib/platform/utc_days.ts";
import { openKv } from "../../../lib/platform/kv/open.ts";
import { estimateSearch } from "../../../lib/proxy/websearch.ts";
import { createWebsearchStandIn } from "../../../lib/sandbox/websearch.ts";
import { openFolder } from "../../support/folder.ts";
import { serveProvider, startProcess } from "../../support/foyer_process.ts";
import { readBooks } from "../../support/ledger_books.ts";
import { createMemberAt } from "../../support/member.ts";
import { until } from "../../support/until.ts";

const API_KEY = "provider.test";
const SEARCH = { query: "sourdough bread" };
const AT_ONCE = 1_000;
/** The first round meets new processes; the second, open connections. */
const ROUNDS = 2;

/** The reservation of one search, and the stand-in's charge for it. */
const PRICE = estimateSearch(SEARCH);
/** Ten fit while others are in progress: the tenth takes the rest of the limit. */
const LIMIT = 10n * PRICE;
const ADMISSIBLE = 10;

Deno.test("of 1,000 simultaneous requests over two processes as many are admitted as the limit has room for", async () => {
  await using folder = await openFolder();
  const path = `${folder.path}/kv`;
  const standIn = createWebsearchStandIn({ apiKey: API_KEY, now: Date.now });
  let refused = 0;
  let asked = 0;
  // The provider responds once all others are refused: reservations count, not only charges.
  const provider = serveProvider(
    standIn,
    () => until(() => refused + standIn.requests.length >= asked),
  );
  const env = {
    KV_PATH: path,
    WEBSEARCH_API_URL: `http://127.0.0.1:${provider.addr.port}`,
    WEBSEARCH_API_KEY: API_KEY,
  };
  const members = await Promise.all(
    Array.from({ length: ROUNDS }, () => createMemberAt(path, LIMIT)),
  );
  const servers = await Promise.all([
    startProcess("serve_foyer.ts", env),
    startProcess("serve_foyer.ts", env),
  ]);

  async function ask(index: number, key: string): Promise<Response> {
    const response = await fetch(`${servers[index % 2]?.origin}/proxy/v1/websearch/search`, {
      method: "POST",
      headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(SEARCH),
    });
    if (!response.ok) refused++;
    return response;
  }

  try {
    const day = await ongoingDay();
    using kv = await openKv(path);
    for (const { key, accountId } of members) {
      asked += AT_ONCE;
      const before = standIn.requests.length;
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => ask(at, key)));
      const admitted = answers.filter(({ ok }) => ok);
      assert.equal(admitted.length, ADMISSIBLE);
      const ids = new Set(admitted.map(({ headers }) => headers.get("x-request-id")));
      const seen = standIn.requests.slice(before).map(({ headers }) => headers["x-request-id"]);
      assert.equal(seen.length, ADMISSIBLE, "the provider sees each of them once, and no other");
      assert.deepEqual(new Set(seen), ids);
      for (const answer of answers) {
        if (answer.ok) await answer.body?.cancel();
        else assert.equal((await answer.json()).code, "spending_limit_reached");
      }

      const readDay = async () => (await readDays(kv, accountId, [day]))[0] ?? EMPTY_DAY;
      await until(async () => (await readDay()).requests === ADMISSIBLE);
      const { open, records } = await readBooks(kv);
      assert.equal(open.size, 0);
      const own = [...records.values()].filter((record) => record.accountId === accountId);
      assert.deepEqual(new Set(own.map(({ requestId }) => requestId)), ids);
      assert.equal((await readDay()).spent, LIMIT);
    }
  } finally {
    for (const server of servers) await server.kill();
    await provider.shutdown();
  }
});

/** The day in UTC; the next one, after its beginning, if this one is about to end. */
async function ongoingDay(): Promise<string> {
  const left = endOfDay(dayOf(Date.now())) - Date.now();
  if (left < 60_000) await sleep(left);
  return dayOf(Date.now());
}

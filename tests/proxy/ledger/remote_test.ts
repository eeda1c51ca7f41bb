/** Two Foyers on one remote database: the guarantees of a file hold there too, even if responses are lost. */
// Not quick: a remote database that fails, and its retries.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { openKv } from "../../../lib/platform/kv/open.ts";
import { createQueue } from "../../../lib/proxy/ledger/internal/queue.ts";
import { type Foyer, startFoyer } from "../../support/foyer.ts";
import { startKvConnect, type Treatment } from "../../support/kv_connect.ts";
import { readBooks } from "../../support/ledger_books.ts";
import { PATHS, SEARCH, SEARCH_PRICE } from "../proxy.ts";

/** A remote database and two Foyers on it, each with providers of its own. */
async function startTwo() {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(startKvConnect());
  const options = { kvPath: server.env.KV_PATH };
  const [one, two] = [
    stack.use(await startFoyer(options)),
    stack.use(await startFoyer(options)),
  ];
  const rest = stack.move();
  return { server, one, two, [Symbol.asyncDispose]: () => rest.disposeAsync() };
}

/** Searches, reads the response, and returns its status and the request's id. */
async function search(foyer: Foyer, key: string): Promise<[status: number, id: string]> {
  const response = await foyer.post(PATHS.search, key, SEARCH);
  await response.bytes();
  return [response.status, response.headers.get("x-request-id") ?? ""];
}

/** The books, once every request is booked. */
async function booksOf(...foyers: Foyer[]) {
  for (const { services } of foyers) await services.ledger.flush();
  const [first] = foyers;
  assert.ok(first);
  return await readBooks(first.kv);
}

Deno.test("a hundred simultaneous searches through two Foyers, with room for ten, send ten to the provider", async () => {
  await using world = await startTwo();
  const { server, one, two } = world;
  // As if it were in another region.
  server.judge = () => sleep(20, "answer" as const);
  const { key } = await one.createMember(10n * SEARCH_PRICE);
  const asked = Array.from({ length: 100 }, (_, index) => search(index % 2 ? one : two, key));
  const statuses = (await Promise.all(asked)).map(([status]) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 10);
  assert.equal(statuses.filter((status) => status === 402).length, 90);
  assert.equal(one.websearch.requests.length + two.websearch.requests.length, 10);
  const { open, records } = await booksOf(one, two);
  assert.equal(open.size, 0);
  assert.deepEqual([...records.values()].map(({ cost }) => cost), Array(10).fill(SEARCH_PRICE));
});

Deno.test("commits whose responses are lost book every search once, at its cost", async () => {
  await using world = await startTwo();
  const { server, one, two } = world;
  const { key } = await one.createMember();
  const fates: Treatment[] = ["drop after", "answer", 503, "answer", "drop before", "answer"];
  let commits = 0;
  server.judge = ({ method }) =>
    method === "atomic_write" ? fates[commits++ % fates.length] ?? "answer" : "answer";
  const answered: string[] = [];
  for (let round = 0; round < 2; round++) {
    const asked = Array.from({ length: 10 }, (_, index) => search(index % 2 ? one : two, key));
    for (const [status, id] of await Promise.all(asked)) {
      assert.equal(status, 200);
      answered.push(id);
    }
  }
  const { open, records } = await booksOf(one, two);
  assert.equal(open.size, 0);
  assert.deepEqual(new Set(records.keys()), new Set(answered));
  for (const [id, charge] of [...one.websearch.charges, ...two.websearch.charges]) {
    const { cost, costFrom } = records.get(id) ?? {};
    assert.deepEqual([cost, costFrom], [charge, "provider"]);
  }
});

Deno.test("two processes that keep one account busy both get their turns", async () => {
  await using server = startKvConnect();
  server.judge = () => sleep(10, "answer" as const);
  using kv = await openKv(server.env.KV_PATH);
  using other = await openKv(server.env.KV_PATH);
  const of = { accountId: "busy", day: "2026-11-21" };
  const made = [0, 0];
  /** Makes transitions until both processes have made so many, or one has made all that both may. */
  async function keepBusy(queue: ReturnType<typeof createQueue>, index: number): Promise<void> {
    while (Math.min(...made) < 40 && Math.max(...made) < 2_000) {
      const count = made[index] = (made[index] ?? 0) + 1;
      await queue.run({ of, apply: (transaction) => transaction.set(["lease", index], count) });
    }
  }
  const queues = [kv, other].map((kv) => createQueue({ kv, now: Date.now }));
  // Several callers each, so that a transition always waits.
  await Promise.all([0, 1, 2, 3].flatMap(() => queues.map(keepBusy)));
  assert.ok(Math.min(...made) >= 40, `each process has had its turns: ${made}`);
});

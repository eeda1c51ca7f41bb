/** The end of a process in the middle of a stream: what the stream cost is charged once, whoever is later. */

import assert from "node:assert/strict";
import { stopService } from "../../lib/operate/stop.ts";
import { ANSWER_PRICE, createGate, PATHS, STREAM } from "../proxy/proxy.ts";
import { openFolder } from "../support/folder.ts";
import { startFoyer } from "../support/foyer.ts";
import { readBooks } from "../support/ledger_books.ts";
import { runJobs } from "../support/run_jobs.ts";

/** Longer than any reservation lives after its last renewal. */
const LATER_MILLISECONDS = 60 * 60_000;

Deno.test("a stream that outlasts the shutdown is charged once, by the next process, even if it ends after that", async () => {
  await using folder = await openFolder();
  const kvPath = `${folder.path}/kv`;
  await using old = await startFoyer({ kvPath });
  const { key, accountId } = await old.createMember();
  using rest = createGate();
  old.websearch.faults.push({ kind: "stall", until: rest.opened });
  const stream = await old.post(PATHS.answer, key, STREAM);
  assert.equal(stream.status, 200);
  let isClosed = false;
  await stopService(
    { shutdown: () => new Promise(() => {}) },
    // Its time has passed.
    { ...old.services, proxy: { ...old.services.proxy, idle: () => Promise.resolve() } },
    {
      // A process that is slow to die still has its database.
      kv: { close: () => isClosed = true } as unknown as Deno.Kv,
      sleep: () => Promise.resolve(),
      log: { info() {}, warn() {}, error() {} },
    },
  );
  assert.ok(isClosed);
  assert.equal((await readBooks(old.kv)).open.size, 1);

  await using next = await startFoyer({ kvPath, now: old.clock.now + LATER_MILLISECONDS });
  await runJobs(next.services);
  const { open, records } = await readBooks(next.kv);
  assert.equal(open.size, 0);
  const costs = [...records.values()].map(({ cost, costFrom }) => [cost, costFrom]);
  assert.deepEqual(costs, [[ANSWER_PRICE, "sweep"]]);

  rest.open();
  await stream.text().catch(() => {});
  await old.services.ledger.flush();
  const last = await readBooks(next.kv);
  assert.equal(last.records.size, 1, "one request has one record");
  assert.equal(last.days.get(`${accountId}/2026-11-21`)?.spent, ANSWER_PRICE);
});

/** A database that fails: the responses to callers, and correct books once it works again. */
// Not quick: a disk that is full, and a database that is slow to return.

import assert from "node:assert/strict";
import { LEDGER_VERSION } from "../../lib/proxy/ledger/values.ts";
import type { Judge } from "../support/faulty_kv.ts";
import { openFolder } from "../support/folder.ts";
import { startFoyer } from "../support/foyer.ts";
import { readBooks } from "../support/ledger_books.ts";
import { until } from "../support/until.ts";
import {
  ask,
  booksOf,
  chargeOf,
  createGate,
  DECISION,
  getUsage,
  PATHS,
  SEARCH,
  SEARCH_PRICE,
  untilBooked,
} from "./proxy.ts";

/** A database whose ledger's commits wait until it is opened. */
function holdCommits() {
  const gate = createGate();
  const judge: Judge = ({ kind, checks }) =>
    kind === "commit" && checks > 0 ? gate.wait().then(() => "work") : "work";
  return Object.assign(gate, { judge });
}

Deno.test("a full disk: 503 before anything is forwarded, free, and right again when there is space", async () => {
  // No check is too late, however slow the machine is.
  let isFull = false;
  const judge: Judge = ({ kind }) => isFull && kind === "commit" ? "refuse" : "work";
  await using foyer = await startFoyer({ judge });
  const member = await foyer.createMember();
  assert.equal((await ask(foyer, member.key)).status, 200);
  await foyer.services.ledger.flush();

  isFull = true;
  const response = await foyer.post(PATHS.search, member.key, SEARCH);
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("retry-after"), "5");
  assert.equal((await response.json()).error.type, "service_unavailable");
  assert.equal(foyer.websearch.requests.length, 1);
  const report = await (await foyer.get("/up")).json();
  const { status, database, router, websearch } = report;
  assert.deepEqual([status, database, router, websearch], ["down", false, true, true]);

  isFull = false;
  assert.equal((await ask(foyer, member.key)).status, 200);
  assert.equal((await booksOf(foyer, member)).spent, 2n * SEARCH_PRICE);
  assert.equal((await readBooks(foyer.kv)).open.size, 0);
  const { refusals } = foyer.services;
  await refusals.flush();
  const [noted] = await refusals.list(member.accountId);
  assert.deepEqual([noted?.code, noted?.reason], ["service_unavailable", null]);
});

Deno.test("while the database is down a key, known or not, gets 503, and a known one still has the models", async () => {
  let isAway = false;
  await using foyer = await startFoyer({ judge: () => isAway ? "refuse" : "work" });
  const [known, unknown] = [await foyer.createMember(), await foyer.createMember()];
  const list = () => {
    const headers = { authorization: `Bearer ${known.key}` };
    return foyer.get("/proxy/v1/decision/models", { headers });
  };
  assert.equal((await list()).status, 200);
  isAway = true;
  const refused = [
    await foyer.post(PATHS.search, unknown.key, SEARCH),
    await getUsage(foyer, unknown.key),
    await getUsage(foyer, known.key),
  ];
  for (const response of refused) {
    assert.deepEqual([response.status, (await response.json()).code], [503, "service_unavailable"]);
  }
  const listed = await list();
  assert.deepEqual([listed.status, (await listed.text()).includes("decision-latest")], [200, true]);
  assert.equal(foyer.websearch.requests.length, 0);
});

Deno.test("a caller who disconnects while the database is slow pays nothing, and nothing is sent", async () => {
  using held = holdCommits();
  await using foyer = await startFoyer({ judge: held.judge });
  const member = await foyer.createMember();
  const leaving = new AbortController();
  const { signal } = leaving;
  const headers = { "authorization": `Bearer ${member.key}`, "content-type": "application/json" };
  const body = JSON.stringify(SEARCH);
  // Past the network, which would tell the server later than the caller.
  const answer = foyer.answer(PATHS.search, { method: "POST", headers, body, signal });
  await until(() => held.waiting > 0);
  leaving.abort();
  held.open();
  await answer.then(({ body }) => body?.cancel(), () => {});
  await untilBooked(foyer, member);
  assert.deepEqual(await chargeOf(foyer, member), { status: 499, cost: 0n, from: "provider" });
  assert.equal(foyer.websearch.requests.length, 0);
});

Deno.test("a database that fails after the response delays no caller, and the cost is booked once it works", async () => {
  let commits = 0;
  // The first commit reserves; the commits that settle fail three times.
  const judge: Judge = ({ kind, checks }) =>
    kind === "commit" && checks > 0 && ++commits > 1 && commits < 5 ? "refuse" : "work";
  await using foyer = await startFoyer({ judge });
  const member = await foyer.createMember();
  assert.equal((await ask(foyer, member.key)).status, 200);
  const { spent, reserved } = await booksOf(foyer, member);
  assert.deepEqual([spent, reserved], [SEARCH_PRICE, 0n]);
  assert.ok(commits >= 5);
  assert.ok(
    foyer.logged.some((line) => line.includes("A booking failed: it will be tried again.")),
  );
});

Deno.test("a request that waits for the database is in flight: a shutdown waits for its answer", async () => {
  using held = holdCommits();
  await using foyer = await startFoyer({ judge: held.judge });
  const { key } = await foyer.createMember();
  const answer = foyer.post(PATHS.search, key, SEARCH);
  await until(() => held.waiting > 0);
  let isIdle = false;
  const idle = foyer.services.proxy.idle(60_000).then(() => isIdle = true);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.equal(isIdle, false);
  held.open();
  assert.equal((await (await answer).json()).results.length > 0, true);
  await idle;
});

Deno.test("a request is no longer in flight once it is over, however it ends", async () => {
  await using foyer = await startFoyer();
  const { key } = await foyer.createMember();
  const poor = await foyer.createMember(0n);
  const headers = { authorization: `Bearer ${key}` };
  foyer.decision.faults.push({ kind: "status", status: 500 });
  const answers = [
    await foyer.post(PATHS.decision, key, DECISION),
    await foyer.post(PATHS.search, key, SEARCH),
    await foyer.post(PATHS.search, poor.key, SEARCH),
    await foyer.post(PATHS.search, null, SEARCH),
    await foyer.post(PATHS.search, key, "{"),
    await foyer.get(PATHS.usage, { headers }),
    await foyer.get(`${PATHS.usage}?days=0`, { headers }),
    await foyer.get("/proxy/v1/decision/models", { headers }),
  ];
  assert.deepEqual(answers.map(({ status }) => status), [502, 200, 402, 401, 400, 200, 400, 200]);
  let isIdle = false;
  void foyer.services.proxy.idle(600_000).then(() => isIdle = true);
  await until(() => isIdle);
});

Deno.test("what a newer version of the program wrote is left as it is: 503, nothing forwarded, nothing written", async () => {
  await using foyer = await startFoyer();
  const { key, accountId } = await foyer.createMember();
  assert.equal((await foyer.post(PATHS.search, key, SEARCH)).status, 200);
  await foyer.services.ledger.flush();
  for (const name of [["ledger", accountId], ["account", accountId]]) {
    // Another process, which has nothing in memory, meets the value.
    foyer.clock.now += 5_001;
    await using other = await startFoyer({ judge: () => "work" });
    for await (const { key, value } of foyer.kv.list({ prefix: [] })) {
      await other.kv.set(key, value);
    }
    const { value } = await other.kv.get<object>(name);
    await other.kv.set(name, { ...value, version: LEDGER_VERSION + 1 });
    const before = await Array.fromAsync(other.kv.list({ prefix: [] }));
    for (const refused of [other.post(PATHS.search, key, SEARCH), getUsage(other, key)]) {
      const response = await refused;
      assert.equal(response.status, 503, name[0]);
      assert.equal(response.headers.get("retry-after"), "5");
      const { code, message } = await response.json();
      assert.equal(code, "service_unavailable");
      assert.match(message, /^A newer version of this service wrote/);
    }
    await other.services.ledger.sweep();
    await other.services.ledger.flush();
    assert.equal(other.websearch.requests.length, 0);
    const lasting = (entries: Deno.KvEntry<unknown>[]) =>
      entries.filter(({ key }) => key[0] !== "key_last_used" && key[0] !== "refusals");
    const after = await Array.fromAsync(other.kv.list({ prefix: [] }));
    assert.deepEqual(lasting(after), lasting(before));
  }
});

Deno.test("beside the next release an older one answers 503 once that has booked, and what it had open is charged once", async () => {
  await using folder = await openFolder();
  const kvPath = `${folder.path}/kv`;
  await using old = await startFoyer({ kvPath });
  const { key, accountId } = await old.createMember();
  const name = ["ledger", accountId];
  using rest = createGate();
  old.websearch.faults.push({ kind: "delay", until: rest.opened });
  const underWay = old.post(PATHS.search, key, SEARCH);
  await until(() => old.websearch.active === 1);
  const { value } = await old.kv.get<object>(name);
  await old.kv.set(name, { ...value, version: LEDGER_VERSION + 1 });
  assert.equal((await old.post(PATHS.search, key, SEARCH)).status, 503);
  assert.equal((await getUsage(old, key)).status, 503);
  rest.open();
  const answered = await underWay;
  assert.deepEqual([answered.status, (await answered.json()).results.length > 0], [200, true]);
  await until(() => old.logged.some((line) => line.includes("A newer version")));
  assert.equal(old.websearch.requests.length, 1);
  assert.equal((await readBooks(old.kv)).open.size, 1);

  // This version stands in for the next release, which knows the value: it charges what was left open.
  await old.kv.set(name, value);
  await using next = await startFoyer({ kvPath, now: old.clock.now + 3_600_000 });
  await next.services.ledger.sweep();
  await next.services.ledger.flush();
  await old.services.ledger.flush();
  const { open, records, days } = await readBooks(next.kv);
  assert.deepEqual([open.size, records.size], [0, 1]);
  assert.equal(days.get(`${accountId}/2026-11-21`)?.spent, SEARCH_PRICE);
});

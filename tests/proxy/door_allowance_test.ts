/** Requests within an allowance: the provider is called while their reservation is committed. */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fate, Judge } from "../support/faulty_kv.ts";
import { openLedger } from "../support/accounts.ts";
import { startFoyer } from "../support/foyer.ts";
import { readBooks } from "../support/ledger_books.ts";
import { until } from "../support/until.ts";
import { booksOf, createGate, PATHS, SEARCH, SEARCH_PRICE, STREAM } from "./door.ts";

/** A database: after `hold`, the ledger's commits wait until a test ends them, with a result that it chooses. */
function heldCommits() {
  let word: PromiseWithResolvers<Fate> | null = null;
  let held = 0;
  const judge: Judge = ({ kind, checks }) => {
    if (kind !== "commit" || checks === 0 || word === null) return "work";
    held++;
    return word.promise;
  };
  function end(fate: Fate): void {
    word?.resolve(fate);
    word = null;
  }
  return {
    judge,
    hold() {
      held = 0;
      word = Promise.withResolvers();
    },
    /** Waits for a commit, and ends it. */
    async let(fate: Fate) {
      await until(() => held > 0);
      end(fate);
    },
    [Symbol.dispose]: () => end("work"),
  };
}

for (const body of [SEARCH, STREAM]) {
  const kind = body === STREAM ? "a stream" : "an answer";
  Deno.test(`the provider is called beside the commit, and ${kind} begins after it`, async () => {
    using commits = heldCommits();
    await using foyer = await startFoyer({ judge: commits.judge });
    const member = await foyer.createMember();
    await (await foyer.post(PATHS.answer, member.key, body)).body?.cancel();
    await booksOf(foyer, member);
    commits.hold();
    let isAnswered = false;
    const answer = foyer.post(PATHS.answer, member.key, body).finally(() => isAnswered = true);
    await until(() => foyer.websearch.requests.length === 2);
    await foyer.websearch.requests[1]?.ended;
    await sleep(20);
    assert.equal(isAnswered, false);
    await commits.let("work");
    const { status, headers, body: rest } = await answer;
    assert.equal(status, 200);
    assert.match(headers.get("ratelimit") ?? "", /r=748/);
    await rest?.cancel();
    assert.equal((await booksOf(foyer, member)).records.length, 2);
  });
}

Deno.test("a commit that fails ends the call: 503, nothing is charged, and the next request waits", async () => {
  using commits = heldCommits();
  await using foyer = await startFoyer({ judge: commits.judge });
  const member = await foyer.createMember();
  await (await foyer.post(PATHS.search, member.key, SEARCH)).body?.cancel();
  await booksOf(foyer, member);
  using rest = createGate();
  foyer.websearch.faults.push({ kind: "delay", until: rest.opened });
  commits.hold();
  const answer = foyer.post(PATHS.search, member.key, SEARCH);
  await until(() => foyer.websearch.active === 1);
  await commits.let("refuse");
  const refused = await answer;
  assert.equal(refused.status, 503);
  assert.doesNotMatch((await refused.json()).hint, /forwarded/);
  assert.equal(await foyer.websearch.requests[1]?.ended, "aborted");
  assert.equal((await booksOf(foyer, member)).spent, SEARCH_PRICE);

  commits.hold();
  const other = foyer.post(PATHS.search, member.key, SEARCH);
  await sleep(50);
  assert.equal(foyer.websearch.requests.length, 2);
  await commits.let("work");
  assert.equal((await other).status, 200);
  await (await other).body?.cancel();
  const { records, reserved } = await booksOf(foyer, member);
  assert.deepEqual([records.length, reserved], [2, 0n]);
});

Deno.test("an allowance is in no header, no report and no sum of the day", async () => {
  await using foyer = await startFoyer({ env: { RATE_LIMIT_REQUESTS: "30" } });
  const member = await foyer.createMember(100n * SEARCH_PRICE);
  const response = await foyer.post(PATHS.search, member.key, SEARCH);
  await response.body?.cancel();
  assert.match(response.headers.get("ratelimit") ?? "", /r=29;/);
  await booksOf(foyer, member);
  const [rate] = (await readBooks(foyer.kv)).rates.values();
  assert.equal(rate?.allowances?.length, 1, "something is set aside");
  const headers = { authorization: `Bearer ${member.key}` };
  const { data } = await (await foyer.get(PATHS.usage, { headers })).json();
  assert.deepEqual([data.reservedUsd, data.remainingUsd, data.rateLimit.remaining], [0, 0.693, 29]);
});

Deno.test("after a cost above the limit, no request is forwarded any more", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember(100n * SEARCH_PRICE);
  await (await foyer.post(PATHS.search, member.key, SEARCH)).body?.cancel();
  foyer.websearch.faults.push({ kind: "cost", text: "1" });
  for (const status of [200, 402, 402]) {
    const response = await foyer.post(PATHS.search, member.key, SEARCH);
    await response.body?.cancel();
    assert.equal(response.status, status);
  }
  assert.equal(foyer.websearch.requests.length, 2);
});

for (const body of [SEARCH, STREAM]) {
  const kind = body === STREAM ? "a stream" : "an answer";
  Deno.test(`a limit that another isolate reaches meanwhile ends the call: ${kind} is a 402, once`, async () => {
    await using foyer = await startFoyer();
    const limit = 1_000_000_000n;
    const member = await foyer.createMember(limit);
    await (await foyer.post(PATHS.answer, member.key, body)).body?.cancel();
    const { spent } = await booksOf(foyer, member);
    const other = openLedger(foyer.kv, () => foyer.clock.now);
    const { accountId, keyId } = member;
    const bid = { requestId: "other", accountId, keyId, endpoint: "search", model: null, limit };
    assert.ok((await other.reserve({ ...bid, amount: limit })).admitted);
    for (const _ of ["promised", "not promised"]) {
      const refused = await foyer.post(PATHS.answer, member.key, body);
      assert.equal(refused.status, 402);
      assert.equal((await refused.json()).code, "spending_limit_reached");
    }
    assert.equal(foyer.websearch.requests.length, 2);
    await foyer.websearch.requests[1]?.ended;
    assert.equal((await booksOf(foyer, member)).spent, spent);
    await foyer.services.proxy.idle(60_000);
  });

  Deno.test(`a caller who leaves ${kind} before the commit is charged if it is made`, async () => {
    for (const fate of ["work", "refuse"] as const) {
      using commits = heldCommits();
      await using foyer = await startFoyer({ judge: commits.judge });
      const member = await foyer.createMember();
      await (await foyer.post(PATHS.answer, member.key, body)).body?.cancel();
      await booksOf(foyer, member);
      using rest = createGate();
      foyer.websearch.faults.push({ kind: "stall", until: rest.opened });
      commits.hold();
      const leaving = new AbortController();
      const { signal } = leaving;
      const answer = foyer.post(PATHS.answer, member.key, body, { signal });
      await until(() => foyer.websearch.active === 1);
      leaving.abort();
      await assert.rejects(answer);
      assert.equal(await foyer.websearch.requests[1]?.ended, "aborted");
      await commits.let(fate);
      await foyer.services.proxy.idle(60_000);
      const { records, reserved } = await booksOf(foyer, member);
      assert.deepEqual([records.length, reserved], [fate === "work" ? 2 : 1, 0n]);
    }
  });
}

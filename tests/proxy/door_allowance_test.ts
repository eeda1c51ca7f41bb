/** Requests whose estimate was set aside before: the provider is called while their reservation is committed. */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fate, Judge } from "../support/faulty_kv.ts";
import { startFoyer } from "../support/foyer.ts";
import { readBooks } from "../support/ledger_books.ts";
import { until } from "../support/until.ts";
import { booksOf, createGate, PATHS, SEARCH, SEARCH_PRICE, STREAM } from "./door.ts";

/** A database whose ledger's commits wait for a word after `hold`, and then end as it says. */
function heldCommits() {
  let word: PromiseWithResolvers<Fate> | null = null;
  const judge: Judge = ({ kind, checks }) =>
    kind === "commit" && checks > 0 && word !== null ? word.promise : "work";
  function end(fate: Fate): void {
    word?.resolve(fate);
    word = null;
  }
  return {
    judge,
    hold: () => void (word = Promise.withResolvers()),
    let: end,
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
    commits.let("work");
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
  commits.let("refuse");
  const refused = await answer;
  assert.equal(refused.status, 503);
  assert.doesNotMatch((await refused.json()).hint, /forwarded/);
  assert.equal(await foyer.websearch.requests[1]?.ended, "aborted");
  assert.equal((await booksOf(foyer, member)).spent, SEARCH_PRICE);

  commits.hold();
  const other = foyer.post(PATHS.search, member.key, SEARCH);
  await sleep(50);
  assert.equal(foyer.websearch.requests.length, 2);
  commits.let("work");
  assert.equal((await other).status, 200);
  await (await other).body?.cancel();
  const { records, reserved } = await booksOf(foyer, member);
  assert.deepEqual([records.length, reserved], [2, 0n]);
});

Deno.test("what is set aside is in no header, no report and no sum of the day", async () => {
  await using foyer = await startFoyer({ env: { RATE_LIMIT_REQUESTS: "10" } });
  const member = await foyer.createMember(100n * SEARCH_PRICE);
  const response = await foyer.post(PATHS.search, member.key, SEARCH);
  await response.body?.cancel();
  assert.match(response.headers.get("ratelimit") ?? "", /r=9;/);
  await booksOf(foyer, member);
  const [rate] = (await readBooks(foyer.kv)).rates.values();
  assert.equal(rate?.allowances?.length, 1, "something is set aside");
  const headers = { authorization: `Bearer ${member.key}` };
  const { data } = await (await foyer.get(PATHS.usage, { headers })).json();
  assert.deepEqual([data.reservedUsd, data.remainingUsd, data.rateLimit.remaining], [0, 0.693, 9]);
});

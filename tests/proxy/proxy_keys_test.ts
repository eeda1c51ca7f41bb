/** Keys with fewer rights than their account: a daily limit of their own, and a list of endpoints. */

import assert from "node:assert/strict";
import { type AccountChange, updateAccount } from "../../lib/accounts/account.ts";
import { createKey, revokeKey, rotateKey, updateKey } from "../../lib/accounts/key.ts";
import { type Foyer, startFoyer } from "../support/foyer.ts";
import { until } from "../support/until.ts";
import {
  ask,
  booksOf,
  createGate,
  DECISION,
  getUsage,
  PATHS,
  SEARCH,
  SEARCH_PRICE,
} from "./proxy.ts";
import { madeBy } from "../support/made_by.ts";

const usageOf = async (foyer: Foyer, key: string) =>
  (await (await getUsage(foyer, key)).json()).data;

Deno.test("a key's cap holds however many requests race, across a rotation, and only for its keys", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const { accountId } = member;
  const asked = { accountId, label: "class", expiresAt: null, cap: 21_000_000n };
  const { key: { id }, text } = await createKey(foyer.kv, asked, madeBy(foyer.clock.now));
  const rotation = await rotateKey(
    foyer.kv,
    id,
    { overlapMilliseconds: 3_600_000 },
    madeBy(foyer.clock.now),
  );
  assert.ok(rotation.kind === "rotated");
  // From here on the sums of the account differ from those of the key.
  await ask(foyer, member.key);
  await booksOf(foyer, member);
  using rest = createGate();
  foyer.websearch.faults.push({ kind: "delay", until: rest.opened, sticky: true });
  let refused = 0;
  const racing = Array.from({ length: 30 }, async (_, index) => {
    const response = await foyer.post(PATHS.search, index % 2 ? text : rotation.text, SEARCH);
    if (response.status === 402) refused++;
    return response;
  });
  await until(() => refused + foyer.websearch.active === 30);
  // Three: the last one admitted takes the rest of the cap.
  assert.equal(foyer.websearch.active, 3);
  rest.open();
  const answers = await Promise.all(racing);
  const bodies = await Promise.all(answers.map((response) => response.json()));
  const refusal = answers.findIndex(({ status }) => status === 402);
  assert.deepEqual(bodies[refusal].spending, {
    scope: "key",
    limitUsd: 0.021,
    spentUsd: 0,
    reservedUsd: 0.021,
    resetsAt: "2026-11-22T00:00:00.000Z",
  });
  assert.match(bodies[refusal].message, /^The key's daily limit of 0\.021 USD is reached: /);
  assert.equal(answers[refusal]?.headers.get("retry-after"), String(12 * 3600));
  foyer.websearch.faults.clear();
  assert.equal(
    (await ask(foyer, member.key)).status,
    200,
    "the account's other keys are not limited",
  );
  assert.equal((await booksOf(foyer, member)).spent, 5n * SEARCH_PRICE);
  assert.deepEqual((await usageOf(foyer, rotation.text)).key, {
    limitUsd: 0.021,
    spentUsd: 0.021,
    reservedUsd: 0,
    remainingUsd: 0,
  });
  assert.equal((await usageOf(foyer, member.key)).key, undefined);

  foyer.clock.now += 12 * 3_600_000;
  const next = await ask(foyer, rotation.text);
  assert.equal(next.status, 200, "the next day begins anew");
  assert.equal(next.headers.get("x-spending-warning"), null);
  await booksOf(foyer, member);
  await updateKey(foyer.kv, rotation.key.id, { cap: 8_000_000n }, madeBy());
  foyer.clock.now += 5_000;
  const last = await ask(foyer, rotation.text);
  assert.equal(
    last.headers.get("x-spending-warning"),
    "0 of 0.008 USD of this key left until 2026-11-23T00:00:00.000Z",
  );
});

Deno.test("a request to an endpoint that its key may not use is 403, before its body is read, and free", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const asked = { accountId: member.accountId, label: null, expiresAt: null };
  const endpoints = ["search", "answer"];
  const { key, text } = await createKey(foyer.kv, { ...asked, endpoints }, madeBy(foyer.clock.now));
  for (const body of [DECISION, "{"]) {
    const refused = await foyer.post(PATHS.decision, text, body);
    assert.equal(refused.status, 403);
    assert.ok(refused.headers.has("ratelimit"));
    const { code, hint } = await refused.json();
    assert.equal(code, "forbidden");
    assert.match(hint, /search, answer/);
  }
  const line = foyer.lines.find(({ properties }) => properties?.["reason"] === "endpoint");
  assert.equal(line?.properties?.["keyId"], key.id);
  assert.equal((await ask(foyer, text)).status, 200);
  assert.ok(await usageOf(foyer, text), "what is not forwarded needs no permission");
  const { spent, counted } = await booksOf(foyer, member);
  assert.deepEqual([spent, counted], [SEARCH_PRICE, 1]);
  await updateKey(foyer.kv, key.id, { endpoints: null }, madeBy());
  foyer.clock.now += 5_000;
  assert.equal((await ask(foyer, text, DECISION, PATHS.decision)).status, 200);
});

Deno.test("the service's limit holds for all accounts together: 402 with a scope and a hint of its own, logged once", async () => {
  await using foyer = await startFoyer({ env: { SERVICE_DAILY_LIMIT_USD: "0.03" } });
  const members = await Promise.all([1, 2, 3].map(() => foyer.createMember()));
  const answers: Response[] = [];
  for (const { key } of [...members, ...members]) {
    answers.push(await foyer.post(PATHS.search, key, SEARCH));
    await foyer.services.ledger.flush();
  }
  assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200, 200, 200, 402]);
  const refused = await answers[5]?.json();
  assert.deepEqual(refused.spending, {
    scope: "service",
    limitUsd: 4,
    spentUsd: 0.007,
    reservedUsd: 0,
    resetsAt: "2026-11-22T00:00:00.000Z",
  });
  assert.equal(refused.message, "The daily limit of all accounts together is reached.");
  assert.match(
    refused.hint,
    /resets at 2026-11-22T00:00.*The account's own limit is not reached\./,
  );
  assert.equal(foyer.websearch.requests.length, 5);
  const told = foyer.lines.filter(({ message }) => message.includes("service's daily limit"));
  assert.deepEqual(told.map(({ level }) => level), ["warn"]);
  foyer.clock.now += 12 * 3_600_000;
  assert.equal((await ask(foyer, members[0]?.key ?? "")).status, 200);
});

Deno.test("a banned account is told the operator's reason, if there is one, and no other refusal tells it", async () => {
  await using foyer = await startFoyer();
  const table = [
    [{ banReason: null }, " is banned."],
    [{}, " is banned."],
    [{ banReason: "Sold" }, " is banned: Sold."],
    [{ banReason: "Sold!" }, " is banned: Sold!"],
  ] as const;
  for (const [given, said] of table) {
    const { key, accountId, keyId } = await foyer.createMember();
    const change = (changes: AccountChange) =>
      updateAccount(foyer.kv, accountId, changes, madeBy());
    // An earlier ban tells no more than an end.
    await change({ banned: true, banReason: "Lent" });
    if (!("banReason" in given)) await change({ banned: false });
    await change({ banned: true, ...given });
    await change({ limitNanoUsd: 1n });
    const refused = await foyer.post(PATHS.search, key, SEARCH);
    assert.equal(refused.status, 403);
    assert.equal((await refused.json()).message, `The account ${accountId}${said}`);
    await revokeKey(foyer.kv, keyId, madeBy(foyer.clock.now));
    foyer.clock.now += 5_001;
    const revoked = await foyer.post(PATHS.search, key, SEARCH);
    assert.equal(revoked.status, 401);
    assert.doesNotMatch(await revoked.text(), /banned|Sold/);
  }
  assert.equal(foyer.websearch.requests.length, 0);
});

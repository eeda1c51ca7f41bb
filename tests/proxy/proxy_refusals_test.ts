/** The reasons of refusals: which facts are recorded, where they are shown, and which requests leave no trace. */

import assert from "node:assert/strict";
import { updateAccount } from "../../lib/accounts/account.ts";
import { createKey, revokeKey } from "../../lib/accounts/key.ts";
import type { Refusal } from "../../lib/proxy/records/refusal.ts";
import { withoutOwnNames } from "../../lib/proxy/decision_request.ts";
import { startFoyer } from "../support/foyer.ts";
import { mistype } from "../support/member.ts";
import { DECISION, getUsage, PATHS, SEARCH } from "./proxy.ts";
import { madeBy } from "../support/made_by.ts";

Deno.test("each refusal of a known key is recorded with its reason, and nothing of the body", async () => {
  await using foyer = await startFoyer({
    env: { MAX_BODY_BYTES: "1000", RATE_LIMIT_REQUESTS: "2" },
  });
  const { kv, clock, services } = foyer;
  const member = await foyer.createMember();
  const { accountId, keyId } = member;
  const asked = { accountId, label: null, expiresAt: null };
  const capped = await createKey(kv, { ...asked, cap: 1n }, madeBy(clock.now));
  const narrow = await createKey(kv, { ...asked, endpoints: ["answer"] }, madeBy(clock.now));
  const gone = await createKey(kv, asked, madeBy(clock.now));
  await revokeKey(kv, gone.key.id, madeBy(clock.now));
  const poor = await foyer.createMember(0n);
  const banned = await foyer.createMember();
  await updateAccount(kv, banned.accountId, { banned: true }, madeBy());
  // The holder of a key that has ended learns nothing of the account.
  const ended = { accountId: banned.accountId, label: null, expiresAt: clock.now + 1 };
  const expired = await createKey(kv, ended, madeBy(clock.now));
  const unverified = await foyer.createMember();
  await updateAccount(kv, unverified.accountId, { verified: false }, madeBy());
  const ask = async (
    key: string,
    status: number,
    body: unknown = SEARCH,
    path: string = PATHS.search,
  ) => {
    const response = await foyer.post(path, key, body);
    const text = await response.text();
    assert.equal(response.status, status, text);
    if (status === 401 || status === 403) assert.ok(JSON.parse(text).hint, text);
    const challenge = `Bearer realm="foyer"${key === "" ? "" : ', error="invalid_token"'}`;
    assert.equal(response.headers.get("www-authenticate"), status === 401 ? challenge : null);
    return text;
  };
  const secret = {
    ...DECISION,
    questions: { "hidden name": { type: "choice", criteria: { "inner name": 1 } } },
  };

  await ask(member.key, 200);
  const isStored = (await Array.fromAsync(kv.list({ prefix: ["refusals"] }))).length > 0;
  assert.equal(isStored, false, "a request that succeeds stores nothing here");
  await ask(capped.text, 200);
  await services.ledger.flush();
  await ask(member.key, 422, secret, PATHS.decision);
  await ask(member.key, 400, "{");
  await ask(member.key, 413, "x".repeat(1_001));
  await ask(narrow.text, 403);
  assert.match(await ask(gone.text, 401), new RegExp(gone.key.id));
  await ask(member.key, 429);
  await ask(member.key, 429);
  clock.now += 30 * 60_000;
  await ask(capped.text, 402);
  await ask(poor.key, 402);
  assert.match(await ask(banned.key, 403), new RegExp(banned.accountId));
  assert.match(await ask(expired.text, 401), new RegExp(expired.key.id));
  assert.match(await ask(unverified.key, 403), new RegExp(unverified.accountId));
  // Their accounts are unknown.
  await ask("", 401);
  await ask(mistype(member.key), 401);
  await (await getUsage(foyer, gone.text)).text();
  await services.refusals.flush();

  const shown = (refusals: readonly Refusal[]) =>
    refusals.map(({ keyId, endpoint, code, reason, field, requests }) =>
      [keyId, endpoint, code, reason, field, requests].map(String).join(" ")
    ).sort();
  assert.deepEqual(
    shown(await services.refusals.list(accountId)),
    [
      `${capped.key.id} search spending_limit_reached key null 1`,
      `${gone.key.id} search unauthorized revoked null 1`,
      `${keyId} decision validation_failed null questions.*.criteria.* 1`,
      `${keyId} search bad_request null null 1`,
      `${keyId} search payload_too_large null null 1`,
      `${keyId} search rate_limited null null 2`,
      `${narrow.key.id} search forbidden endpoint null 1`,
    ].sort(),
  );
  assert.deepEqual(shown(await services.refusals.list(poor.accountId)), [
    `${poor.keyId} search spending_limit_reached account null 1`,
  ]);
  assert.deepEqual(
    shown(await services.refusals.list(banned.accountId)),
    [
      `${banned.keyId} search forbidden banned null 1`,
      `${expired.key.id} search unauthorized expired null 1`,
    ].sort(),
  );
  assert.deepEqual(shown(await services.refusals.list(unverified.accountId)), [
    `${unverified.keyId} search forbidden unverified null 1`,
  ]);
  const everything = Deno.inspect(
    await Array.fromAsync(kv.list({ prefix: ["refusals"] })),
    { depth: 10, iterableLimit: 1_000 },
  );
  assert.doesNotMatch(everything, /hidden|inner|parcel|127\.0\.0\.1/);
});

Deno.test("a field is told without the names that the caller chose", () => {
  const fields = {
    "numResults": "numResults",
    "contents.subpages": "contents.subpages",
    "questions": "questions",
    "questions.late": "questions.*",
    "questions.späté.type": "questions.*.type",
    'questions["a.b[\\"x\\"]"].criteria': "questions.*.criteria",
    "questions.a.criteria[1]": "questions.*.criteria[1]",
    "questions.a.criteria.b": "questions.*.criteria.*",
    'questions["x y"].criteria["z …"]': "questions.*.criteria.*",
    'questions[""]': "questions.*",
  };
  for (const [field, expected] of Object.entries(fields)) {
    assert.equal(withoutOwnNames(field), expected);
  }
});

Deno.test("a refusal that only the operator can end leads to the operator", async () => {
  const table: readonly (readonly [contact: string, words: string])[] = [
    ["", "the operator of this service"],
    ["hello@harbour.example", "the operator of this service (hello@harbour.example)"],
    ["tel:+1-201-555-0123", "the operator of this service (+1-201-555-0123)"],
    ["https://harbour.example/help", "the operator of this service (https://harbour.example/help)"],
    // As a link it is whole; its address alone would lack the subject.
    ["mailto:a@b.example?subject=Foyer", "(mailto:a@b.example?subject=Foyer)"],
  ];
  for (const [SITE_CONTACT, words] of table) {
    await using foyer = await startFoyer({ env: { SITE_CONTACT } });
    const { kv, clock } = foyer;
    const [poor, banned, unverified, narrow] = [
      await foyer.createMember(0n),
      await foyer.createMember(),
      await foyer.createMember(),
      await foyer.createMember(),
    ];
    await updateAccount(kv, banned.accountId, { banned: true, banReason: "Sold" }, madeBy());
    await updateAccount(kv, unverified.accountId, { verified: false }, madeBy());
    const asked = { accountId: narrow.accountId, label: null, expiresAt: null };
    const key = await createKey(kv, { ...asked, endpoints: ["answer"] }, madeBy(clock.now));
    for (const text of [poor.key, banned.key, unverified.key, key.text]) {
      const { hint } = await (await foyer.post(PATHS.search, text, SEARCH)).json();
      assert.ok(hint.includes(words), hint);
      assert.equal(hint.includes("("), SITE_CONTACT !== "", hint);
    }
    const { message } = await (await foyer.post(PATHS.search, banned.key, SEARCH)).json();
    assert.match(message, / is banned: Sold\.$/);
    const document = await (await foyer.get("/docs/errors.md")).text();
    assert.ok(document.includes(words), "the table of errors");
    assert.ok(!document.includes("{{"), "every placeholder is filled");
  }
});

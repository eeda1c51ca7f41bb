/** The audit log: each change of an account or key has an entry, written with it. */

import assert from "node:assert/strict";
import { createAccount, updateAccount } from "../../lib/accounts/account.ts";
import { listAuditLog, removeOldAuditEntries } from "../../lib/accounts/audit_log.ts";
import { createKey, revokeKey, rotateKey, updateKey } from "../../lib/accounts/key.ts";
import { reportLeak } from "../../lib/accounts/leaked.ts";
import { deleteAccount, provisionAccount, suspendAccount } from "../../lib/accounts/owner.ts";
import { parseConfig } from "../../lib/platform/config/config.ts";
import { callTool, done, json, mistake } from "../commands/desk.ts";
import { DAY, HOUR, MINUTE, openAccounts, START } from "../support/accounts.ts";
import { type Fate, faultyKv } from "../support/faulty_kv.ts";
import { madeBy } from "../support/made_by.ts";
import { assertTold, listTold, replay } from "../support/told_changes.ts";

const config = parseConfig({ DAILY_LIMIT_USD: "4" });
const PERSON = { owner: { issuer: "https://id.example", subject: "ada" }, name: "Ada" };

Deno.test("every command that changes an account or key tells who did what, what was before, and why", async () => {
  using world = await openAccounts();
  const { kv, now } = world;
  const place = { kv, config, now, user: "grace" };
  const call = (name: string, ...args: string[]) => {
    world.advance(MINUTE);
    return callTool(name, args, place);
  };
  const { id } = await json(
    call("accounts", "create", "Ada's project", "--limit", "2", "--why", "a pupil", "--json"),
  );
  await done(call("accounts", "limit", id, "3"));
  await done(call("accounts", "limit", id, "9", "--until", "12h", "--why", "the fair"));
  await done(call("accounts", "limit", id, "default"));
  await done(call("accounts", "ban", id, "--why", "sold the key"));
  await done(call("accounts", "ban", id));
  await done(call("accounts", "unban", id));
  await done(call("accounts", "unverify", id));
  await done(call("accounts", "verify", id));
  await done(call("accounts", "show", id));
  const asked = ["--name", "laptop", "--limit", "1", "--json"];
  const { id: keyId } = await json(call("keys", "create", id, ...asked));
  await done(call("keys", "limit", keyId, "none"));
  await done(call("keys", "endpoints", keyId, "search"));
  const { id: nextId, key } = await json(
    call("keys", "rotate", keyId, "--overlap", "1h", "--json"),
  );
  await done(call("keys", "revoke", nextId, "--why", "lost"));

  const all = await listTold(kv, id);
  const until = START + 3 * MINUTE + 12 * HOUR;
  const grant = { limitNanoUsd: 9_000_000_000n, until };
  const cap = { id: keyId, limitNanoUsd: 1_000_000_000n };
  const rotatedAt = START + 14 * MINUTE;
  // What was before, `assertTold` proves from the entries before.
  await assertTold(kv);
  const byRandomId = (one: { keyId?: string }) => one.keyId === keyId ? -1 : 1;
  const entries = [...all.slice(0, 11), ...all.slice(11, 13).sort(byRandomId), ...all.slice(13)];
  assert.deepEqual(entries.map(({ what, keyId, after, why }) => [what.join(), keyId, after, why]), [
    ["create", undefined, { limitNanoUsd: 2_000_000_000n, verified: true }, "a pupil"],
    ["limit", undefined, { limitNanoUsd: 3_000_000_000n }, undefined],
    ["grant", undefined, { grant }, "the fair"],
    ["limit,grant", undefined, { limitNanoUsd: null, grant: null }, undefined],
    ["ban", undefined, { banned: true }, "sold the key"],
    ["unban", undefined, { banned: false }, undefined],
    ["unverify", undefined, { verified: false }, undefined],
    ["verify", undefined, { verified: true }, undefined],
    ["create", keyId, { cap }, undefined],
    ["cap", keyId, { cap: null }, undefined],
    ["endpoints", keyId, { endpoints: ["search"] }, undefined],
    ["rotate", keyId, { revokedAt: rotatedAt + HOUR }, undefined],
    ["create", nextId, { endpoints: ["search"] }, undefined],
    ["revoke", nextId, { revokedAt: rotatedAt + MINUTE, revoked: true }, "lost"],
  ]);
  assert.deepEqual(all.map(({ at, by }) => ({ at, by })).slice(0, 2), [
    { at: START + MINUTE, by: { command: "accounts create", user: "grace" } },
    { at: START + 2 * MINUTE, by: { command: "accounts limit", user: "grace" } },
  ]);
  assert.deepEqual(all.at(-1)?.by, { command: "keys revoke", user: "grace" });
  const text = Deno.inspect(all, { depth: 9 });
  for (const secret of [key.slice(-38), "secretHash", "Ada", "laptop"]) {
    assert.ok(!text.includes(secret), secret);
  }

  assert.match(await mistake(call("accounts", "ban", id, "--why", "a\u0007")), /cannot be printed/);
  assert.match(
    await mistake(call("accounts", "ban", id, "--why", "x".repeat(501))),
    /longer than 500/,
  );
  assert.deepEqual(await listTold(kv, id), all, "a call that is refused records nothing");
});

Deno.test("a sign-in, a withdrawal and a report of a leak are told, and a deletion removes the reasons", async () => {
  using world = await openAccounts();
  const { kv } = world;
  const welcome = (name: string, verified: boolean) => {
    world.advance(MINUTE);
    return provisionAccount(kv, { ...PERSON, name, verified }, world.now());
  };
  const { id } = await welcome("Ada", true);
  await welcome("Ada", true);
  await welcome("Ada Lovelace", false);
  world.advance(MINUTE);
  await suspendAccount(kv, PERSON.owner, world.now());
  await welcome("Ada Lovelace", true);
  world.advance(MINUTE);
  const { key, text } = await world.key({ accountId: id });
  world.advance(MINUTE);
  await updateAccount(kv, id, { banned: true }, {
    ...madeBy(world.now()),
    why: "told her teacher",
  });
  world.advance(MINUTE);
  const reporting = { kv, now: world.now, log: { warn() {} } };
  await reportLeak(text, reporting);
  await reportLeak(text, reporting);

  const before = await listTold(kv, id);
  const words = before.map(({ what, by }) => ({ what, by }));
  const own = { accountId: id };
  assert.deepEqual(words.slice(0, 4), [
    { what: ["create"], by: own },
    { what: ["rename", "unverify"], by: own },
    { what: ["withdraw"], by: own },
    { what: ["verify", "admit"], by: own },
  ]);
  assert.deepEqual(words.at(-1), { what: ["revoke", "leak"], by: { reporter: "visitor" } });
  assert.equal(before.length, 7);
  assert.equal(before[5]?.why, "told her teacher");

  world.advance(MINUTE);
  await deleteAccount(kv, id, { at: world.now(), by: own });
  const after = await listTold(kv, id);
  assert.deepEqual(
    after.slice(0, before.length),
    before.map(({ why: _why, ...rest }) => rest),
    "everything but the reasons stays",
  );
  assert.deepEqual(after[before.length]?.what, ["rename", "delete"]);
  assert.doesNotMatch(Deno.inspect(after, { depth: 9 }), /teacher|Ada|Lovelace/);
  assert.deepEqual(replay(after, key.id)["revoked"], true);
});

Deno.test("a change and its entry are one commit, whatever happens to it", async () => {
  for (const fate of ["refuse", "lose answer", "lose race", "deny"] as const) {
    using world = await openAccounts();
    const { kv } = world;
    const { id } = await world.account();
    const { key } = await world.key({ accountId: id });
    let next: Fate = "work";
    const faulty = faultyKv(kv, ({ kind }) => {
      if (kind === "read") return "work";
      const fate = next;
      next = "work";
      return fate;
    });
    const steps: ((origin: ReturnType<typeof madeBy>) => Promise<unknown>)[] = [
      (origin) => updateAccount(faulty, id, { banned: true, limitNanoUsd: 7n }, origin),
      (origin) => createKey(faulty, { accountId: id, label: null, expiresAt: null }, origin),
      (origin) => updateKey(faulty, key.id, { cap: 3n }, origin),
      (origin) => rotateKey(faulty, key.id, { overlapMilliseconds: HOUR }, origin),
      (origin) => revokeKey(faulty, key.id, origin),
      (origin) => deleteAccount(faulty, id, origin),
      (origin) => createAccount(faulty, { name: "b", limitNanoUsd: 1n, verified: true }, origin),
    ];
    for (const step of steps) {
      world.advance(MINUTE);
      next = fate;
      await step(madeBy(world.now())).catch(() => {});
      await assertTold(kv, fate);
    }
  }
});

Deno.test("entries from before a day are removed, and no other", async () => {
  using world = await openAccounts();
  const { kv } = world;
  const [{ id }, other] = [await world.account(), await world.account()];
  for (const limitNanoUsd of [1n, 2n, 3n]) {
    world.advance(DAY);
    await updateAccount(kv, id, { limitNanoUsd }, madeBy(world.now()));
  }
  await removeOldAuditEntries(kv, "2026-11-23");
  assert.deepEqual((await listTold(kv, id)).map(({ after }) => after["limitNanoUsd"]), [2n, 3n]);
  assert.deepEqual(await listTold(kv, other.id), []);
  const all = await Array.fromAsync(listAuditLog(kv));
  assert.deepEqual(all.map(({ after }) => after["limitNanoUsd"]), [3n, 2n], "the newest first");
  const since = await Array.fromAsync(listAuditLog(kv, START + 3 * DAY));
  assert.deepEqual(since, all.slice(0, 1));
});

/** Authentication: which keys are admitted, how others are refused, and how soon changes take effect. */

import assert from "node:assert/strict";
import { updateAccount } from "../../lib/accounts/account.ts";
import type { Authenticator, Caller } from "../../lib/accounts/authenticate.ts";
import { revokeKey, rotateKey } from "../../lib/accounts/key.ts";
import { createKeyText } from "../../lib/accounts/key_text.ts";
import { getLastUses } from "../../lib/accounts/last_use.ts";
import { RefusedCaller } from "../../lib/accounts/refusal.ts";
import { PublicError } from "../../lib/platform/http/errors.ts";
import {
  type AccountsWorld,
  DAY,
  HOUR,
  MINUTE,
  openAccounts,
  SECOND,
  START,
} from "../support/accounts.ts";
import { mistype } from "../support/member.ts";
import { madeBy } from "../support/made_by.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const bearer = (text: string) => new Headers({ authorization: `Bearer ${text}` });

/** The error of a request that must be refused. */
async function refused(guard: Authenticator, headers: Headers): Promise<RefusedCaller> {
  const outcome = await guard.authenticate(headers).catch((error: unknown) => error);
  assert.ok(outcome instanceof RefusedCaller, Deno.inspect(outcome));
  return outcome;
}

/** Whether a key is admitted, for tests in which only that changes. */
async function admits(guard: Authenticator, text: string): Promise<boolean> {
  const outcome = await guard.authenticate(bearer(text)).catch((error: unknown) => error);
  if (outcome instanceof PublicError) return false;
  assert.ok(!(outcome instanceof Error), Deno.inspect(outcome));
  return true;
}

function challenge(error: PublicError): string | undefined {
  return error.headers["www-authenticate"];
}

/** Resolves when every promise that can go on without the test has done so. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("a valid key is accepted in either header, the scheme in any case", async () => {
  await using world = await openAccounts();
  const account = await world.account({ limitNanoUsd: 5n });
  const { key, text } = await world.key({ accountId: account.id });
  const caller: Caller = { key, account };
  const guard = world.authenticator();
  const good: HeadersInit[] = [
    { authorization: `Bearer ${text}` },
    { authorization: `bearer ${text}` },
    { Authorization: `BEARER   ${text} ` },
    { "x-api-key": text },
    { "X-Api-Key": ` ${text} ` },
    { authorization: `Bearer ${text}`, "x-api-key": text },
    { authorization: "", "x-api-key": text },
    { authorization: "Bearer ", "x-api-key": text },
    { authorization: `Bearer ${text}`, "x-api-key": "" },
  ];
  for (const headers of good) {
    assert.deepEqual(await guard.authenticate(new Headers(headers)), caller);
  }
});

Deno.test("requests without a valid key are 401, each with its own reason and a hint", async () => {
  await using world = await openAccounts();
  const { key, text } = await world.key();
  const { text: other } = createKeyText();
  const guard = world.authenticator();
  const bad: [HeadersInit, reason: string][] = [
    [{}, "missing"],
    [{ authorization: "" }, "missing"],
    [{ authorization: "Bearer" }, "missing"],
    [{ "x-api-key": " " }, "missing"],
    [{ authorization: `Basic ${btoa("a:b")}` }, "scheme"],
    [{ authorization: text }, "scheme"],
    [{ authorization: `Bearer${text}` }, "scheme"],
    [{ authorization: `Bearer ${text}`, "x-api-key": other }, "conflicting"],
    [{ authorization: "Basic YTpi", "x-api-key": text }, "conflicting"],
    [{ authorization: "Bearer sk-or-v1-0123" }, "malformed"],
    [{ authorization: `Bearer "${text}"` }, "malformed"],
    [{ authorization: `Bearer Bearer ${text}` }, "malformed"],
    [{ authorization: `Bearer ${text}, Bearer ${text}` }, "malformed"],
    [{ "x-api-key": "undefined" }, "malformed"],
    [{ "x-api-key": key.id }, "malformed"],
    [{ "x-api-key": key.secretHash.toHex() }, "malformed"],
    [{ "x-api-key": text.slice(0, 51) }, "malformed"],
    [{ "x-api-key": text.repeat(999) }, "malformed"],
    [{ "x-api-key": mistype(text) }, "mistyped"],
    [{ authorization: `Bearer ${other}` }, "unknown"],
  ];
  for (const [headers, reason] of bad) {
    const error = await refused(guard, new Headers(headers));
    assert.equal(error.code, "unauthorized");
    assert.equal(error.status, 401);
    assert.equal(error.refusal.reason, reason, Deno.inspect(headers));
    assert.equal(world.watched.reads > 0, reason === "unknown", "read only if the checksum fits");
    assert.ok(error.hint);
    const isKeyGiven = reason !== "missing" && reason !== "scheme";
    const expected = `Bearer realm="foyer"${isKeyGiven ? ', error="invalid_token"' : ""}`;
    assert.equal(challenge(error), expected, Deno.inspect(headers));
  }
});

/** Another key with the same public id: one character of the secret differs, the checksum fits. */
function forge(text: string, at: number): string {
  const digits = Array.from(text, (digit) => BASE62.indexOf(digit));
  const [id, secret] = [digits.slice(6, 18), digits.slice(19, 51)];
  secret[at] = ((secret[at] ?? 0) + 1) % 62;
  const drawn = [id, secret];
  return createKeyText(() => Uint8Array.from(drawn.shift() ?? [])).text;
}

Deno.test("the right id with another secret is an unknown key, and tells nothing of the key's state", async () => {
  await using world = await openAccounts();
  const { key, text } = await world.key();
  const guard = world.authenticator();
  const tryAll = async () => {
    const seen = new Set<string>();
    for (let at = 0; at < 32; at++) {
      const { message, hint } = await refused(guard, bearer(forge(text, at)));
      seen.add(`${message} ${hint}`);
    }
    return [...seen];
  };
  const before = await tryAll();
  assert.equal(before.length, 1);
  assert.ok(before[0]?.startsWith(`The API key ${key.id} is unknown.`));
  assert.ok(await admits(guard, text));
  await revokeKey(world.kv, key.id, madeBy());
  world.advance(MINUTE);
  assert.deepEqual(await tryAll(), before);
});

Deno.test("a revocation, a ban and a lower limit are in force within five seconds in every process", async () => {
  await using world = await openAccounts();
  const changes: [(key: { id: string; accountId: string }) => Promise<unknown>, number | string][] =
    [
      [({ id }) => revokeKey(world.kv, id, madeBy(world.now())), 401],
      [({ accountId }) => updateAccount(world.kv, accountId, { banned: true }, madeBy()), 403],
      [({ accountId }) => updateAccount(world.kv, accountId, { verified: false }, madeBy()), 403],
      [({ accountId }) => updateAccount(world.kv, accountId, { limitNanoUsd: 1n }, madeBy()), "1"],
    ];
  for (const [change, expected] of changes) {
    const { key, text } = await world.key();
    const guards = [world.authenticator(), world.authenticator()];
    for (const guard of guards) assert.ok(await admits(guard, text));
    // The key is in constant use, which must not extend the life of an old result.
    await change(key);
    for (let second = 0; second < 5; second++) {
      world.advance(SECOND);
      for (const guard of guards) await admits(guard, text);
    }
    for (const guard of guards) {
      const outcome = await guard.authenticate(bearer(text)).catch((error) => error);
      const seen = outcome instanceof PublicError
        ? outcome.status
        : String(outcome.account.limitNanoUsd);
      assert.equal(seen, expected);
    }
  }
});

Deno.test("a revocation is in force where the process's clock is far behind, or is set back", async () => {
  await using world = await openAccounts();
  for (const [behind, revokedAt, passed] of [[-HOUR, START, 5 * SECOND], [0, START - DAY, -HOUR]]) {
    const { key, text } = await world.key();
    const guard = world.authenticator(behind);
    assert.ok(await admits(guard, text));
    await revokeKey(world.kv, key.id, madeBy(revokedAt));
    world.advance(Number(passed));
    assert.ok(!await admits(guard, text));
  }
});

Deno.test("a rotated key works until the moment that was set, and its successor from the start", async () => {
  await using world = await openAccounts();
  const { key, text } = await world.key();
  const guard = world.authenticator();
  assert.ok(await admits(guard, text));
  const rotation = await rotateKey(world.kv, key.id, { overlapMilliseconds: HOUR }, madeBy());
  assert.ok(rotation.kind === "rotated");
  world.advance(HOUR - 1);
  assert.ok(await admits(guard, text));
  assert.ok(await admits(guard, rotation.text));
  world.advance(1);
  assert.ok(!await admits(guard, text), "to the millisecond, although the look-up is held");
  assert.ok(await admits(guard, rotation.text));
});

Deno.test("look-ups are held for three seconds from the start of the read, misses too", async () => {
  await using world = await openAccounts();
  const { text } = await world.key();
  const { text: unknown } = createKeyText();
  for (const [each, first] of [[text, 2], [unknown, 1]] as const) {
    const guard = world.authenticator();
    const start = world.watched.reads;
    const read = () => world.watched.reads - start;
    await admits(guard, each);
    assert.equal(read(), first);
    world.advance(2_999);
    await admits(guard, each);
    assert.equal(read(), first);
    world.advance(1);
    await admits(guard, each);
    assert.equal(
      read(),
      first + 1,
      "key and account come in one read once the account is known",
    );
  }
});

Deno.test("a look-up that took five seconds admits no request", async () => {
  await using world = await openAccounts();
  const { key, text } = await world.key();
  const guard = world.authenticator();
  assert.ok(await admits(guard, text));
  world.advance(4 * SECOND);
  const gate = Promise.withResolvers<void>();
  world.watched.after = (what) => what === "read" ? gate.promise : undefined;
  const asked = admits(guard, text);
  await pause();
  await revokeKey(world.kv, key.id, madeBy(world.now()));
  world.advance(5_001);
  gate.resolve();
  assert.equal(await asked, false);
  assert.equal(world.watched.reads, 4, "two, then the one that was slow, then another");
});

/** The last use of a key, once the pending writes are done. */
async function lastUse(world: AccountsWorld, keyId: string): Promise<number | null> {
  await world.watched.settle();
  return (await getLastUses(world.kv, [keyId]))[0] ?? null;
}

Deno.test("the last use of a key is recorded once a minute, and only if the key was accepted", async () => {
  await using world = await openAccounts();
  const { key, text } = await world.key();
  const guard = world.authenticator();
  assert.equal(await lastUse(world, key.id), null);
  let writes = 0;
  world.watched.before = (what) => {
    if (what === "commit") writes++;
  };
  for (let second = 0; second < 120; second++) {
    assert.ok(await admits(guard, text));
    world.advance(SECOND);
  }
  assert.equal(await lastUse(world, key.id), START + MINUTE);
  assert.equal(writes, 2);
  await revokeKey(world.kv, key.id, madeBy(world.now()));
  world.advance(10 * MINUTE);
  assert.ok(!await admits(guard, text));
  assert.equal(await lastUse(world, key.id), START + MINUTE);
});

Deno.test("a request does not wait for the record of its use, nor fail with it", async () => {
  await using world = await openAccounts();
  const { key, text } = await world.key();
  const guard = world.authenticator();
  const gate = Promise.withResolvers<void>();
  world.watched.before = async (what) => {
    if (what === "commit") await gate.promise;
  };
  assert.ok(await admits(guard, text));
  gate.reject(new Error("disk full"));
  assert.equal(await lastUse(world, key.id), null);
  await pause();
  assert.match(world.logged(), /last use of a key could not be recorded[^]*disk full/);
  assert.ok(world.logged().includes(key.id));
  world.watched.before = () => {};
  world.advance(MINUTE);
  assert.ok(await admits(guard, text));
  assert.equal(await lastUse(world, key.id), START + MINUTE);
});

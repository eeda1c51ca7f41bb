/** `keys`: what each command does and prints. */

import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { getKey } from "../../lib/accounts/key.ts";
import { getLastUses } from "../../lib/accounts/last_use.ts";
import { PublicError } from "../../lib/platform/http/errors.ts";
import { START } from "../support/accounts.ts";
import { type Desk, done, json, mistake, sitDown } from "./desk.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const KEY = /foyer_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}/g;

/** A desk with one account. */
async function withAccount(): Promise<Desk & { readonly id: string }> {
  const desk = await sitDown();
  const { id } = await json(desk.accounts("create", "bot", "--json"));
  return { ...desk, id };
}

/** The status that a request with a key gets from a process that starts now; 200 if it is let in. */
async function statusOf(desk: Desk, text: string): Promise<number> {
  const guard = desk.authenticator();
  const headers = new Headers({ authorization: `Bearer ${text}` });
  try {
    const { key: { id: keyId } } = await guard.authenticate(headers);
    // Only this test waits for the record of the last use.
    while ((await getLastUses(desk.kv, [keyId]))[0] !== desk.now()) await setTimeout(1);
    return 200;
  } catch (error) {
    if (error instanceof PublicError) return error.status;
    throw error;
  }
}

Deno.test("create prints the key once, and --json one object with the public id and the key", async () => {
  using desk = await withAccount();
  const out = await done(desk.keys("create", "bot"));
  const [text = "", ...others] = out.match(KEY) ?? [];
  assert.deepEqual(others, []);
  assert.match(out, /Keep it now: it is shown only once\./);
  assert.match(out, /It does not expire\./);
  assert.equal(await statusOf(desk, text), 200);
  const args = ["create", desk.id, "--name", "laptop", "--expires", "90d", "--json"];
  const created = await json(desk.keys(...args));
  assert.deepEqual(created, {
    ...{ id: created.key.split("_")[1], accountId: desk.id, name: "laptop", state: "active" },
    ...{ createdAt: "2026-11-21T12:00:00.000Z", expiresAt: "2027-02-19T12:00:00.000Z" },
    ...{ revokedAt: null, lastUsedAt: null, limitUsd: null, endpoints: null, leak: null },
    key: created.key,
  });
  assert.equal(await statusOf(desk, created.key), 200);
});

Deno.test("expiries are durations from now, dates, or moments", async () => {
  using desk = await withAccount();
  const expiries: [string, number][] = [
    ["30m", START + HOUR / 2],
    ["2w", START + 14 * DAY],
    ["2027-01-31", Date.parse("2027-01-31T00:00:00Z")],
    ["2026-11-21T14:00:00+01:00", START + HOUR],
    ["2027-01-31T12:30:00Z", Date.parse("2027-01-31T12:30:00Z")],
  ];
  for (const [expires, at] of expiries) {
    const { id } = await json(desk.keys("create", desk.id, "--expires", expires, "--json"));
    assert.equal((await getKey(desk.kv, id))?.expiresAt, at, expires);
  }
});

Deno.test("limit and endpoints change a key's rights, and name an unknown endpoint", async () => {
  using desk = await withAccount();
  const { id } = await json(desk.keys("create", "bot", "--json"));
  assert.match(await done(desk.keys("limit", id, "2")), /Daily limit: \$2\.00; endpoints: all\./);
  await done(desk.keys("endpoints", id, "search"));
  const { cap, endpoints } = await getKey(desk.kv, id) ?? {};
  assert.deepEqual([cap, endpoints], [{ id, limitNanoUsd: 2_000_000_000n }, ["search"]]);
  const rotated = await json(desk.keys("rotate", id, "--json"));
  assert.deepEqual([rotated.limitUsd, rotated.endpoints], [2, ["search"]]);
  assert.deepEqual((await getKey(desk.kv, rotated.id))?.cap, cap, "both keys share the cap");
  const free = await json(desk.keys("limit", rotated.id, "none", "--json"));
  assert.deepEqual([free.limitUsd, free.endpoints], [null, ["search"]]);
  const all = await json(desk.keys("endpoints", rotated.id, "all", "--json"));
  assert.deepEqual([all.limitUsd, all.endpoints], [null, null]);
});

Deno.test("a key of an account that is banned or unverified is created with a note on stderr", async () => {
  using desk = await withAccount();
  await done(desk.accounts("ban", "bot"));
  const { code, out, err } = await desk.keys("create", "bot", "--json");
  assert.equal(code, 0);
  assert.match(err, /^Note: the account is banned, so requests with the key are refused/);
  assert.equal(await statusOf(desk, JSON.parse(out).key), 403);
});

Deno.test("list and show print state, end and last use, and never the key or its hash", async () => {
  using desk = await withAccount();
  assert.match(await done(desk.keys("list", "bot")), /No keys yet/);
  const limits = ["--limit", "0.50", "--endpoints", "search, answer"];
  const first = await json(desk.keys("create", "bot", "--name", "laptop", ...limits, "--json"));
  desk.advance(HOUR);
  const second = await json(desk.keys("create", "bot", "--expires", "1h", "--json"));
  assert.equal(await statusOf(desk, first.key), 200);
  await done(desk.keys("revoke", first.id));
  desk.advance(2 * HOUR);
  assert.equal(
    await done(desk.keys("list", "bot")),
    `ID            ACCOUNT           STATE    CREATED               ENDS                  LAST USED             DAILY LIMIT  ENDPOINTS      NAME
${first.id}  ${desk.id}  revoked  2026-11-21 12:00 UTC  2026-11-21 13:00 UTC  2026-11-21 13:00 UTC  $0.50        search,answer  laptop
${second.id}  ${desk.id}  expired  2026-11-21 13:00 UTC  2026-11-21 14:00 UTC  -                     none         all            -
`,
  );
  const row = new RegExp(`^${first.id} +${desk.id} +revoked .* search,answer +laptop$`, "m");
  assert.match(await done(desk.keys("show", first.id)), row);
  const [listed] = await json(desk.keys("list", "bot", "--json"));
  const { key: _key, ...made } = first;
  const at = "2026-11-21T13:00:00.000Z";
  assert.deepEqual(listed, { ...made, state: "revoked", revokedAt: at, lastUsedAt: at });
  assert.deepEqual([listed.limitUsd, listed.endpoints], [0.5, ["search", "answer"]]);
  assert.deepEqual(await json(desk.keys("show", first.id, "--json")), listed);
  await done(desk.accounts("create", "Ada"));
  await done(desk.keys("create", "Ada"));
  const all: { accountId: string }[] = await json(desk.keys("list", "--json"));
  assert.equal(new Set(all.map(({ accountId }) => accountId)).size, 2, "the keys of all accounts");
});

Deno.test("revoke refuses a key from then on, by its id or by its leaked text, and says if it was revoked before", async () => {
  using desk = await withAccount();
  for (const name of ["id", "key"]) {
    const created = await json(desk.keys("create", "bot", "--json"));
    assert.equal(await statusOf(desk, created.key), 200);
    assert.match(await done(desk.keys("revoke", created[name])), /^Changed, .* is revoked\./);
    assert.equal(await statusOf(desk, created.key), 401);
    desk.advance(HOUR);
    assert.match(await done(desk.keys("revoke", created.id)), /^Nothing changed: .* is revoked\./);
    assert.equal((await json(desk.keys("revoke", created.id, "--json"))).state, "revoked");
  }
});

Deno.test("rotate creates a new key, and says until when the old one works: for a day, or for the overlap", async () => {
  using desk = await withAccount();
  for (const [args, hours] of [[[], 24], [["--overlap", "2h"], 2]] as const) {
    const old = await json(desk.keys("create", "bot", "--name", "laptop", "--json"));
    const rotated = await json(desk.keys("rotate", old.id, ...args, "--json"));
    assert.deepEqual([rotated.name, rotated.replaced.id], ["laptop", old.id]);
    assert.equal(rotated.replaced.revokedAt, new Date(desk.now() + hours * HOUR).toISOString());
    desk.advance(hours * HOUR);
    const statuses = [await statusOf(desk, old.key), await statusOf(desk, rotated.key)];
    assert.deepEqual(statuses, [401, 200]);
  }
  for (
    const [overlap, told] of [
      ["0h", "is revoked: it is refused within five "],
      ["1h", "works until 2026-11-22 15:00 UTC\\."],
    ] as const
  ) {
    const { id } = await json(desk.keys("create", "bot", "--json"));
    const out = await done(desk.keys("rotate", id, "--overlap", overlap));
    assert.match(out, new RegExp(`^The old key ${id} ${told}`, "m"));
  }
});

Deno.test("a key that does not work, or was rotated before, is not rotated", async () => {
  using desk = await withAccount();
  const create = (...args: string[]) => json(desk.keys("create", "bot", ...args, "--json"));
  const [revoked, expired] = [await create(), await create("--expires", "1h")];
  const rotated = await create();
  await done(desk.keys("revoke", revoked.id));
  desk.advance(HOUR);
  await done(desk.keys("rotate", rotated.id));
  const before = (await json(desk.keys("list", "bot", "--json"))).length;
  const again = `so it was not rotated; \`deno task keys create ${desk.id}\` creates another`;
  const ends = `\`deno task keys revoke ${rotated.id}\` ends it now`;
  const sentences = [
    [revoked.id, `is revoked, ${again}`],
    [expired.id, `is expired, ${again}`],
    [rotated.id, `was already rotated, and works until 2026-11-22 13:00 UTC; ${ends}`],
  ] as const;
  for (const [id, sentence] of sentences) {
    assert.equal(await mistake(desk.keys("rotate", id), 1), `error: the key ${id} ${sentence}`);
  }
  assert.equal((await json(desk.keys("list", "bot", "--json"))).length, before);
});

Deno.test("a whole key given by mistake anywhere is never repeated", async () => {
  using desk = await withAccount();
  const { key } = await json(desk.keys("create", "bot", "--json"));
  const unknown = key.replace(/^foyer_.{12}/, "foyer_000000000000");
  const calls = [
    ...["show", "revoke", "rotate"].map((command) => [command, unknown]),
    ...["show", "revoke"].map((command) => [command, key.slice(19)]),
    ["create", key],
    ["list", key],
    ["show", "000000000000", key],
    [key],
    ["create", "bot", "--expires", key],
    ["create", "bot", `--${key}`],
  ];
  for (const call of calls) {
    const { code, out, err } = await desk.keys(...call);
    assert.notEqual(code, 0);
    assert.ok(!`${out}${err}`.includes(key.slice(20, 30)), err);
  }
});

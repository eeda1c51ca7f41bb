/** Backups: copies of a database in use, and databases filled from them. */
// Not quick: databases are copied under load.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import fc from "fast-check";
import { createAccount, getAccount, updateAccount } from "../../../lib/accounts/account.ts";
import { createKey, getKey, revokeKey } from "../../../lib/accounts/key.ts";
import { deleteAccount, provisionAccount } from "../../../lib/accounts/owner.ts";
import { createReferredAccount } from "../../../lib/accounts/reference.ts";
import { ledgerKey, type LedgerValue, reservationKey } from "../../../lib/proxy/ledger/values.ts";
import { readServiceSum } from "../../../lib/proxy/ledger/service_sums.ts";
import { isCopied } from "../../../lib/operate/backup/backup.ts";
import { decodeValue, encodeValue, writeBackupFile } from "../../../lib/operate/backup/file.ts";
import { parseConfig } from "../../../lib/platform/config/config.ts";
import { openKv } from "../../../lib/platform/kv/open.ts";
import { callTool, done } from "../../commands/desk.ts";
import { DAY, openLedger, START } from "../../support/accounts.ts";
import { faultyKv } from "../../support/faulty_kv.ts";
import { openFolder } from "../../support/folder.ts";
import { listTold } from "../../support/told_changes.ts";
import { startKvConnect } from "../../support/kv_connect.ts";
import { readBooks } from "../../support/ledger_books.ts";
import { until } from "../../support/until.ts";
import { madeBy } from "../../support/made_by.ts";

const now = () => START;
const config = parseConfig({ KV_PATH: "foyer.sqlite3" });

const newAccount = (kv: Deno.Kv, limitNanoUsd: bigint) =>
  createAccount(kv, { name: "bot", limitNanoUsd, verified: true }, madeBy());

/** Who signs in as someone, whose account may have a limit. */
const person = (subject: string) => ({
  owner: { issuer: "https://id.example", subject },
  name: null,
  verified: null,
});

/** Calls `restore` with a file and options. */
const restore = (kv: Deno.Kv, args: readonly string[], at = now) =>
  callTool("restore", args, { kv, config, now: at });

/** Fills a database from a backup. */
async function fill(kv: Deno.Kv, ...args: string[]): Promise<void> {
  const { code, err } = await restore(kv, args);
  assert.equal(code, 0, err);
}

/** The sentence with which a restore is refused. */
async function refused(kv: Deno.Kv, file: string): Promise<string> {
  const { code, out, err } = await restore(kv, [file]);
  assert.deepEqual([code, out], [1, ""]);
  return err;
}

/** Everything that a database holds. */
const contentOf = (kv: Deno.Kv) => Array.fromAsync(kv.list({ prefix: [] }));

/** A folder, and backups into it. */
async function openBackups() {
  const folder = await openFolder();
  return {
    ...folder,
    async backUp(kv: Deno.Kv, name: string, at = now): Promise<string> {
      const file = join(folder.path, name);
      await done(callTool("backup", [file], { kv, config, now: at }));
      return file;
    },
  };
}

/** A search's request to the ledger, and what was read of its response. */
const SEARCH = { endpoint: "search", model: null };
const READING = { inputTokens: null, outputTokens: null, model: null, status: 200 };

/** Requests of some accounts, one after the other. */
function startLoad(kv: Deno.Kv, name: string) {
  const ledger = openLedger(kv, now, { serviceLimit: 10n ** 12n });
  let count = 0;
  async function requests(accountId: string): Promise<void> {
    for (let own = 0; own < 80; own++) {
      const requestId = `${name}-${++count}`;
      const amount = BigInt(2 + count % 5);
      const bid = { ...SEARCH, requestId, accountId, keyId: "key", amount };
      const admission = await ledger.reserve({ ...bid, limit: 10n ** 12n });
      assert.ok(admission.admitted);
      // Some reservations stay open, as after a crash.
      if (count % 50 === 7) continue;
      await ledger.settle(admission.reservation, { ...READING, cost: amount - 1n });
    }
  }
  const callers = [0, 1, 2].map((at) => requests(`acc_${at}`));
  return {
    /** Some of the requests have been made. */
    isUnderWay: () => until(() => count >= 60),
    async finish(): Promise<void> {
      await Promise.all(callers);
      await ledger.flush();
    },
  };
}

/** The cost of the records, and the service's sum of the day. */
async function sumsOf(kv: Deno.Kv) {
  const { records, open } = await readBooks(kv);
  const costs = [...records.values()].reduce((sum, { cost }) => sum + cost, 0n);
  const reserved = [...open.values()].reduce((sum, { amount }) => sum + amount, 0n);
  assert.equal(await readServiceSum(kv, "2026-11-21"), costs + reserved);
  return { records, open };
}

Deno.test("an installation moves from a file to a remote database and back under load, and the sums agree to the nano-dollar", async () => {
  await using folder = await openBackups();
  const { backUp } = folder;
  await using server = startKvConnect();
  using file = await openKv(join(folder.path, "foyer.sqlite3"));
  using remote = await openKv(server.env.KV_PATH);
  using back = await openKv(join(folder.path, "back.sqlite3"));
  const places = [file, remote, back];
  await file.set(["health_day", "2026-11-20"], {});
  let known = new Set<string>();
  for (const [at, kv] of places.entries()) {
    const { isUnderWay, finish } = startLoad(kv, `load${at}`);
    await isUnderWay();
    const settled = (await readRecordIds(kv)).union(known);
    const next = places[at + 1];
    if (next === undefined) {
      assert.deepEqual((await kv.get(["health_day", "2026-11-20"])).value, {});
      return await finish();
    }
    // Bookings go on while the copy is made.
    const copy = await backUp(kv, `copy-${at}.gz`);
    await finish();
    await fill(next, copy);
    const { records } = await sumsOf(next);
    assert.ok(records.size > 20, "there was load");
    assert.deepEqual(settled.difference(new Set(records.keys())), new Set(), "nothing is lost");
    known = settled;
  }
});

async function readRecordIds(kv: Deno.Kv): Promise<Set<string>> {
  const records = await Array.fromAsync(kv.list<{ requestId: string }>({ prefix: ["usage"] }));
  return new Set(records.map(({ value }) => value.requestId));
}

Deno.test("a copy of two moments is corrected: a request settled in between is booked once, and one begun in between is not reserved", async () => {
  await using folder = await openBackups();
  const { backUp } = folder;
  using kv = await openKv(":memory:");
  using filled = await openKv(":memory:");
  const ledger = openLedger(kv, now);
  const bid = { ...SEARCH, accountId: "acc_0", amount: 5n, limit: 100n };
  const reserve = async (requestId: string, keyId = "key") => {
    const cap = { id: keyId, limitNanoUsd: 100n };
    const admission = await ledger.reserve({ ...bid, requestId, keyId, cap });
    assert.ok(admission.admitted);
    return admission.reservation;
  };
  const reading = { ...READING, cost: 3n };
  const hold = await reserve("settled in between");
  await reserve("open");
  const book = async () => {
    await ledger.settle(hold, reading);
    await ledger.settle(await reserve("all of it in between"), reading);
    await reserve("begun in between", "another key");
  };
  let booked: Promise<void> | null = null;
  // The reservations are copied before the usage records are listed.
  const between = new Proxy(kv, {
    get(target, name) {
      if (name !== "list") {
        const member = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      }
      return async function* (...given: Parameters<Deno.Kv["list"]>) {
        const isUsage = "prefix" in given[0] && given[0].prefix[0] === "usage";
        if (isUsage) await (booked ??= book());
        yield* target.list(...given);
      };
    },
  });
  await fill(filled, await backUp(between, "torn.gz"));
  assert.ok(booked);
  const { open, records } = await sumsOf(filled);
  assert.deepEqual([...open.keys()], ["open"]);
  assert.deepEqual([...records.keys()].sort(), ["all of it in between", "settled in between"]);
});

Deno.test("a file whose lines were cut or altered is refused, and nothing is written", async () => {
  await using folder = await openBackups();
  const { backUp } = folder;
  using kv = await openKv(":memory:");
  await newAccount(kv, 5n);
  const values = (await contentOf(kv)).map(({ value }) => value);
  const bytes = await Deno.readFile(await backUp(kv, "whole.gz"));
  const damaged = join(folder.path, "damaged.gz");
  const anyDamage = fc.oneof(
    fc.nat(bytes.length - 1).map((length) => bytes.slice(0, length)),
    fc.record({ at: fc.nat(bytes.length - 1), bit: fc.nat(7) })
      .map(({ at, bit }) => bytes.map((byte, index) => index === at ? byte ^ 1 << bit : byte)),
    fc.uint8Array({ maxLength: 50 }).map((noise) => new Uint8Array(noise)),
  );
  await fc.assert(
    fc.asyncProperty(anyDamage, async (bytes) => {
      await Deno.writeFile(damaged, bytes);
      using empty = await openKv(":memory:");
      const { code, err } = await restore(empty, [damaged]);
      const stored = await contentOf(empty);
      // A few bits of gzip have no meaning: if they change, the values are the same.
      if (code === 0) assert.deepEqual(stored.map(({ value }) => value), values);
      else {
        assert.match(err, /^error: \S+damaged\.gz [^\n]+\n$/);
        assert.deepEqual(stored, []);
      }
    }),
    { numRuns: 150 },
  );
});

/** The lines of a backup, in plain text. */
async function linesOf(file: string): Promise<string[]> {
  const bytes = new Blob([await Deno.readFile(file)]).stream();
  const text = await new Response(bytes.pipeThrough(new DecompressionStream("gzip"))).text();
  return text.trimEnd().split("\n");
}

/** Compresses chunks into a file. */
async function compress(file: string, chunks: Iterable<string>): Promise<void> {
  const text = ReadableStream.from(chunks).pipeThrough(new TextEncoderStream());
  await Deno.writeFile(file, text.pipeThrough(new CompressionStream("gzip")));
}

Deno.test("the file is lines of JSON: its values with their keys, accounts and keys last", async () => {
  await using folder = await openBackups();
  const { backUp } = folder;
  using kv = await openKv(":memory:");
  await kv.set(["day", "2026-11-20", "acc_a"], { spent: 3n });
  await newAccount(kv, 2n);
  await kv.set(["departed", "digest"], {
    accountId: "acc_a",
    day: "2026-11-21",
    until: START + DAY,
  });
  const all = await linesOf(await backUp(kv, "copy.gz"));
  const [head = "", first = "", ...lines] = all;
  assert.deepEqual(JSON.parse(head), { backup: "foyer", format: 4, at: START });
  const spent = { $bigint: "3" };
  assert.deepEqual(JSON.parse(first), { key: ["day", "2026-11-20", "acc_a"], value: { spent } });
  const { end } = JSON.parse(lines.pop() ?? "");
  assert.deepEqual(end.values, { day: 1, change: 1, change_at: 1, account: 1, departed: 1 });
  const above = all.slice(0, -1).map((line) => `${line}\n`).join("");
  assert.equal(end.sha256, createHash("sha256").update(above).digest("hex"));
  const kinds = lines.map((line) => JSON.parse(line).key[0]);
  assert.deepEqual(kinds, ["change", "change_at", "account", "departed"]);
});

Deno.test("every kind of value that cannot be made again is copied", async () => {
  const storage = await Deno.readTextFile(
    new URL("../../../lib/platform/kv/STORAGE.md", import.meta.url),
  );
  const kept = [...storage.matchAll(/^### `(\[.*?\])`\n\nKept /gm)].map(([, key = ""]) =>
    [...key.matchAll(/"(\w+)"/g)].map(([, part = ""]) => part)
  );
  assert.ok(kept.length > 10);
  // `deno task analytics fill` sends all records again.
  const left = kept.filter(([first]) => first !== "outbox").filter((key) => !isCopied(key));
  assert.deepEqual(left, []);
});

Deno.test("a file that is no backup of this version is refused with the reason, and nothing is written", async () => {
  await using folder = await openBackups();
  const { backUp } = folder;
  using kv = await openKv(":memory:");
  await newAccount(kv, 5n);
  const copy = await backUp(kv, "copy.gz");
  const [head = "", ...lines] = await linesOf(copy);
  const other = join(folder.path, "other.gz");
  const packed = (lines: string[]) => lines.map((line) => `${line}\n`);
  const values = lines.slice(0, -1);
  const end = lines.at(-1) ?? "";
  const whole = /is not whole: its values are not those that its end counts/;
  const cases: [chunks: string[], expected: RegExp][] = [
    [packed([head, ...values]), whole],
    [packed([head, ...values.slice(1), end]), whole],
    [packed([head, ...values, values[0] ?? "", end]), whole],
    [packed([head, ...values.map((line) => line.replace('"5"', '"6"')), end]), whole],
    [packed([head, ...values, end, values[0] ?? ""]), /is damaged at line/],
    [[], /other\.gz is not a backup of Foyer; deno task backup writes one/],
    [["{}\n", ...lines], /is not a backup of Foyer/],
    [[head.replace('"format":4', '"format":5')], /is not a backup of Foyer/],
    [[`${head.replace('"format":4', '"format":5')}\n`], /has the format 5, .* reads 4/],
    [[`${head}\n`, "hello\n"], /is damaged at line 2/],
    [[`${head}\n`, '{"key":["account","a"]}\n'], /is damaged at line 2/],
    [[`${head}\n`, '{"key":["account",{}],"value":1}\n'], /is damaged at line 2/],
    [[`${head}\n`, '{"key":["account","', "a".repeat(2e6), '"],"value":1}\n'], /at line 2/],
    [[`${head.replace(/"at":\d+/, '"at":1e300')}\n`], /is not a backup of Foyer/],
    [[`${head}\n`, '{"key":["lease","a"],"value":1}\n'], /has values that no backup of this /],
  ];
  for (const [chunks, expected] of cases) {
    await compress(other, chunks);
    using empty = await openKv(":memory:");
    assert.match(await refused(empty, other), expected);
    assert.deepEqual(await contentOf(empty), [], `${expected}`);
  }
});

Deno.test("a value that is not as its kind should be is refused before anything is written, and its content is not told", async () => {
  await using folder = await openBackups();
  const file = join(folder.path, "edited.gz");
  using kv = await openKv(":memory:");
  const { id } = await newAccount(kv, 4n);
  const { key } = await createKey(kv, { accountId: id, label: null, expiresAt: null }, madeBy());
  const ledger = openLedger(kv, now);
  const bid = { ...SEARCH, accountId: id, keyId: key.id, limit: 100n };
  const first = await ledger.reserve({ ...bid, requestId: "r1", amount: 5n });
  assert.ok(first.admitted);
  await ledger.settle(first.reservation, { ...READING, cost: 3n });
  await ledger.reserve({ ...bid, requestId: "r2", amount: 7n });
  const values = (await contentOf(kv)).filter((each) => isCopied(each.key))
    .map(({ key, value }) => ({ key, value }));
  const kinds = new Set(values.map(({ key }) => key[0]));
  for (const kind of ["account", "key", "usage", "reservation", "ledger", "change"]) {
    assert.ok(kinds.has(kind), kind);
  }
  /** Fills an empty database from a file with these values. */
  const restored = async (edited: readonly { key: Deno.KvKey; value: unknown }[]) => {
    await Deno.remove(file).catch(() => {});
    async function* all() {
      yield* edited;
    }
    await writeBackupFile(file, START, all());
    using empty = await openKv(":memory:");
    const { code, err } = await restore(empty, [file]);
    if (code !== 0) assert.deepEqual(await contentOf(empty), []);
    return code === 0 ? "" : err;
  };
  assert.equal(await restored(values), "");
  const edits: [kind: string, member: string, value: unknown][] = [
    ["account", "limitNanoUsd", "4"],
    ["account", "limitNanoUsd", 4],
    ["account", "limitNanoUsd", -4n],
    ["account", "banned", "false"],
    ["account", "id", "acc_aaaaaaaaaaaa"],
    ["key", "secretHash", "secret-hash"],
    ["key", "revoked", undefined],
    ["key", "cap", { id: "x", limitNanoUsd: "1" }],
    ["usage", "cost", 3],
    ["usage", "accountId", "acc_aaaaaaaaaaaa"],
    ["reservation", "amount", "7"],
    ["reservation", "deadline", null],
    ["ledger", "days", { "2026-11-21": { spent: "3", reserved: 7n, requests: 1, byEndpoint: {} } }],
    ["ledger", "version", "2"],
    ["change", "at", "secret-moment"],
  ];
  for (const [kind, member, value] of edits) {
    const edited = values.map((each) =>
      each.key[0] === kind ? { ...each, value: { ...each.value as object, [member]: value } } : each
    );
    const err = await restored(edited);
    const wrong = new RegExp(
      `a value of the kind “${kind}” is wrong in ${member}.*Nothing was written`,
    );
    assert.match(err, wrong, `${kind} ${member}`);
    assert.doesNotMatch(err, /secret-/);
  }
});

Deno.test("a database with any value is not filled, and an interrupted restore is run again", async () => {
  await using folder = await openBackups();
  const { backUp } = folder;
  using kv = await openKv(":memory:");
  const { id } = await newAccount(kv, 1n);
  for (let count = 0; count < 300; count++) {
    await createKey(kv, { accountId: id, label: null, expiresAt: null }, madeBy());
  }
  const file = await backUp(kv, "copy.gz");
  assert.match(await refused(kv, file), /cannot be filled: it is not empty; use a new database/);
  using served = await openKv(":memory:");
  await served.set(["jobs"], {});
  assert.match(await refused(served, file), /cannot be filled: it is not empty/);
  const none = await restore(kv, [join(folder.path, "none")]);
  assert.match(none.err, /^error: there is no file/);

  using filled = await openKv(":memory:");
  let commits = 0;
  const failing = faultyKv(
    filled,
    ({ kind }) => kind === "commit" && ++commits === 3 ? "refuse" : "work",
  );
  assert.equal((await restore(failing, [file])).code, 1);
  await fill(filled, file);
  const all = async (kv: Deno.Kv) =>
    (await contentOf(kv)).map(({ key, value }) => ({ key, value }))
      // When the database was copied, which the copy does not tell.
      .filter(({ key }) => key[0] !== "backup");
  assert.deepEqual(await all(filled), await all(kv));
  assert.match(await refused(filled, file), /cannot be filled/);
});

Deno.test("what has ended since the copy is not restored: a day of the health is kept for 100 days", async () => {
  await using folder = await openBackups();
  using kv = await openKv(":memory:");
  await newAccount(kv, 1n);
  const days = ["2026-11-19", "2026-11-20"].map((day) => ["health_day", day]);
  for (const day of days) await kv.set(day, {});
  const file = await folder.backUp(kv, "copy.gz");
  using filled = await openKv(":memory:");
  const later = () => Date.parse("2026-11-19") + 100 * 86_400_000;
  assert.equal((await restore(filled, [file], later)).code, 0);
  const found = await Promise.all(days.map(async (day) => (await filled.get(day)).value));
  assert.deepEqual(found, [null, {}]);
});

Deno.test("with the newer database, its accounts, keys and bans count", async () => {
  await using folder = await openBackups();
  const { backUp } = folder;
  const path = join(folder.path, "newer.sqlite3");
  using kv = await openKv(path);
  const account = await newAccount(kv, 5n);
  const asked = { accountId: account.id, label: null, expiresAt: null };
  const { key } = await createKey(kv, asked, madeBy());
  const file = await backUp(kv, "copy.gz");
  await revokeKey(kv, key.id, madeBy());
  await updateAccount(kv, account.id, { banned: true, limitNanoUsd: 7n }, madeBy());
  const { key: added } = await createKey(kv, asked, madeBy());
  const referred = { name: "ada", reference: "s-1", limitNanoUsd: null, verified: true };
  const { account: late } = await createReferredAccount(kv, referred, madeBy());

  using old = await openKv(":memory:");
  const { code, err } = await restore(old, [file]);
  assert.equal(code, 0);
  assert.match(err, /^(Note: [^\n]+\n){6}$/);
  assert.match(err, /^Note: changes after 2026-11-21 12:00 UTC are lost\..* repeat by hand:\n/);
  for (const what of ["revoked", "banned", "deleted", "limits", "created"]) {
    assert.ok(err.includes(what), what);
  }
  using wrong = await openKv(":memory:");
  const nothing = join(folder.path, "nothing.sqlite3");
  (await openKv(nothing)).close();
  const slip = await restore(wrong, [file, "--against", nothing]);
  assert.match(slip.err, /^error: --against: \S+ has no accounts; is it the old database\?\n$/);
  assert.deepEqual(await contentOf(wrong), []);

  using filled = await openKv(":memory:");
  await fill(filled, file, "--against", path);
  const restored = await getAccount(filled, account.id);
  assert.deepEqual([restored?.banned, restored?.limitNanoUsd], [true, 7n]);
  assert.equal((await getKey(filled, added.id))?.id, added.id);
  const again = await createReferredAccount(filled, referred, madeBy());
  assert.deepEqual(again, { account: late, isNew: false });
  assert.equal((await getKey(filled, key.id))?.revoked, true);
});

Deno.test("a restore brings the audit log back, and against the old database no reason that a deletion removed", async () => {
  await using folder = await openBackups();
  const { backUp } = folder;
  const path = join(folder.path, "old.sqlite3");
  using kv = await openKv(path);
  const { id } = await provisionAccount(kv, person("ada"), START);
  await updateAccount(kv, id, { banned: true }, { ...madeBy(), why: "told her teacher" });
  const before = await listTold(kv, id);
  const file = await backUp(kv, "copy.gz");
  await deleteAccount(kv, id, madeBy(START + 1));
  using filled = await openKv(":memory:");
  await fill(filled, file);
  assert.deepEqual(await listTold(filled, id), before);
  using current = await openKv(":memory:");
  await fill(current, file, "--against", path);
  const after = await listTold(current, id);
  assert.deepEqual(after, await listTold(kv, id));
  assert.equal(after.length, before.length + 1);
  assert.doesNotMatch(Deno.inspect(after, { depth: 9 }), /teacher/);
});

Deno.test("who deleted an account gets the same one after a restore, and nothing of others outlasts the day", async () => {
  await using folder = await openBackups();
  const { backUp } = folder;
  const path = join(folder.path, "newer.sqlite3");
  using kv = await openKv(path);
  const leave = async (subject: string, limitNanoUsd: bigint | null) => {
    const { id } = await provisionAccount(kv, person(subject), START);
    await updateAccount(kv, id, { limitNanoUsd }, madeBy());
    await deleteAccount(kv, id, madeBy(START));
    return [id, person(subject), limitNanoUsd] as const;
  };
  const [ada, bob] = [await leave("ada", 0n), await leave("bob", null)];
  const file = await backUp(kv, "copy.gz");
  const eve = await leave("eve", 0n);
  using filled = await openKv(":memory:");
  await fill(filled, file);
  using current = await openKv(":memory:");
  await fill(current, file, "--against", path);
  const table = [[filled, ada], [filled, bob], [current, ada], [current, eve]] as const;
  for (const [restored, [id, person, limitNanoUsd]] of table) {
    const back = await provisionAccount(restored, person, START + 1);
    assert.deepEqual([back.id, back.limitNanoUsd], [id, limitNanoUsd]);
  }

  using late = await openKv(":memory:");
  assert.equal((await restore(late, [file], () => Date.parse("2026-11-22"))).code, 0);
  const kept = await Array.fromAsync(late.list({ prefix: ["departed"] }));
  assert.deepEqual(kept.map(({ value }) => value), [{ accountId: ada[0], day: "2026-11-21" }]);
});

Deno.test("an audit names the days whose sums are wrong, and a restore ends with one", async () => {
  await using folder = await openBackups();
  const { backUp } = folder;
  using kv = await openKv(":memory:");
  const { id } = await newAccount(kv, 100n);
  const ledger = openLedger(kv, now);
  const bid = { ...SEARCH, accountId: id, keyId: "k", limit: 100n };
  const admission = await ledger.reserve({ ...bid, requestId: "r1", amount: 5n });
  assert.ok(admission.admitted);
  await ledger.reserve({ ...bid, requestId: "r2", amount: 7n });
  await ledger.settle(admission.reservation, { ...READING, cost: 3n });
  const audit = (kv: Deno.Kv) => callTool("accounts", ["audit"], { kv, config, now });
  const right = /^The sums of 1 account agree with their records\.$/m;
  assert.match(await done(audit(kv)), right);

  // A fault on a day that no restore corrects: the records were there, and the sums are not theirs.
  const later = () => START + 3 * DAY;
  const restored = async () => {
    using empty = await openKv(":memory:");
    const file = await backUp(kv, `${crypto.randomUUID()}.gz`, later);
    return await restore(empty, [file], later);
  };
  assert.match((await restored()).out, right);
  const { value } = await kv.get<LedgerValue>(ledgerKey(id));
  const sums = value?.days["2026-11-21"];
  assert.ok(value && sums);
  await kv.set(ledgerKey(id), { ...value, days: { "2026-11-21": { ...sums, spent: 4n } } });
  for (const { code, out } of [await audit(kv), await restored()]) {
    assert.equal(code, 1);
    assert.match(out, /the book has \$0\.000000004 spent on 1 request/);
  }
});

Deno.test("a restore sets the reserved sum of a cap to that of its open reservations", async () => {
  await using folder = await openBackups();
  using kv = await openKv(":memory:");
  const { id } = await newAccount(kv, 100n);
  const ledger = openLedger(kv, now);
  const cap = { id: "k", limitNanoUsd: 50n };
  const bid = { ...SEARCH, accountId: id, keyId: "k", limit: 100n, cap };
  for (const [requestId, amount] of [["r1", 5n], ["r2", 7n], ["r3", 9n]] as const) {
    assert.ok((await ledger.reserve({ ...bid, requestId, amount })).admitted);
  }
  // As in a copy that was made while the request began.
  await kv.delete(reservationKey({ accountId: id, requestId: "r3" }));
  const file = await folder.backUp(kv, "copy.gz");
  using restored = await openKv(":memory:");
  await fill(restored, file);
  const { caps, days } = await readBooks(restored);
  const day = `${id}/2026-11-21`;
  assert.deepEqual([caps.get(`${day}/k`)?.reserved, days.get(day)?.reserved], [12n, 12n]);
});

Deno.test("every value that is stored is read back from its text", () => {
  const anyValue = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.integer(),
      fc.bigInt(),
      fc.boolean(),
      fc.constant(null),
      fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
      fc.array(tie("value")),
      fc.dictionary(fc.string().filter((name) => !/^(?:\$|__proto__$)/.test(name)), tie("value"))
        .map((members) => ({ ...members })),
    ),
  })).value;
  fc.assert(fc.property(anyValue, (value) => {
    assert.deepEqual(decodeValue(encodeValue(value)), value);
  }));
});

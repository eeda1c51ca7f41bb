/** Opening the database, and SQLite's lock. */

import assert from "node:assert/strict";
import { openFolder } from "../../support/folder.ts";
import { holdLimits } from "../../support/held_limits.ts";
import { limitKv, openKv, retryLocked } from "../../../lib/platform/kv/open.ts";

Deno.test("only a lock is waited for: every other error passes at once", async () => {
  const table = [
    [new Error("database is locked"), true],
    [new TypeError("Error code 5: The database is locked"), true],
    [new Error("database table is locked: data"), true],
    [new Error("SQLITE_BUSY"), true],
    [new Error("disk full"), false],
    [new TypeError("value too large (max 65536 bytes)"), false],
    ["database is locked", false],
    [null, false],
  ] as const;
  for (const [error, again] of table) {
    let calls = 0;
    const operation = () => ++calls === 1 ? Promise.reject(error) : Promise.resolve("done");
    const result = retryLocked(operation).catch((thrown) => thrown);
    assert.equal(await result, again ? "done" : error);
    assert.equal(calls, again ? 2 : 1);
  }
  let calls = 0;
  const locked = () => Promise.reject(new Error(`database is locked, ${++calls}`));
  await assert.rejects(retryLocked(locked, 2), /locked, 2/, "as often as was asked for");
  assert.equal(calls, 2);
});

Deno.test("a database that cannot be opened is an error that names the variable and the path", async () => {
  await assert.rejects(
    openKv("/nonexistent/folder/kv"),
    /^Error: KV_PATH: the database \/nonexistent\/folder\/kv cannot be opened: /,
  );
});

Deno.test("two connections to one file that write at once lose nothing", async () => {
  await using folder = await openFolder();
  using one = await openKv(`${folder.path}/kv`);
  using two = await openKv(`${folder.path}/kv`);
  const add = (kv: Deno.Kv) => retryLocked(() => kv.atomic().sum(["n"], 1n).commit(), 50);
  await Promise.all(Array.from({ length: 200 }, (_, at) => add(at % 2 ? one : two)));
  assert.equal((await one.get<Deno.KvU64>(["n"])).value?.value, 200n);
});

Deno.test("a silent database is an error; one that responds is unchanged", async () => {
  const silent = (): Promise<never> => new Promise(() => {});
  using real = await Deno.openKv(":memory:");
  using kv = limitKv(real, 60_000);
  assert.equal(
    (await kv.atomic().check({ key: ["a"], versionstamp: null }).set(["a"], 1).commit()).ok,
    true,
  );
  await kv.set(["b"], 2);
  await kv.delete(["a"]);
  assert.deepEqual((await kv.getMany([["a"], ["b"]])).map(({ value }) => value), [null, 2]);
  assert.deepEqual((await Array.fromAsync(kv.list({ prefix: [] }))).map(({ key }) => key), [["b"]]);

  const stuckAt = async (changed: object) =>
    limitKv(Object.assign(await Deno.openKv(":memory:"), changed), 5);
  const operation = Object.assign(kv.atomic(), { commit: silent });
  const pages = Object.assign(kv.list({ prefix: [] }), { next: silent });
  const silence = { get: silent, set: silent, atomic: () => operation, list: () => pages };
  using stuck = await stuckAt(silence);
  const asked = [
    () => stuck.get(["a"]),
    () => stuck.set(["a"], 1),
    () => stuck.atomic().commit(),
    () => Array.fromAsync(stuck.list({ prefix: [] })),
  ];
  for (const ask of asked) await assert.rejects(ask, /has not answered for 0.005 s/);
  let entries = 0;
  const ending = Object.assign(kv.list({ prefix: [] }), {
    next: () => ++entries > 200 ? silent() : Promise.resolve({ done: false, value: {} as never }),
  });
  using late = await stuckAt({ list: () => ending });
  const listing = Array.fromAsync(late.list({ prefix: [] }, { batchSize: 100 }));
  await assert.rejects(listing, /has not answered for 0.005 s/);
  assert.equal(entries, 201);
});

Deno.test("after an operation that was not answered, others wait for two seconds, until one is answered", async () => {
  const limits = holdLimits();
  let answer = new Promise<never>(() => {});
  const real = Object.assign(await Deno.openKv(":memory:"), { get: () => answer });
  using kv = limitKv(real, 30_000, limits.start);
  const expire = async (milliseconds: number) => {
    const asked = assert.rejects(async () => await kv.get(["a"]), /has not answered/);
    await limits.expire(milliseconds);
    await asked;
  };
  await expire(30_000);
  await expire(2_000);
  answer = Promise.reject(new Error("it answers, if only with an error"));
  await assert.rejects(async () => await kv.get(["a"]), /if only with an error/);
  answer = new Promise(() => {});
  await expire(30_000);
});

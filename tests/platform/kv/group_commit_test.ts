/** Group commit: shared commits, lost races, commits whose outcome is not known, changes that fail. */

import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import { type Change, createGroupCommit } from "../../../lib/platform/kv/group_commit.ts";
import { markRemote } from "../../../lib/platform/kv/open.ts";
import { countingKv, DatabaseFault, type Fate, faultyKv } from "../../support/faulty_kv.ts";

const COUNTER: Deno.KvKey = ["spend", "one"];

/** Adds to a number, and returns the sum. */
function add(key: Deno.KvKey = COUNTER, amount = 1): Change<number> {
  return () => ({
    keys: [key],
    apply(draft) {
      const sum = Number(draft.get(key) ?? 0) + amount;
      draft.set(key, sum);
      return sum;
    },
  });
}

/** Reads a number; `isFresh` from the database. */
function read(isFresh: boolean, key: Deno.KvKey = COUNTER): Change<number> {
  return () => ({
    keys: [key],
    apply: (draft) => Number(draft.get(key) ?? 0),
    needsFresh: () => isFresh,
  });
}

async function stored(kv: Deno.Kv, key: Deno.KvKey = COUNTER): Promise<number> {
  return Number((await kv.get(key)).value ?? 0);
}

// Where reads are counted, the clock stands still: an instance that is busy for long reads whether others ask for a turn.

/** A timer whose pauses take no time; no test cancels one. */
function startNow(work: () => void): () => void {
  setImmediate(work);
  return () => {};
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

Deno.test("simultaneous changes share commits, and see each other in order", async () => {
  using db = await Deno.openKv(":memory:");
  const { kv, counts } = countingKv(db);
  const { run } = createGroupCommit({ kv, now: () => 0 });
  const sums = await Promise.all(range(100).map(() => run("a", add())));
  assert.deepEqual(sums, range(100).map((index) => index + 1));
  assert.equal(await stored(db), 100);
  // The first change alone, then those that arrived meanwhile, in groups of ninety.
  assert.ok(counts.commits <= 5, `${counts.commits} commits`);
  assert.equal(counts.reads, 1, "what was written is remembered");
});

Deno.test("a lazy change waits a little, and rides along with one that does not", async () => {
  using db = await Deno.openKv(":memory:");
  const { kv, counts } = countingKv(db);
  const { run } = createGroupCommit({ kv, now: () => 0 });
  const lazy = run("a", add(), { lazy: true });
  assert.equal(counts.reads + counts.commits, 0);
  assert.equal(await run("a", add()), 2, "after the lazy one");
  assert.equal(await lazy, 1);
  assert.equal(counts.commits, 1);
  assert.equal(await run("a", add(), { lazy: true }), 3, "alone, it is made too");
  assert.equal(counts.commits, 2);
});

Deno.test("flush makes the waiting changes, and resolves when none waits", async () => {
  using db = await Deno.openKv(":memory:");
  const { run, flush } = createGroupCommit({ kv: db });
  await flush();
  const made = range(40).map((index) =>
    run(`g${index % 4}`, add(["spend", `g${index % 4}`]), { lazy: index % 2 === 0 })
  );
  await flush();
  assert.equal(await Promise.race([Promise.all(made).then(() => "made"), sleep(0)]), "made");
  assert.equal(await stored(db, ["spend", "g3"]), 10);
});

Deno.test("the loser of a race reads again: nothing is lost among three instances", async () => {
  const folder = await Deno.makeTempDir();
  const open = range(3).map(() => Deno.openKv(`${folder}/kv`));
  const databases = await Promise.all(open);
  const groups = databases.map((kv) => createGroupCommit({ kv }));
  try {
    const work = range(150).map((index) => groups[index % 3]?.run("a", add()));
    const sums = await Promise.all(work);
    assert.equal(new Set(sums).size, 150, "each sum once");
    for (const db of databases) assert.equal(await stored(db), 150);
  } finally {
    for (const db of databases) db.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("two instances whose requests never stop both get on", async () => {
  using db = await Deno.openKv(":memory:");
  const made: [number, number] = [0, 0];
  const total = () => made[0] + made[1];
  const isFair = () => Math.min(...made) * 10 >= Math.max(...made);
  // The loser waits for some milliseconds, in which the other makes hundreds of commits, so turns take time.
  const goesOn = () => total() < 1_000 || (!isFair() && total() < 50_000);
  await Promise.all([0, 1].map(async (index) => {
    const { run } = createGroupCommit({ kv: db });
    while (goesOn()) {
      await run("a", add());
      made[index]!++;
      // Each turn of the event loop brings one request.
      await sleep(0);
    }
  }));
  assert.equal(await stored(db), total());
  assert.ok(isFair(), `${made}`);
});

Deno.test("commits of several groups share a transaction, but not in a remote database", async () => {
  for (const isFar of [false, true]) {
    using db = await Deno.openKv(":memory:");
    const { kv, counts } = countingKv(db);
    // Each commit ends before a timer would.
    const startTimer = () => () => {};
    const { run } = createGroupCommit({ kv: isFar ? markRemote(kv) : kv, startTimer });
    const keys = range(60).map((index) => ["spend", `g${index}`]);
    const sums = await Promise.all(keys.map((key) => run(key.join(), add(key))));
    assert.deepEqual(new Set(sums), new Set([1]));
    // The first change, then all changes whose values have been read meanwhile.
    assert.ok(isFar ? counts.commits === 60 : counts.commits <= 20, `${counts.commits} commits`);
    for (const key of keys) assert.equal(await stored(db, key), 1);
  }
});

Deno.test("a group that loses its race, or whose commit is too large, keeps no other from being made", async () => {
  using db = await Deno.openKv(":memory:");
  const { run } = createGroupCommit({ kv: db });
  const keys = range(10).map((index) => ["spend", `g${index}`]);
  await Promise.all(keys.map((key) => run(key.join(), add(key))));
  await db.set(["spend", "g5"], 100);
  const whale: Change<void> = () => ({
    keys: [["key"]],
    apply: (draft) => draft.set(["key"], new Uint8Array(70_000)),
  });
  const made = keys.map((key) => run(key.join(), add(key)));
  await assert.rejects(run("whale", whale), /Value too large/);
  assert.deepEqual(await Promise.all(made), [2, 2, 2, 2, 2, 101, 2, 2, 2, 2]);
});

Deno.test("an instance that never pauses lets one that loses every race have its turn", async () => {
  using db = await Deno.openKv(":memory:");
  const greedy = createGroupCommit({ kv: db });
  // Each commit of this isolate is too late until the other has paused.
  let pausedAt = 0;
  const modest = createGroupCommit({
    kv: faultyKv(
      db,
      ({ kind, checks }) =>
        kind === "commit" && checks > 0 && pausedAt === 0 ? "lose race" : "work",
    ),
  });
  let isOver = false;
  const asked = modest.run("a", add()).finally(() => isOver = true);
  for (let at = performance.now(); !isOver;) {
    await greedy.run("a", add());
    const took = performance.now() - at;
    at += took;
    // Only a requested turn makes a commit wait for so long.
    if (took > 400) pausedAt ||= at;
  }
  await asked;
  assert.ok(pausedAt > 0);
});

Deno.test("a group does not wait for another", async () => {
  using db = await Deno.openKv(":memory:");
  const gate = Promise.withResolvers<Fate>();
  let commits = 0;
  const kv = faultyKv(
    db,
    ({ kind }) => kind === "commit" && commits++ === 0 ? gate.promise : "work",
  );
  const { run } = createGroupCommit({ kv, now: () => 0 });
  const slow = run("a", add());
  while (commits === 0) await sleep(1);
  assert.equal(await run("b", add(["spend", "two"])), 1);
  gate.resolve("work");
  assert.equal(await slow, 1);
});

for (const fate of ["refuse", "lose answer", "deny"] as const) {
  Deno.test(`a commit that fails (${fate}) leaves nothing stale in memory`, async () => {
    using db = await Deno.openKv(":memory:");
    let next: Fate = "work";
    const kv = faultyKv(db, ({ kind }) => {
      const fate = kind === "commit" ? next : "work";
      if (kind === "commit") next = "work";
      return fate;
    });
    const { run } = createGroupCommit({ kv, now: () => 0 });
    let expected = 0;
    for (let round = 0; round < 20; round++) {
      next = round % 2 === 0 ? fate : "work";
      try {
        await run("a", add());
        // A change that cannot detect that it was made is made again.
        expected += fate === "deny" && round % 2 === 0 ? 2 : 1;
      } catch (error) {
        assert.ok(error instanceof DatabaseFault && fate !== "deny");
        if (fate === "lose answer") expected++;
      }
      assert.equal(await stored(db), expected);
      assert.equal(await run("a", read(false)), expected, "as remembered");
    }
  });
}

Deno.test("a result that must be confirmed is read again, and any other comes from memory", async () => {
  using db = await Deno.openKv(":memory:");
  const { kv, counts } = countingKv(db);
  const { run } = createGroupCommit({ kv, now: () => 0 });
  await run("a", add());
  await db.set(COUNTER, 70);
  assert.equal(await run("a", read(false)), 1);
  assert.equal(counts.reads, 1);
  assert.equal(await run("a", read(true)), 70);
  assert.equal(counts.reads, 2);
  await db.set(COUNTER, 80);
  assert.equal(await run("a", add()), 81, "and what is written is checked in any case");
});

Deno.test("a change that throws affects no other change and leaves nothing behind", async () => {
  using db = await Deno.openKv(":memory:");
  const { kv, counts } = countingKv(db);
  const { run } = createGroupCommit({ kv, now: () => 0 });
  const bad = (at: "keys" | "apply"): Change<void> => () => {
    if (at === "keys") throw new RangeError("bad keys");
    return {
      keys: [COUNTER],
      apply(draft) {
        draft.set(COUNTER, 1_000);
        throw new RangeError("bad change");
      },
    };
  };
  const good = range(40).map(() => run("a", add()));
  const failed = [run("a", bad("apply")), run("a", bad("keys"))];
  const later = range(20).map(() => run("a", add()));
  for (const each of failed) await assert.rejects(each, RangeError);
  await Promise.all([...good, ...later]);
  assert.equal(await stored(db), 60);
  assert.ok(counts.commits <= 16, `${counts.commits} commits`);
  assert.equal(counts.reads, 1, "a change that fails says nothing about the database");
  await assert.rejects(run("b", bad("apply")), /bad change/);
});

Deno.test("reading a key without naming it is an error, even if its value is remembered", async () => {
  using db = await Deno.openKv(":memory:");
  const { run } = createGroupCommit({ kv: db });
  await run("a", add());
  const careless: Change<unknown> = () => ({
    keys: [["spend", "two"]],
    apply: (draft) => draft.get(COUNTER),
  });
  await assert.rejects(run("a", careless), /spend\/one without naming it/);
});

Deno.test("a batch that KV refuses for its size is made in parts", async () => {
  using db = await Deno.openKv(":memory:");
  const { kv, counts } = countingKv(db);
  const { run } = createGroupCommit({ kv, now: () => 0 });
  await run("a", add());
  // 50 changes of 60,000 bytes each: 30 would be 1.8 MB.
  const heavy = range(50).map((index): Change<void> => () => ({
    keys: [["usage", String(index)]],
    apply: (draft) => draft.set(["usage", String(index)], new Uint8Array(60_000)),
  }));
  await Promise.all(heavy.map((change) => run("a", change)));
  // 40 changes that check 8 keys each: 30 would be 240 checks; and one change that fits in no commit.
  const wide = range(40).map((index): Change<void> => () => ({
    keys: range(8).map((part) => ["outbox", String(index), String(part)]),
    apply: (draft) => draft.set(["outbox", String(index), "0"], index),
  }));
  const whale: Change<void> = () => ({
    keys: [["key"]],
    apply: (draft) => draft.set(["key"], new Uint8Array(70_000)),
  });
  const refused = run("a", whale);
  const made = wide.map((change) => run("a", change));
  await assert.rejects(refused, /Value too large/);
  await Promise.all(made);
  let entries = 0;
  for await (const _ of db.list({ prefix: [] })) entries++;
  assert.equal(entries, 1 + 50 + 40);
  assert.ok(counts.reads <= 1 + 5 + 2 * 32 + 2, `${counts.reads} reads`);
  assert.equal(await run("a", add()), 2);
});

Deno.test("the loser of a race names its keys again, and gets the new values", async () => {
  using db = await Deno.openKv(":memory:");
  let asked = 0;
  let lost = 0;
  const kv = faultyKv(db, async ({ kind }): Promise<Fate> => {
    // Another isolate wins twice.
    if (kind === "commit" && lost++ < 2) await db.set(COUNTER, 100 * lost);
    return "work";
  });
  const { run } = createGroupCommit({ kv, startTimer: startNow });
  const change = () => (asked++, add()());
  assert.equal(await run("a", change), 201);
  assert.equal(asked, 3);
});

Deno.test("changes that arrive while a commit is lost join its next attempt", async () => {
  using db = await Deno.openKv(":memory:");
  const gate = Promise.withResolvers<Fate>();
  let commits = 0;
  const kv = faultyKv(
    db,
    ({ kind }) => kind === "commit" && ++commits === 1 ? gate.promise : "work",
  );
  const { run } = createGroupCommit({ kv, startTimer: startNow });
  const first = run("a", add());
  while (commits === 0) await sleep(1);
  const others = range(120).map(() => run("a", add()));
  const confirmed = run("a", read(true));
  await db.set(COUNTER, 1_000);
  gate.resolve("lose race");
  assert.equal(await first, 1_001);
  assert.deepEqual(await Promise.all(others), range(120).map((index) => 1_002 + index));
  assert.equal(await confirmed, 1_121);
  // The lost commit, one of ninety changes, and the rest.
  assert.equal(commits, 3);
});

/** The pauses that are made for so many changes at once, with so many lost commits of 30 ms each. */
async function pausesOf(changes: number, losses: number): Promise<number[]> {
  using db = await Deno.openKv(":memory:");
  const pauses: number[] = [];
  let at = 0;
  let lost = 0;
  const kv = faultyKv(db, ({ kind }) => {
    if (kind === "commit") at += 30;
    return kind === "commit" && lost++ < losses ? "lose race" : "work";
  });
  const { run, flush } = createGroupCommit({
    kv,
    now: () => at,
    random: () => 0.5,
    startTimer(work, milliseconds) {
      pauses.push(milliseconds);
      return startNow(work);
    },
  });
  await Promise.all(range(changes).map(() => run("a", add())));
  await flush();
  return pauses;
}

Deno.test("the winner of a contended commit of many changes pauses for as long as the commit took", async () => {
  assert.deepEqual(await pausesOf(20, 0), [], "no isolate contends");
  assert.deepEqual(await pausesOf(1, 2), [1, 2], "the loser's waits alone");
  assert.deepEqual(await pausesOf(20, 2), [1, 2, 90]);
  assert.deepEqual(await pausesOf(4, 2), [1, 2, 30], "who carries little waits little");
  assert.deepEqual((await pausesOf(80, 20)).at(-1), 500, "and never long");
});

Deno.test("one that always loses gives up, and the next one is not harmed", async () => {
  using db = await Deno.openKv(":memory:");
  let isHostile = true;
  const kv = faultyKv(db, ({ kind }) => kind === "commit" && isHostile ? "lose race" : "work");
  const { run } = createGroupCommit({ kv, startTimer: startNow });
  await assert.rejects(run("a", add()), /changed under every attempt/);
  isHostile = false;
  assert.equal(await run("a", add()), 1);
});

Deno.test("groups at rest are forgotten when there are many, and values by the group when they are many", async () => {
  using db = await Deno.openKv(":memory:");
  const { kv, counts } = countingKv(db);
  const { run } = createGroupCommit({ kv, now: () => 0 });
  for (const index of range(1_200)) await run(`g${index}`, read(false, ["g", String(index)]));
  assert.equal(counts.reads, 1_200);
  await run("g1199", read(false, ["g", "1199"]));
  assert.equal(counts.reads, 1_200, "a late one is remembered");
  await run("g0", read(false, ["g", "0"]));
  assert.equal(counts.reads, 1_201, "the first one is not");

  for (const index of range(65)) await run("many", read(false, ["many", String(index)]));
  const before = counts.reads;
  await run("many", read(false, ["many", "64"]));
  assert.equal(counts.reads, before + 1);
});

/** Queues of changes: what a commit holds, over a database whose operations the test lets through one by one. */

import assert from "node:assert/strict";
import { type Change, createQueue } from "../../../lib/platform/kv/queue.ts";
import { type Fate, faultyKv, type Operation } from "../../support/faulty_kv.ts";

interface Sum {
  readonly sum: number;
}

interface Pending extends Operation {
  readonly let: (fate: Fate) => void;
}

/** Parts of another version are refused. */
class UnknownPart extends Error {}

async function createWorld() {
  const real = await Deno.openKv(":memory:");
  const pending: Pending[] = [];
  let arrived = Promise.withResolvers<void>();
  const kv = faultyKv(real, (operation) =>
    new Promise((resolve) => {
      pending.push({ ...operation, let: resolve });
      arrived.resolve();
    }));
  const queue = createQueue<Sum>({
    kv,
    keyOf: (name) => ["sum", name],
    requireKnown(key, value) {
      if (value === "unknown") throw new UnknownPart(key.join("/"));
    },
    finish() {},
    startTimer(work) {
      queueMicrotask(work);
      return () => {};
    },
  });
  return {
    real,
    queue,
    /** The database's next operation, which waits. */
    async next(kind: Operation["kind"]): Promise<Pending> {
      await arrived.promise;
      arrived = Promise.withResolvers();
      const operation = pending.shift();
      assert.ok(operation !== undefined);
      assert.equal(operation.kind, kind);
      return operation;
    },
    [Symbol.dispose]: () => real.close(),
  };
}

function add(amount: number, ...remembered: Deno.KvKey[]): Change<Sum, number> {
  return {
    remembered: () => remembered,
    apply(draft) {
      draft.value = { sum: (draft.value?.sum ?? 0) + amount };
      return draft.value.sum;
    },
  };
}

/** A refusal, which must be confirmed. */
const refuse: Change<Sum, string> = { apply: () => "refused", needsFresh: () => true };

Deno.test("a change is made after the read that it waited for, although refusals arrive during the read", async () => {
  using world = await createWorld();
  const added = world.queue.run("a", add(1));
  const read = await world.next("read");
  const refused = world.queue.run("a", refuse);
  read.let("work");
  (await world.next("commit")).let("work");
  // The commit began after the refusal had arrived, so it confirms the refusal too.
  assert.deepEqual(await Promise.all([added, refused]), [1, "refused"]);
});

Deno.test("a part that must not be used refuses the changes that need it, and no other one", async () => {
  using world = await createWorld();
  await world.real.set(["part", "new"], "unknown");
  const run = (amount: number, part: string) =>
    world.queue.run("a", add(amount, ["part", part]), { lazy: true });
  const changes = [run(1, "old"), run(2, "new"), run(4, "old"), run(8, "new")];
  const results = Promise.allSettled(changes);
  (await world.next("read")).let("work");
  (await world.next("read")).let("work");
  // A repetition of the commit leaves the refused changes out.
  (await world.next("commit")).let("lose race");
  await world.real.set(["part", "new"], "known");
  (await world.next("read")).let("work");
  (await world.next("read")).let("work");
  (await world.next("commit")).let("work");
  assert.deepEqual(
    (await results).map((each) =>
      each.status === "fulfilled" ? each.value : each.reason instanceof UnknownPart
    ),
    [1, true, 5, true],
  );
  assert.deepEqual((await world.real.get(["sum", "a"])).value, { sum: 5 });
});

/** The recorder of refusals: a flood is bounded, and a store that fails costs nothing. */

import assert from "node:assert/strict";
import type { Refusal, RefusedRequest } from "../../../lib/proxy/records/refusal.ts";
import { createRefusalRecorder, MAX_KINDS } from "../../../lib/proxy/records/refusal_recorder.ts";
import { StoreError } from "../../../lib/proxy/records/store.ts";
import { until } from "../../support/until.ts";
import { NOON } from "./stores.ts";

const REFUSED: RefusedRequest = {
  accountId: "acc_aaaaaaaaaaaa",
  keyId: "keykeykeykey",
  endpoint: "search",
  code: "rate_limited",
  reason: null,
  field: null,
};

/** A recorder whose pauses the test ends, over a store that keeps its batches. */
function openRecorder() {
  const world = {
    now: NOON,
    inserts: [] as Refusal[][],
    isAway: false,
    /** An insert ends after this. */
    store: Promise.resolve(),
    /** Timers that run. */
    waits: [] as { readonly milliseconds: number; readonly end: () => void }[],
    warnings: [] as string[],
  };
  const recorder = createRefusalRecorder({
    store: {
      async insertRefusals(refusals) {
        await world.store;
        if (world.isAway) throw new StoreError("away");
        world.inserts.push([...refusals]);
      },
      listRefusals: (accountId) =>
        Promise.resolve(world.inserts.flat().filter((each) => each.accountId === accountId)),
    },
    now: () => world.now,
    startTimer(end, milliseconds) {
      const wait = { milliseconds, end };
      world.waits.push(wait);
      return () => void world.waits.splice(world.waits.indexOf(wait), 1);
    },
    log: { warn: (message) => void world.warnings.push(message) },
  });
  return { world, recorder };
}

Deno.test("a flood is stored as a few refusals with their numbers", async () => {
  const { world, recorder } = openRecorder();
  for (let count = 0; count < 10_000; count++) {
    world.now++;
    recorder.note(REFUSED);
  }
  recorder.note({ ...REFUSED, code: "forbidden", reason: "endpoint" });
  const [known] = await recorder.list(REFUSED.accountId);
  assert.equal(known?.requests, 10_000, "a page of this process shows it at once");
  assert.equal(world.inserts.length, 0);
  assert.deepEqual(world.waits.map(({ milliseconds }) => milliseconds), [5_000]);
  world.waits[0]?.end();
  await until(() => world.inserts.length > 0);
  assert.deepEqual(
    world.inserts.map((refusals) => refusals.map(({ code, requests }) => [code, requests])),
    [[["rate_limited", 10_000], ["forbidden", 1]]],
  );
  await recorder.flush();
  assert.equal(world.inserts.length, 1, "nothing is stored twice");
  assert.equal((await recorder.list(REFUSED.accountId)).length, 2);
});

Deno.test("a refusal is listed once at every moment, also while it is being stored", async () => {
  const { world, recorder } = openRecorder();
  const { promise, resolve } = Promise.withResolvers<void>();
  world.store = promise;
  recorder.note(REFUSED);
  const stored = recorder.flush();
  await Promise.resolve();
  const during = recorder.list(REFUSED.accountId);
  recorder.note(REFUSED);
  const after = recorder.flush();
  resolve();
  const count = (refusals: readonly Refusal[]) =>
    refusals.reduce((sum, { requests }) => sum + requests, 0);
  assert.equal(count(await during), 2);
  await Promise.all([stored, after]);
  assert.equal(count(await recorder.list(REFUSED.accountId)), 2);
});

Deno.test("an account that is refused in many ways keeps a few of them, and of the rest the codes", async () => {
  const { world, recorder } = openRecorder();
  for (let field = 0; field < 1_000; field++) {
    recorder.note({ ...REFUSED, code: "validation_failed", field: `field${field}` });
  }
  await recorder.flush();
  const [refusals = []] = world.inserts;
  assert.equal(refusals.length, MAX_KINDS + 1);
  assert.equal(refusals.reduce((sum, { requests }) => sum + requests, 0), 1_000);
  const rest = refusals.filter(({ keyId }) => keyId === null);
  assert.deepEqual(rest.map(({ code, field }) => [code, field]), [["validation_failed", null]]);
});

Deno.test("while the store is away refusals wait within bounds, and are stored when it is back", async () => {
  const { world, recorder } = openRecorder();
  world.isAway = true;
  recorder.note(REFUSED);
  world.waits[0]?.end();
  await until(() => world.warnings.length > 0);
  for (let account = 0; account < 1_500; account++) {
    recorder.note({ ...REFUSED, accountId: `acc_${account}` });
  }
  assert.deepEqual(world.waits.map(({ milliseconds }) => milliseconds), [60_000]);
  await recorder.flush();
  assert.match(world.warnings.join("\n"), /could not be stored.*\n.*\n.*too many accounts/);
  world.isAway = false;
  await recorder.flush();
  const [refusals = []] = world.inserts;
  assert.equal(refusals.length, 1_000);
  assert.ok(refusals.some(({ accountId }) => accountId === REFUSED.accountId));
});

/** The recorder of refusals: a flood is bounded, and a database that fails costs nothing. */

import assert from "node:assert/strict";
import type { Refusal, RefusedRequest } from "../../../lib/proxy/records/refusal.ts";
import { createRefusalRecorder, MAX_KINDS } from "../../../lib/proxy/records/refusal_recorder.ts";
import { listRefusals } from "../../../lib/proxy/records/refusals.ts";
import { openKv } from "../../../lib/platform/kv/open.ts";
import { until } from "../../support/until.ts";
import { faultyKv } from "../../support/faulty_kv.ts";
import { NOON } from "./clickhouse.ts";

const REFUSED: RefusedRequest = {
  accountId: "acc_aaaaaaaaaaaa",
  keyId: "keykeykeykey",
  endpoint: "search",
  code: "rate_limited",
  reason: null,
  field: null,
};

/** A recorder whose pauses the test ends, over a database that it can take away. */
async function openRecorder() {
  const real = await openKv(":memory:");
  const world = {
    now: NOON,
    isAway: false,
    /** A commit begins after this. */
    gate: Promise.resolve(),
    /** Timers that run. */
    waits: [] as { readonly milliseconds: number; readonly end: () => void }[],
    warnings: [] as string[],
    commits: 0,
    /** The stored refusals of an account. */
    stored: (accountId = REFUSED.accountId) => listRefusals(real, accountId, NOON),
  };
  const recorder = createRefusalRecorder({
    kv: faultyKv(real, async ({ kind }) => {
      if (kind === "read") return "work";
      await world.gate;
      world.commits++;
      return world.isAway ? "refuse" : "work";
    }),
    now: () => world.now,
    startTimer(end, milliseconds) {
      const wait = { milliseconds, end };
      world.waits.push(wait);
      return () => void world.waits.splice(world.waits.indexOf(wait), 1);
    },
    log: { warn: (message) => void world.warnings.push(message) },
  });
  return { world, recorder, [Symbol.dispose]: () => real.close() };
}

Deno.test("a flood is stored as a few refusals with their numbers", async () => {
  using opened = await openRecorder();
  const { world, recorder } = opened;
  for (let count = 0; count < 10_000; count++) {
    world.now++;
    recorder.note(REFUSED);
  }
  recorder.note({ ...REFUSED, code: "forbidden", reason: "endpoint" });
  const [known] = await recorder.list(REFUSED.accountId);
  assert.equal(known?.requests, 10_000, "a page of this process shows it at once");
  assert.equal(world.commits, 0);
  assert.deepEqual(world.waits.map(({ milliseconds }) => milliseconds), [5_000]);
  world.waits[0]?.end();
  await recorder.flush();
  assert.deepEqual(
    (await world.stored()).map(({ code, requests }) => [code, requests]),
    [["rate_limited", 10_000], ["forbidden", 1]],
  );
  await recorder.flush();
  assert.equal(world.commits, 1, "nothing is stored twice");
  assert.equal((await recorder.list(REFUSED.accountId)).length, 2);
});

Deno.test("a refusal is listed once at every moment, also while it is being stored", async () => {
  using opened = await openRecorder();
  const { world, recorder } = opened;
  const { promise, resolve } = Promise.withResolvers<void>();
  world.gate = promise;
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
  using opened = await openRecorder();
  const { world, recorder } = opened;
  for (let field = 0; field < 1_000; field++) {
    recorder.note({ ...REFUSED, code: "validation_failed", field: `field${field}` });
  }
  await recorder.flush();
  const refusals = await world.stored();
  assert.equal(refusals.length, MAX_KINDS + 1);
  assert.equal(refusals.reduce((sum, { requests }) => sum + requests, 0), 1_000);
  const rest = refusals.filter(({ keyId }) => keyId === null);
  assert.deepEqual(rest.map(({ code, field }) => [code, field]), [["validation_failed", null]]);
});

Deno.test("while the database is away refusals wait within bounds, and are stored when it is back", async () => {
  using opened = await openRecorder();
  const { world, recorder } = opened;
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
  assert.equal((await world.stored()).length, 1);
  assert.equal((await world.stored("acc_998")).length, 1);
  assert.equal((await world.stored("acc_999")).length, 0);
});

/** The history of health: each result is counted once, whichever isolate adds it, and a day stays small. */

import assert from "node:assert/strict";
import {
  createHistoryWriter,
  type Outcome,
  readHistory,
} from "../../../lib/operate/health/history.ts";
import { NOON } from "../../support/foyer.ts";

const log = { warn() {} };
const ALL_UP = { database: true, analytics: true, router: true, ocr: true, websearch: true };

const outcome = (at: number, change: Partial<Outcome["isUp"]> = {}): Outcome => ({
  at,
  isUp: { ...ALL_UP, ...change },
});

Deno.test("since when a check fails is known the next day, and forgotten when it works", async () => {
  using kv = await Deno.openKv(":memory:");
  const { write } = createHistoryWriter({ kv, log });
  const [began, next] = [Date.parse("2026-11-20T23:59:00Z"), Date.parse("2026-11-21T00:00:00Z")];
  for (const at of [began, next]) await write(outcome(at, { router: false }));
  const since = async () => (await readHistory(kv, next)).get("2026-11-21")?.router?.failingSince;
  assert.equal(await since(), began);
  await write(outcome(next + 30_000));
  assert.equal(await since(), null);
});

Deno.test("sixty outcomes wait for a database that fails, the last ones", async () => {
  using kv = await Deno.openKv(":memory:");
  let isBroken = true;
  const fragile = new Proxy(kv, {
    get(target, name) {
      if (isBroken) return () => Promise.reject(new Error("no"));
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const { write } = createHistoryWriter({ kv: fragile, log });
  for (let count = 0; count < 70; count++) await write(outcome(NOON + count));
  isBroken = false;
  await write(outcome(NOON + 70));
  const day = (await readHistory(kv, NOON)).get("2026-11-21");
  assert.deepEqual([day?.ocr?.runs, day?.ocr?.firstAt, day?.ocr?.lastAt], [
    60,
    NOON + 11,
    NOON + 70,
  ]);
});

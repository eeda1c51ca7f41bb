/** The Airtable store against a stand-in that misbehaves as the real one does. */

import assert from "node:assert/strict";
import { createAirtableStore } from "../../lib/events/airtable.ts";
import { StoreError } from "../../lib/events/store.ts";
import { createAirtableStandIn } from "../../lib/sandbox/airtable.ts";
import { row } from "../support/foyer.ts";

const TOKEN = "patTest.secret";

function createPair(records = 250) {
  const airtable = createAirtableStandIn({
    records: Array.from({ length: records }, () => row({})),
    token: TOKEN,
    baseId: "appTest",
    table: "Our Events/2026",
    now: () => Date.parse("2026-11-21T12:00:00Z"),
    origin: "http://store.example",
    signingSecret: "test",
  });
  const pauses: number[] = [];
  const store = createAirtableStore({
    apiUrl: "http://store.example",
    token: TOKEN,
    baseId: "appTest",
    table: "Our Events/2026",
    view: undefined,
    fetch: airtable.substitute,
    sleep: (milliseconds) => {
      pauses.push(milliseconds);
      return Promise.resolve();
    },
  });
  return { airtable, store, pauses };
}

const never = new AbortController().signal;

async function failure(read: Promise<unknown>): Promise<StoreError> {
  try {
    await read;
  } catch (error) {
    assert.ok(error instanceof StoreError, String(error));
    assert.ok(!`${error.message}${Deno.inspect(error.cause)}`.includes(TOKEN));
    return error;
  }
  throw new Error("the read did not fail");
}

Deno.test("all pages are read, in order, at less than five a second", async () => {
  const { airtable, store, pauses } = createPair();
  const records = await store.read(never);
  assert.deepEqual(records.map(({ id }) => id), airtable.records.map(({ id }) => id));
  assert.equal(airtable.requests.length, 3);
  assert.deepEqual(pauses, [220, 220]);
});

Deno.test("each failure says what it is, and how long the store is to be left alone", async () => {
  const table = [
    [{ kind: "status", status: 401 }, "refused", 30],
    [{ kind: "status", status: 403 }, "refused", 30],
    [{ kind: "status", status: 404 }, "refused", 30],
    [{ kind: "status", status: 422, type: "VIEW_NAME_NOT_FOUND" }, "refused", 30],
    [{ kind: "status", status: 429 }, "rate_limited", 30],
    [{ kind: "status", status: 429, retryAfterSeconds: 90 }, "rate_limited", 90],
    [{ kind: "status", status: 429, layout: "plural" }, "rate_limited", 30],
    [{ kind: "status", status: 500 }, "unavailable", null],
    [{ kind: "status", status: 503 }, "unavailable", null],
    [{ kind: "garbage" }, "nonsense", null],
    [{ kind: "html" }, "nonsense", null],
    [{ kind: "truncated" }, "nonsense", null],
    [{ kind: "reset" }, "unavailable", null],
    [{ kind: "cut" }, null, null],
    [{ kind: "endless-offset", sticky: true }, "nonsense", null],
  ] as const;
  for (const [fault, kind, pause] of table) {
    for (const nth of [1, 2]) {
      const { airtable, store } = createPair();
      airtable.faults.push({ ...fault, nth });
      const error = await failure(store.read(never));
      if (kind !== null) assert.equal(error.fault, kind, JSON.stringify(fault));
      assert.equal(error.pauseSeconds, pause, JSON.stringify(fault));
    }
  }
});

Deno.test("when the cursor dies the read starts from page one, and mixes nothing", async () => {
  const { airtable, store } = createPair();
  airtable.faults.push({ kind: "iterator-death" });
  assert.equal((await store.read(never)).length, 250);
  assert.equal(airtable.requests.length, 5);
});

Deno.test("a cursor that dies at every read is given up after three restarts", async () => {
  const { airtable, store } = createPair();
  airtable.faults.push({ kind: "iterator-death", sticky: true });
  assert.equal((await failure(store.read(never))).fault, "unavailable");
  assert.equal(airtable.requests.length, 8, "two pages each time");
});

Deno.test("a read that is given up ends, however long the store hangs", async () => {
  const { airtable, store } = createPair();
  airtable.faults.push({ kind: "hang" });
  const controller = new AbortController();
  const reading = failure(store.read(controller.signal));
  controller.abort();
  assert.equal((await reading).fault, "unavailable");
});

/** The Airtable store against a stand-in with the faults of the real one. */

import assert from "node:assert/strict";
import { createPace } from "../../lib/events/airtable/calls.ts";
import type { AirtableOptions } from "../../lib/events/airtable/table.ts";
import type { StoreRecord } from "../../lib/events/reading/record.ts";
import { ReadError, type ReadFault } from "../../lib/events/reading/record_store.ts";
import type { AirtableFault, AirtableStandInOptions } from "../../lib/sandbox/airtable.ts";
import { row } from "../support/foyer.ts";
import { ACCESS, createTable, createTableStore } from "../support/table.ts";

const TOKEN = ACCESS.token;

function createPair(
  records = 250,
  { options = {}, standIn = {}, sleep = () => Promise.resolve() }: {
    options?: Partial<AirtableOptions<StoreRecord>>;
    sleep?: () => Promise<void>;
    standIn?: Partial<AirtableStandInOptions>;
  } = {},
) {
  const table = "Our Events/2026";
  const airtable = createTable({
    records: Array.from({ length: records }, () => row({})),
    table,
    now: () => Date.parse("2026-11-21T12:00:00Z"),
    ...standIn,
  });
  const pauses: number[] = [];
  const store = createTableStore(airtable, {
    table,
    pace: createPace({
      now: () => 0,
      sleep(milliseconds) {
        pauses.push(milliseconds);
        return sleep();
      },
    }),
    ...options,
  });
  return { airtable, store, pauses };
}

/** A store whose every call is answered by `answer`. */
function createAnswered(answer: typeof fetch) {
  return createPair(0, { options: { fetch: answer } }).store;
}

const never = new AbortController().signal;

async function failure(read: Promise<unknown>): Promise<ReadError> {
  const error = await read.then(() => null, (thrown: unknown) => thrown);
  assert.ok(error instanceof ReadError, String(error));
  assert.ok(!`${error.message}${Deno.inspect(error.cause)}`.includes(TOKEN));
  return error;
}

Deno.test("all pages are read, in order, at less than five a second", async () => {
  const { airtable, store, pauses } = createPair();
  const records = await store.read(never);
  assert.deepEqual(records.map(({ id }) => id), airtable.records.map(({ id }) => id));
  assert.equal(airtable.requests.length, 3);
  assert.deepEqual(pauses, [220, 220]);
});

Deno.test("a call asks for whole pages of the table, in the view if there is one", async () => {
  for (const view of [undefined, "All & more"]) {
    const { airtable, store } = createPair(101, {
      options: { view },
      standIn: { views: ["All & more"] },
    });
    assert.equal((await store.read(never)).length, 101);
    const [first, second] = airtable.requests.map(({ url }) => new URL(url));
    assert.equal(first?.pathname, "/v0/appTest/Our%20Events%2F2026");
    assert.deepEqual(Object.fromEntries(first.searchParams), {
      pageSize: "100",
      ...(view === undefined ? {} : { view }),
    });
    assert.match(second?.searchParams.get("offset") ?? "", /^itr/);
    assert.equal(second?.searchParams.get("view"), view ?? null);
  }
});

Deno.test("the token goes into one header, and not where a redirect leads", async () => {
  const asked: { url: string; headers: Headers }[] = [];
  const quiet = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using target = Deno.serve(quiet, ({ url, headers }) => {
    asked.push({ url, headers: new Headers(headers) });
    return Response.json({ records: [] });
  });
  const elsewhere = `http://127.0.0.1:${target.addr.port}`;
  await using server = Deno.serve(quiet, () => Response.redirect(elsewhere, 307));
  const redirected = `http://127.0.0.1:${server.addr.port}`;
  const at = (apiUrl: string) => createPair(0, { options: { apiUrl, fetch } }).store.read(never);
  assert.equal((await failure(at(redirected))).fault, "unavailable");
  assert.equal(asked.length, 0);
  assert.deepEqual(await at(elsewhere), []);
  const { url, headers } = asked[0] ?? assert.fail();
  assert.ok(!url.includes(TOKEN));
  assert.deepEqual([...headers].filter(([, value]) => value.includes(TOKEN)), [
    ["authorization", `Bearer ${TOKEN}`],
  ]);
  assert.equal(headers.get("accept"), "application/json");
});

Deno.test("each failure states its kind, and the pause before the next read", async () => {
  const status = (status: 401 | 403 | 404 | 413 | 422 | 429 | 500 | 502 | 503, more = {}) =>
    ({ kind: "status", status, ...more }) as const;
  const table: [AirtableFault, ReadFault, number | null, RegExp][] = [
    [status(401), "refused", 30, /401 AUTHENTICATION_REQUIRED.*AIRTABLE_TOKEN/],
    [status(403), "refused", 30, /403 INVALID_PERM.*AIRTABLE_BASE_ID/],
    [status(404), "refused", 30, /404 NOT_FOUND.*AIRTABLE_TABLE/],
    [status(422, { type: "VIEW_NAME_NOT_FOUND" }), "refused", 30, /AIRTABLE_VIEW/],
    [status(422, { type: "VIEW_NAME_NOT_FOUND", layout: "string" }), "refused", 30, /422 VIEW/],
    [status(429), "rate_limited", 30, /429 RATE_LIMIT_REACHED/],
    [status(429, { retryAfterSeconds: 5 }), "rate_limited", 30, /429/],
    [status(429, { retryAfterSeconds: 90 }), "rate_limited", 90, /429/],
    [status(429, { retryAfterSeconds: -5 }), "rate_limited", 30, /429/],
    [status(429, { retryAfterSeconds: 1e300 }), "rate_limited", 30, /429/],
    [status(429, { retryAfterSeconds: 86_400 }), "rate_limited", 600, /429/],
    [status(429, { layout: "object" }), "rate_limited", 30, /429 RATE_LIMIT/],
    [status(429, { layout: "string" }), "rate_limited", 30, /429 RATE_LIMIT/],
    [
      status(429, { type: "PUBLIC_API_BILLING_LIMIT_EXCEEDED" }),
      "quota",
      3_600,
      /429 PUBLIC_API_BILLING.* used up/,
    ],
    [status(413), "unavailable", null, /413/],
    [status(500), "unavailable", null, /500$/],
    [status(502), "unavailable", null, /502$/],
    [status(503, { type: "SERVER_ERROR" }), "unavailable", null, /503 SERVER/],
    [status(503, { type: "<b>no</b>" }), "unavailable", null, /503$/],
    [{ kind: "garbage" }, "nonsense", null, /not a page of records/],
    [{ kind: "html" }, "nonsense", null, /not a page of records/],
    [{ kind: "truncated" }, "nonsense", null, /not a page of records/],
    [{ kind: "reset" }, "unavailable", null, /fetch failed/],
    [{ kind: "cut" }, "unavailable", null, /Airtable: /],
    [{ kind: "endless-offset", sticky: true }, "nonsense", null, /cursors of the pages repeat/],
  ];
  for (const [fault, kind, pause, reason] of table) {
    for (const nth of [1, 2]) {
      const { airtable, store } = createPair();
      airtable.faults.push({ ...fault, nth });
      const error = await failure(store.read(never));
      assert.equal(error.fault, kind, JSON.stringify(fault));
      assert.equal(error.pauseSeconds, pause, JSON.stringify(fault));
      assert.match(error.message, reason);
      if (fault.kind !== "endless-offset") assert.equal(airtable.requests.length, nth);
    }
  }
});

Deno.test("a 200 without a page of records is nonsense, and its text is not repeated", async () => {
  const bodies = [
    "",
    "null",
    "[]",
    "{}",
    '{"records":{}}',
    '{"records":[{}]}',
    '{"records":[{"id":7,"fields":{}}]}',
    '{"records":[{"id":"rec1","fields":[]}]}',
    '{"records":[],"offset":7}',
    '{"records":[],"offset":""}',
    '{"error":"the secret page"}',
    "the secret page",
  ];
  for (const body of bodies) {
    const store = createAnswered(() => Promise.resolve(new Response(body)));
    const error = await failure(store.read(never));
    assert.equal(error.fault, "nonsense", body);
    assert.ok(!error.message.includes("secret page"));
  }
});

Deno.test("when the cursor dies the read starts from page one, mixes nothing, and is given up after three restarts", async () => {
  const deaths: AirtableFault[] = [
    { kind: "iterator-death" },
    { kind: "iterator-death", layout: "string" },
    { kind: "status", status: 422, type: "INVALID_OFFSET_VALUE", nth: 2 },
    { kind: "iterator-death", nth: 2 },
  ];
  for (const death of deaths) {
    const { airtable, store, pauses } = createPair();
    airtable.faults.push(death);
    const records = await store.read(never);
    assert.deepEqual(records.map(({ id }) => id), airtable.records.map(({ id }) => id));
    // Every call but the first waits: five a second are allowed.
    assert.deepEqual(pauses, Array(airtable.requests.length - 1).fill(220), death.kind);
  }
  const { airtable, store } = createPair();
  airtable.faults.push({ kind: "iterator-death", sticky: true });
  assert.equal((await failure(store.read(never))).fault, "unavailable");
  assert.equal(airtable.requests.length, 8, "two pages each time");
});

Deno.test("a table that changes between two pages is read again", async () => {
  const after = Array.from({ length: 150 }, () => row({}));
  let paused = 0;
  const { airtable, store } = createPair(250, {
    standIn: { cursorsDieOnChange: true },
    sleep() {
      if (++paused === 2) airtable.setRecords(after);
      return Promise.resolve();
    },
  });
  const records = await store.read(never);
  assert.deepEqual(records.map(({ id }) => id), after.map(({ id }) => id));
});

Deno.test("pages without end are given up, also if every cursor is another", async () => {
  let calls = 0;
  const store = createAnswered(() => {
    const offset = `itr${++calls}`;
    return Promise.resolve(Response.json({ records: [], offset }));
  });
  const error = await failure(store.read(never));
  assert.deepEqual([error.fault, calls], ["nonsense", 1_000]);
});

Deno.test("a page without end is given up before it fills the memory", async () => {
  let sent = 0;
  const chunk = new Uint8Array(1024 * 1024).fill(32);
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent++;
      controller.enqueue(chunk);
    },
  });
  const store = createAnswered(() => Promise.resolve(new Response(body)));
  assert.equal((await failure(store.read(never))).fault, "nonsense");
  assert.ok(sent < 70, `${sent} MB were read`);
});

Deno.test("a read that is given up ends as unavailable, wherever it is", async () => {
  const cases: Record<string, (controller: AbortController) => Promise<unknown>> = {
    "before it began"(controller) {
      controller.abort();
      return createPair().store.read(controller.signal);
    },
    "while the store hangs"(controller) {
      const { airtable, store } = createPair();
      airtable.faults.push({ kind: "hang" });
      const reading = store.read(controller.signal);
      controller.abort();
      return reading;
    },
    "in the pause between two pages"(controller) {
      const sleep = () => {
        controller.abort();
        return Promise.reject(controller.signal.reason);
      };
      return createPair(250, { sleep }).store.read(controller.signal);
    },
    "in the middle of a page"(controller) {
      const answer: typeof fetch = (_, init) => {
        const body = new ReadableStream({
          start: (stream) =>
            init?.signal?.addEventListener("abort", () => stream.error(init.signal?.reason)),
          pull: () => controller.abort(),
        });
        return Promise.resolve(new Response(body));
      };
      return createAnswered(answer).read(controller.signal);
    },
  };
  for (const [name, run] of Object.entries(cases)) {
    const error = await failure(run(new AbortController()));
    assert.equal(error.fault, "unavailable", name);
    assert.match(error.message, /: the read was aborted$/, name);
  }
});

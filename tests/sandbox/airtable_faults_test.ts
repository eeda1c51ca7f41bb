import assert from "node:assert/strict";
import type { AirtableFault } from "../../lib/sandbox/airtable.ts";
import { ORIGIN, page, setUp, TABLE_PATH } from "./airtable_stand_in.ts";

const PAGED = `${TABLE_PATH}?pageSize=3`;

/** A stand-in whose next responses have these faults. */
function faulty(...faults: AirtableFault[]) {
  const made = setUp();
  made.store.faults.push(...faults);
  return made;
}

Deno.test("faults are consumed in order, and then requests succeed", async () => {
  const { get } = faulty({ kind: "status", status: 500 }, { kind: "status", status: 429 });
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await get(PAGED)).status);
  assert.deepEqual(statuses, [500, 429, 200]);
});

Deno.test("status faults have the body of the real service", async (t) => {
  const cases: [AirtableFault, string][] = [
    [{ kind: "status", status: 401 }, '{"error":{"type":"AUTHENTICATION_REQUIRED","message":'],
    [{ kind: "status", status: 403 }, '{"error":{"type":"INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND"'],
    [{ kind: "status", status: 404 }, '{"error":"NOT_FOUND"}'],
    [{ kind: "status", status: 422, type: "VIEW_NAME_NOT_FOUND" }, '{"error":{"type":"VIEW_NAME'],
    [{ kind: "status", status: 429 }, '{"errors":[{"error":"RATE_LIMIT_REACHED","message":'],
    [
      { kind: "status", status: 429, layout: "object", type: "PUBLIC_API_BILLING_LIMIT_EXCEEDED" },
      '{"error":{"type":"PUBLIC_API_BILLING_LIMIT_EXCEEDED"',
    ],
    [{ kind: "status", status: 500 }, "<!DOCTYPE html>"],
    [{ kind: "status", status: 503 }, "<!DOCTYPE html>"],
  ];
  for (const [fault, start] of cases) {
    await t.step(JSON.stringify(fault), async () => {
      const response = await faulty(fault).get(PAGED);
      assert.equal(response.status, "status" in fault ? fault.status : undefined);
      assert.equal((await response.text()).slice(0, start.length), start);
    });
  }
});

Deno.test("a cut answer gives its first half and then breaks", async () => {
  const { get } = faulty({ kind: "cut" });
  const { body } = await get(PAGED);
  const reader = body?.getReader() ?? assert.fail("no body");
  const first = await reader.read();
  assert.match(new TextDecoder().decode(first.value), /^\{"records":\[/);
  await assert.rejects(reader.read(), /reset/);
});

Deno.test("an iterator dies at the next request that has a cursor, in any of its layouts", async () => {
  for (
    const [layout, expected] of [
      [undefined, /"type":"LIST_RECORDS_ITERATOR_NOT_AVAILABLE","message"/],
      ["string", /"error":"LIST_RECORDS_ITERATOR_NOT_AVAILABLE"\}/],
    ] as const
  ) {
    const { get } = faulty({ kind: "iterator-death", ...(layout ? { layout } : {}) });
    const { offset = "" } = await page(await get(PAGED));
    const next = `${PAGED}&offset=${encodeURIComponent(offset)}`;
    const dead = await get(next);
    assert.equal(dead.status, 422);
    assert.match(await dead.text(), expected);
    assert.equal((await get(next)).status, 200);
  }
});

Deno.test("people plan faults over HTTP, see them and take them back", async () => {
  const { store, get } = setUp();
  const control = (method: string, body?: unknown) =>
    store.substitute(`${ORIGIN}/sandbox/faults`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  assert.equal((await control("POST", { kind: "status", status: 500, nth: 2 })).status, 201);
  assert.equal((await control("POST", [{ kind: "reset" }, { kind: "delay", ms: 5 }])).status, 201);
  assert.deepEqual(await (await control("GET")).json(), [
    { kind: "status", status: 500, nth: 2 },
    { kind: "reset" },
    { kind: "delay", ms: 5 },
  ]);
  await assert.rejects(get(PAGED), TypeError);
  assert.equal((await get(PAGED)).status, 500);
  assert.equal((await control("DELETE")).status, 204);
  assert.equal((await get(PAGED)).status, 200);
});

Deno.test("an invalid fault is refused with the reason", async () => {
  const { store } = setUp();
  for (
    const [body, reason] of [
      ['{"kind":"meteor"}', /kind/],
      ['{"kind":"status","status":418}', /401[^]*status/],
      ['{"kind":"delay"}', /at ms/],
      ["{", /JSON/],
      ["7", /object/],
    ] as const
  ) {
    const response = await store.substitute(`${ORIGIN}/sandbox/faults`, { method: "POST", body });
    assert.equal(response.status, 400);
    assert.match((await response.json()).error, reason);
  }
  assert.equal(store.faults.pending.length, 0);
});

Deno.test("a listening server shows a reset, a cut and a hang on the wire", async () => {
  const { store } = faulty({ kind: "reset" }, { kind: "cut" }, { kind: "hang" });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, store.fetch);
  const ask = (signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${server.addr.port}${PAGED}`, {
      headers: { Authorization: "Bearer pat.test" },
      ...(signal ? { signal } : {}),
    });
  await assert.rejects(ask().then((response) => response.text()), TypeError);
  await assert.rejects(ask().then((response) => response.text()), TypeError);

  const controller = new AbortController();
  const hanging = ask(controller.signal);
  while (store.requests.length < 3) await (await ask()).body?.cancel();
  controller.abort();
  await assert.rejects(hanging, { name: "AbortError" });
  await server.shutdown();
});

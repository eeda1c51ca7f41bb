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

Deno.test("a fault can wait for the n-th request, and a sticky one stays until it is cleared", async () => {
  const { store, get } = faulty({ kind: "status", status: 503, nth: 3, sticky: true });
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push((await get(PAGED)).status);
  store.faults.clear();
  statuses.push((await get(PAGED)).status);
  assert.deepEqual(statuses, [200, 200, 503, 503, 200]);
});

Deno.test("a fault for files leaves listings alone", async () => {
  const { store, get } = faulty({ kind: "status", status: 500, target: "file" });
  assert.equal((await get(PAGED)).status, 200);
  assert.equal((await get("/files/att1/original/a.png")).status, 500);
  assert.equal(store.faults.pending.length, 0);
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

Deno.test("429 has Retry-After only if requested", async () => {
  const { get } = faulty(
    { kind: "status", status: 429 },
    { kind: "status", status: 429, retryAfterSeconds: 30 },
  );
  assert.equal((await get(PAGED)).headers.get("Retry-After"), null);
  assert.equal((await get(PAGED)).headers.get("Retry-After"), "30");
});

Deno.test("a delayed answer comes when its promise resolves", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { get } = faulty({ kind: "delay", until: promise });
  let answered = false;
  const answer = get(PAGED).then((response) => {
    answered = true;
    return response;
  });
  // Other requests are answered meanwhile, so the delayed one had its chance to come too early.
  assert.equal((await get(PAGED)).status, 200);
  assert.equal(answered, false);
  resolve();
  assert.equal((await answer).status, 200);
});

Deno.test("a delay in milliseconds leaves no timer behind when the caller disconnects", async () => {
  const { get } = faulty({ kind: "delay", ms: 60_000 }, { kind: "delay", ms: 0 });
  const controller = new AbortController();
  const answer = get(PAGED, { signal: controller.signal });
  controller.abort(new Error("gone"));
  await assert.rejects(answer, /gone/);
  assert.equal((await get(PAGED)).status, 200);
});

Deno.test("a hanging request ends when the caller disconnects", async () => {
  const { get } = faulty({ kind: "hang" });
  const controller = new AbortController();
  const answer = get(PAGED, { signal: controller.signal });
  controller.abort(new Error("gone"));
  await assert.rejects(answer, /gone/);
});

Deno.test("a reset rejects as the platform's fetch does", async () => {
  const { get } = faulty({ kind: "reset" });
  await assert.rejects(get(PAGED), TypeError);
});

Deno.test("garbage, HTML and half a page all come with 200", async () => {
  const { get } = faulty({ kind: "garbage" }, { kind: "html" }, { kind: "truncated" });
  const garbage = await get(PAGED);
  assert.equal(garbage.headers.get("Content-Type"), "application/json");
  await assert.rejects(garbage.json(), SyntaxError);
  const html = await get(PAGED);
  assert.equal(html.status, 200);
  assert.match(html.headers.get("Content-Type") ?? "", /^text\/html/);
  assert.match(await html.text(), /^<!DOCTYPE html>/);
  const truncated = await get(PAGED);
  assert.equal(truncated.status, 200);
  const body = await truncated.text();
  assert.ok(body.startsWith('{"records":['));
  assert.throws(() => JSON.parse(body), SyntaxError);
});

Deno.test("a cut answer gives its first half and then breaks", async () => {
  const { get } = faulty({ kind: "cut" });
  const { body } = await get(PAGED);
  const reader = body?.getReader() ?? assert.fail("no body");
  const first = await reader.read();
  assert.match(new TextDecoder().decode(first.value), /^\{"records":\[/);
  await assert.rejects(reader.read(), /reset/);
});

Deno.test("a wrong content type carries the right body", async () => {
  const { get } = faulty({ kind: "content-type", contentType: "text/plain" });
  const response = await get(PAGED);
  assert.equal(response.headers.get("Content-Type"), "text/plain");
  assert.equal((await page(response)).records.length, 3);
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

Deno.test("a page can hold a record twice", async () => {
  const { get } = faulty({ kind: "duplicate-ids" });
  const { records } = await page(await get(PAGED));
  assert.equal(records.length, 4);
  assert.equal(records[0]?.id, records[3]?.id);
});

Deno.test("offsets can lead in a circle, with the same cursor or with ever new ones", async () => {
  for (const fresh of [false, true]) {
    const { get } = faulty({ kind: "endless-offset", fresh, sticky: true });
    const seen = new Set<string>();
    let path = PAGED;
    for (let i = 0; i < 5; i++) {
      const { records, offset = "" } = await page(await get(path));
      assert.equal(records[0]?.fields["Name"], "Event 1");
      seen.add(offset);
      path = `${PAGED}&offset=${encodeURIComponent(offset)}`;
    }
    assert.equal(seen.size > 1, fresh);
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

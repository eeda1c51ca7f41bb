import assert from "node:assert/strict";
import type { StandInRecord } from "../../lib/sandbox/airtable.ts";
import { ORIGIN, page, plainRecords, setUp, TABLE_PATH } from "./airtable_stand_in.ts";

Deno.test("pages add up to the table, and the last one has no offset", async () => {
  const { get } = setUp();
  const names: unknown[] = [];
  const sizes: number[] = [];
  let offset: string | undefined;
  do {
    const query = new URLSearchParams({ pageSize: "3", ...(offset ? { offset } : {}) });
    const { records, offset: next } = await page(await get(`${TABLE_PATH}?${query}`));
    names.push(...records.map(({ fields }) => fields["Name"]));
    sizes.push(records.length);
    offset = next;
  } while (offset);
  assert.deepEqual(sizes, [3, 3, 1]);
  assert.deepEqual(names, plainRecords(7).map(({ fields }) => fields["Name"]));
});

Deno.test("empty cells are left out, and zero is not empty", async () => {
  const record: StandInRecord = {
    id: "rec1",
    createdTime: "2026-01-01T00:00:00.000Z",
    fields: { A: "", B: null, C: false, D: [], E: undefined, F: 0, G: true, H: " " },
  };
  const { get } = setUp({ records: [record] });
  const { records } = await page(await get(TABLE_PATH));
  assert.deepEqual(records[0]?.fields, { F: 0, G: true, H: " " });
});

Deno.test("errors have the documented status and layout", async (t) => {
  const { get } = setUp();
  const wrong = { headers: { Authorization: "Bearer other" } };
  const cases: [string, RequestInit, number, string][] = [
    [TABLE_PATH, { headers: {} }, 401, "AUTHENTICATION_REQUIRED"],
    [TABLE_PATH, wrong, 401, "AUTHENTICATION_REQUIRED"],
    ["/v0/appOther/All%20events", {}, 403, "INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND"],
    ["/v0/appTest/Other", {}, 403, "INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND"],
    ["/v0/appTest/%ff", {}, 403, "INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND"],
    [`${TABLE_PATH}?pageSize=101`, {}, 422, "INVALID_REQUEST_UNKNOWN"],
    [`${TABLE_PATH}?pageSize=0`, {}, 422, "INVALID_REQUEST_UNKNOWN"],
    [`${TABLE_PATH}?sort[0][field]=Name`, {}, 422, "INVALID_REQUEST_UNKNOWN"],
    [`${TABLE_PATH}?view=Nowhere`, {}, 422, "VIEW_NAME_NOT_FOUND"],
    [`${TABLE_PATH}?offset=nonsense`, {}, 422, "INVALID_OFFSET_VALUE"],
  ];
  for (const [path, init, status, type] of cases) {
    await t.step(`${status} ${type} for ${path}`, async () => {
      const response = await get(path, init);
      assert.equal(response.status, status);
      const body = await response.json();
      assert.deepEqual(Object.keys(body), ["error"]);
      assert.equal(body.error.type, type);
      assert.equal(typeof body.error.message, "string");
    });
  }
  await t.step("404 is a bare string", async () => {
    const response = await get("/v0/appTest");
    assert.equal(response.status, 404);
    assert.deepEqual(await response.json(), { error: "NOT_FOUND" });
  });
});

Deno.test("the sixth request within a second is refused, and so is every one for 30 s", async () => {
  const { get, clock } = setUp({ rateLimit: true });
  for (let i = 0; i < 5; i++) assert.equal((await get(TABLE_PATH)).status, 200);
  const refused = await get(TABLE_PATH);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get("Retry-After"), null);
  assert.equal((await refused.json()).errors[0].error, "RATE_LIMIT_REACHED");

  clock.now += 29_999;
  assert.equal((await get(TABLE_PATH)).status, 429);
  clock.now += 1;
  assert.equal((await get(TABLE_PATH)).status, 200);
});

Deno.test("a cursor expires when the table changes, if so configured, and otherwise continues", async () => {
  for (const [cursorsDieOnChange, status] of [[true, 422], [false, 200]] as const) {
    const { store, get } = setUp({ cursorsDieOnChange });
    const { offset = "" } = await page(await get(`${TABLE_PATH}?pageSize=3`));
    const next = `${TABLE_PATH}?pageSize=3&offset=${encodeURIComponent(offset)}`;
    assert.equal((await get(next)).status, 200);
    store.setRecords(plainRecords(9));
    const response = await get(next);
    assert.equal(response.status, status);
    if (status === 422) {
      assert.equal((await response.json()).error.type, "LIST_RECORDS_ITERATOR_NOT_AVAILABLE");
    }
  }
});

Deno.test("every answer says that it is the sandbox's, and every request is counted", async () => {
  const { store, get, clock } = setUp();
  for (const path of [TABLE_PATH, "/v0/appTest/Other", "/nowhere", "/sandbox/faults"]) {
    assert.equal((await get(path)).headers.get("X-Sandbox"), "airtable");
  }
  assert.deepEqual(store.requests[0], {
    method: "GET",
    url: `${ORIGIN}${TABLE_PATH}`,
    at: clock.now,
  });
  assert.equal(store.requests.length, 3);
});

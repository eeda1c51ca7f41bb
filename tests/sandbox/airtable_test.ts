/** The stand-in for Airtable, against its documentation. */

import assert from "node:assert/strict";
import type { StandInRecord } from "../../lib/sandbox/airtable.ts";
import { ORIGIN, plainRecords, setUp, TABLE_PATH } from "./airtable_stand_in.ts";

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
    [`${TABLE_PATH}?sort[0][field]=Nothing`, {}, 422, "UNKNOWN_FIELD_NAME"],
    [`${TABLE_PATH}?sort[0][direction]=asc`, {}, 422, "INVALID_REQUEST_UNKNOWN"],
    [`${TABLE_PATH}?fields[]=Nothing`, {}, 422, "UNKNOWN_FIELD_NAME"],
    [`${TABLE_PATH}?filterByFormula=1`, {}, 422, "INVALID_REQUEST_UNKNOWN"],
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

Deno.test("a listing has the chosen fields, order and number, in its address or in a body", async () => {
  const { get } = setUp();
  const { records } = await (await get(
    `${TABLE_PATH}?fields[]=Rank&sort[0][field]=Rank&maxRecords=3&pageSize=2`,
  )).json();
  assert.deepEqual(records.map(({ fields }: StandInRecord) => fields), [{ Rank: 1 }, { Rank: 2 }]);
  const headers = { Authorization: "Bearer pat.test" };
  const sort = [{ field: "Name", direction: "desc" }];
  const body = JSON.stringify({ fields: ["Name"], sort, maxRecords: 1 });
  const answer = await get(`${TABLE_PATH}/listRecords`, { method: "POST", headers, body });
  const { records: [last], offset } = await answer.json();
  assert.deepEqual([last.fields, offset], [{ Name: "Event 7" }, undefined]);
  const one = await get(`${TABLE_PATH}/${last.id}`);
  assert.deepEqual(await one.json(), plainRecords(7)[6]);
  assert.equal((await get(`${TABLE_PATH}/recNone`)).status, 404);
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
  await assert.rejects(get(TABLE_PATH), TypeError);
  assert.equal((await get(TABLE_PATH)).status, 500);
  assert.equal((await control("DELETE")).status, 204);
  assert.equal((await get(TABLE_PATH)).status, 200);
});

/** What the tests of notifications do not see of the stand-in's webhooks: their end, and what they refuse. */

import assert from "node:assert/strict";
import { plainRecords, setUp } from "./airtable_stand_in.ts";

const DAY = 86_400_000;
const PATH = "/v0/bases/appTest/webhooks";

function setUpHooks() {
  const waiting: (() => void)[] = [];
  let sent = 0;
  const { store, clock, get } = setUp({
    later: (work) => void waiting.push(work),
    deliver() {
      sent++;
      return Promise.resolve(new Response(null, { status: 204 }));
    },
  });
  const ask = async (path: string, method = "GET", body?: unknown) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { Authorization: "Bearer pat.test" };
    const response = await get(PATH + path, { method, headers, ...init });
    return { status: response.status, body: await response.json() };
  };
  const make = (filters: unknown) =>
    ask("", "POST", {
      notificationUrl: "https://foyer.example/hooks/airtable",
      specification: { options: { filters } },
    });
  /** Tells of a change of the table; returns how many notifications came of it. */
  async function tell(): Promise<number> {
    const before = sent;
    store.setRecords(plainRecords(9));
    for (const work of waiting.splice(0)) work();
    await new Promise((resolve) => setTimeout(resolve));
    return sent - before;
  }
  return { clock, ask, make, tell };
}

Deno.test("a webhook lives seven days from its last refresh, and is then invalid", async () => {
  const { clock, ask, make, tell } = setUpHooks();
  const { body: { id } } = await make({ dataTypes: ["tableData"] });
  clock.now += 6 * DAY;
  assert.equal((await ask(`/${id}/refresh`, "POST")).status, 200);
  assert.notEqual(await tell(), 0);
  clock.now += 7 * DAY;
  const [listed] = (await ask("")).body.webhooks;
  assert.equal(listed.isHookEnabled, false);
  const { status, body: { error } } = await ask(`/${id}/refresh`, "POST");
  assert.deepEqual([status, error.type], [422, "INVALID_HOOK"]);
  assert.equal(await tell(), 0, "an expired one tells of nothing");
  clock.now += 7 * DAY;
  assert.deepEqual((await ask("")).body.webhooks, []);
});

Deno.test("an invalid specification is refused", async () => {
  const { make } = setUpHooks();
  for (const filters of [{}, { dataTypes: ["tableData"], recordChangeScope: "tblOther" }]) {
    assert.equal((await make(filters)).status, 422);
  }
});

/** The stand-in's webhooks, against what Airtable's documentation says of its own. */

import assert from "node:assert/strict";
import type { WebhookRights } from "../../lib/sandbox/airtable_webhooks.ts";
import { plainRecords, setUp } from "./airtable_stand_in.ts";

const DAY = 86_400_000;
const PATH = "/v0/bases/appTest/webhooks";
const SPECIFICATION = { options: { filters: { dataTypes: ["tableData"] } } };
const NOTIFICATION_URL = "https://foyer.example/hooks/airtable";

/** A stand-in whose notifications a test answers, and whose pauses it ends. */
function setUpHooks({ status = 204, rights }: { status?: number; rights?: WebhookRights } = {}) {
  let sent = 0;
  const pauses: { readonly work: () => void; readonly ms: number }[] = [];
  const { store, clock, get } = setUp({
    later: (work, ms) => void pauses.push({ work, ms }),
    ...rights === undefined ? {} : { webhookRights: () => rights },
    deliver() {
      sent++;
      return Promise.resolve(new Response(null, { status }));
    },
  });
  const ask = async (path: string, method = "GET", body?: unknown) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { Authorization: "Bearer pat.test" };
    const response = await get(PATH + path, { method, headers, ...init });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  };
  const make = (specification: unknown = SPECIFICATION) =>
    ask("", "POST", { notificationUrl: NOTIFICATION_URL, specification });
  /** Lets what waits go on, and what is being sent arrive. */
  async function goOn(): Promise<number> {
    const waiting = pauses.splice(0);
    for (const { work } of waiting) work();
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
    return waiting.reduce((sum, { ms }) => sum + ms, 0);
  }
  return { store, clock, ask, make, sent: () => sent, goOn };
}

const errorOf = ({ body }: { body: { error: { type: string } } }) => body.error.type;

Deno.test("a base has ten webhooks at most", async () => {
  const { make, ask } = setUpHooks();
  for (let made = 0; made < 10; made++) assert.equal((await make()).status, 200);
  const refused = await make();
  assert.deepEqual([refused.status, errorOf(refused)], [422, "TOO_MANY_WEBHOOKS_IN_BASE"]);
  const [first] = (await ask("")).body.webhooks;
  await ask(`/${first.id}`, "DELETE");
  assert.equal((await make()).status, 200);
});

Deno.test("a webhook lives seven days from its last refresh, and is then invalid", async () => {
  const { store, clock, ask, make, sent, goOn } = setUpHooks();
  const { body: { id } } = await make();
  await goOn();
  clock.now += 6 * DAY;
  assert.equal((await ask(`/${id}/refresh`, "POST")).status, 200);
  clock.now += 7 * DAY;
  const [listed] = (await ask("")).body.webhooks;
  assert.equal(listed.isHookEnabled, false);
  const refused = await ask(`/${id}/refresh`, "POST");
  assert.deepEqual([refused.status, errorOf(refused)], [422, "INVALID_HOOK"]);
  const before = sent();
  store.setRecords(plainRecords(9));
  await goOn();
  assert.equal(sent(), before, "an expired one tells of nothing");
  clock.now += 7 * DAY;
  assert.deepEqual((await ask("")).body.webhooks, []);
});

Deno.test("failed notifications are repeated for about a day and then switched off", async () => {
  const { store, ask, make, sent, goOn } = setUpHooks({ status: 500 });
  await make();
  let waited = 0;
  for (let rounds = 0; rounds < 20; rounds++) waited += await goOn();
  assert.equal(sent(), 14, "the first and thirteen tries");
  assert.ok(waited > DAY / 2 && waited < 2 * DAY, `${waited / DAY} days`);
  const [listed] = (await ask("")).body.webhooks;
  assert.deepEqual([listed.isHookEnabled, listed.areNotificationsEnabled], [true, false]);
  store.setRecords(plainRecords(3));
  await goOn();
  assert.equal(sent(), 14);
});

Deno.test("calls beyond the token's permissions are refused, and so is an invalid specification", async () => {
  const noScope = setUpHooks({ rights: "no scope" });
  assert.equal((await noScope.ask("")).status, 403);
  const editor = setUpHooks({ rights: "editor" });
  assert.equal((await editor.ask("")).status, 200);
  assert.equal((await editor.make()).status, 403);
  const { make } = setUpHooks();
  const wrong = [
    {},
    { options: { filters: {} } },
    { options: { filters: { dataTypes: ["tableData"], recordChangeScope: "tblOther" } } },
  ];
  for (const specification of wrong) assert.equal((await make(specification)).status, 422);
});

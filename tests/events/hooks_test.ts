/** The addresses below `/hooks/` that start a read of the events, through the public door. */

import assert from "node:assert/strict";
import { readHook } from "../../lib/events/airtable/webhook.ts";
import { callAt, done } from "../commands/desk.ts";
import type { Judge } from "../support/faulty_kv.ts";
import { type Foyer, row, startFoyer } from "../support/foyer.ts";
import { skipPauses } from "../support/held_pauses.ts";
import { until } from "../support/until.ts";

const RECORD = "recHook0000000001";

/** A Foyer whose clock advances with each pause, and which Airtable's stand-in notifies. */
async function startNotified(
  env: Record<string, string> = {},
  judge?: Judge,
  records = [row({ "id": RECORD, "Name": "Before" })],
) {
  const sent: Request[] = [];
  const later: (() => void)[] = [];
  const foyer: Foyer = await startFoyer({
    records,
    env: { AIRTABLE_NOTIFICATIONS: "on", ...env },
    ...judge && { judge },
    airtable: {
      rateLimit: true,
      // A new hook's first notification would come before the hook is stored, and again ten seconds later.
      later: (work) => void later.push(work),
      async deliver(input, init) {
        const request = new Request(input, init);
        sent.push(request.clone());
        return await foyer.answer(new URL(request.url).pathname, init);
      },
    },
    async sleep(milliseconds, signal) {
      await skipPauses(milliseconds, signal);
      foyer.clock.now += milliseconds;
    },
  });
  const nameNow = async () => (await (await foyer.answer("/api/v1/events")).json()).data[0].name;
  /** Has the hook made and heard. */
  async function hear(): Promise<void> {
    await foyer.services.events.refresh();
    for (const work of later.splice(0)) work();
    await until(async () => (await readHook(foyer.kv)).life !== null);
    // Serves the notification.
    await foyer.services.events.refresh();
  }
  return { foyer, sent, nameNow, hear };
}

Deno.test("at a first start, the webhook's calls and the table's pages together stay below five a second", async () => {
  const records = Array.from({ length: 600 }, () => row());
  const { foyer } = await startNotified({}, undefined, records);
  await using _foyer = foyer;
  await foyer.services.events.refresh();
  assert.equal((await (await foyer.answer("/api/v1/events")).json()).data.length, 600);
  assert.equal(foyer.store.requests.length, 8, "two of the webhook, and six pages");
});

Deno.test("Airtable's notification causes a read of the table, and any other request to its address is a 404", async () => {
  const { foyer, sent, nameNow, hear } = await startNotified({ AIRTABLE_CALLS_PER_MONTH: "1000" });
  await using _foyer = foyer;
  await hear();
  assert.equal(await nameNow(), "Before");
  const { now } = foyer.clock;
  foyer.store.setRecords([row({ "id": RECORD, "Name": "After" })]);
  await until(async () => await nameNow() === "After");
  assert.ok(foyer.clock.now - now < 60_000, `${foyer.clock.now - now} ms`);
  assert.match(
    await done(callAt(foyer, "status")),
    /^Airtable reports changes; without any, the table is read hourly\.$/m,
  );

  const [real] = sent;
  assert.ok(real);
  const body = await real.text();
  const mac = real.headers.get("x-airtable-content-mac") ?? "";
  const told = async (headers: Record<string, string>, body: string, method = "POST") => {
    const init = method === "POST" ? { method, headers, body } : { method, headers };
    return await foyer.answer("/hooks/airtable", init);
  };
  assert.equal((await told({ "x-airtable-content-mac": mac }, body)).status, 204);
  const nowhere = await foyer.answer("/hooks/nowhere", { method: "POST", body });
  const expected = await nowhere.text();
  const forged: [Record<string, string>, string, string?][] = [
    [{}, body],
    [{ "x-airtable-content-mac": "" }, body],
    [{ "x-airtable-content-mac": "hmac-sha256=" + "0".repeat(64) }, body],
    [{ "x-airtable-content-mac": mac }, `${body} `],
    [{ "x-airtable-content-mac": mac }, "x".repeat(5 * 1024)],
    [{ "x-airtable-content-mac": mac }, "", "GET"],
  ];
  for (const [headers, body, method] of forged) {
    const response = await told(headers, body, method);
    assert.equal(response.status, 404);
    assert.equal(await response.text(), expected);
  }
  const { key, value } = await foyer.kv.get<{ hook: object }>(["events", "hook", 2]);
  assert.ok(!Deno.inspect(value).includes(mac), "no MAC is stored");
  // Another AIRTABLE_TOKEN sealed the secret.
  const hook = { ...value?.hook, secret: new Uint8Array(60) };
  await foyer.kv.set(key, { ...value, hook });
  assert.equal((await told({ "x-airtable-content-mac": mac }, body)).status, 404);
});

Deno.test("slow bodies with a forged MAC keep no notification out, and a malformed MAC is refused before its body", async () => {
  const { foyer, sent, hear } = await startNotified();
  await using _foyer = foyer;
  await hear();
  const slow = (mac: string) => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({ pull: () => void pulls++ }, { highWaterMark: 0 });
    const headers = { "x-airtable-content-mac": mac };
    const answer = foyer.answer("/hooks/airtable", { method: "POST", headers, body });
    return { answer, pulls: () => pulls };
  };
  const malformed = slow("hmac-sha256=nonsense");
  assert.equal((await malformed.answer).status, 404);
  assert.equal(malformed.pulls(), 0);
  const forged = `hmac-sha256=${"0".repeat(64)}`;
  const others = Array.from({ length: 40 }, () => slow(forged));
  await until(() => others.every(({ pulls }) => pulls() > 0));
  const [real] = sent;
  assert.ok(real);
  const mac = real.headers.get("x-airtable-content-mac") ?? "";
  const init = { method: "POST", headers: { "x-airtable-content-mac": mac } };
  const body = await real.text();
  assert.equal((await foyer.answer("/hooks/airtable", { ...init, body })).status, 204);
  for (const { answer } of others) {
    const { status, headers } = await answer;
    assert.deepEqual([status, headers.get("retry-after")], [503, "10"]);
  }
});

Deno.test("a notification that the database cannot store is 503, so that its sender tries again", async () => {
  let isFull = false;
  const { foyer, sent, hear } = await startNotified({}, ({ sets }) => {
    if (isFull && sets.includes("events")) throw new Error("database or disk is full");
    return "work";
  });
  await using _foyer = foyer;
  await hear();
  const [real] = sent;
  assert.ok(real);
  const init = { method: "POST", headers: real.headers, body: await real.text() };
  isFull = true;
  const response = await foyer.answer("/hooks/airtable", init);
  isFull = false;
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("retry-after"), "60");
});

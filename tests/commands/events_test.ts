/** `events`: the words about a refused read, and the effect of an acceptance. */

import assert from "node:assert/strict";
import { row, startFoyer } from "../support/foyer.ts";
import { until } from "../support/until.ts";
import { callAt, done, json } from "./desk.ts";

const HOSTILE = "\u001b[31mJam";

Deno.test("an operator sees the loss of a refused read, accepts it, and the next read succeeds", async () => {
  const records = Array.from({ length: 30 }, (_, at) => row({ "Name": `${HOSTILE} ${at}` }));
  await using foyer = await startFoyer({ records });
  const { services: { events }, clock } = foyer;
  const call = (name: string, ...args: string[]) => callAt(foyer, name, ...args);
  await events.refresh();
  assert.match(await done(call("events", "loss")), /^No read was refused/);
  assert.equal(await json(call("events", "loss", "--json")), null);
  const nothing = await call("events", "accept");
  assert.equal(nothing.code, 1);
  assert.match(nothing.err, /^error: no loss is to be accepted/);

  foyer.store.setRecords(records.slice(0, 4));
  clock.now += 3 * 60_000;
  await events.refresh();
  const lost = await json(call("events", "loss", "--json"));
  assert.deepEqual([lost.known, lost.gone, lost.leftOut, lost.acceptedUntil], [30, 26, 0, null]);
  assert.equal(lost.examples.length, 10);
  const text = await done(call("events", "loss"));
  assert.match(text, /would have lost 26 of 30 events: the records of 26 are gone/);
  assert.match(text, /and 16 more/);
  // deno-lint-ignore no-control-regex -- what no terminal may get
  assert.ok(!/[\u0000-\u0009\u000b-\u001f]/.test(text));
  const red = await done(call("status"));
  assert.match(red, /^The events store has been failing/);
  assert.match(red, /deno task events accept/);
  const told = await json(call("status", "--json"));
  assert.deepEqual([told.checks[0].name, told.checks[0].state], ["events", "down"]);
  assert.deepEqual([told.eventsFailure.fault, told.eventsFailure.loss.gone], ["loss", 26]);

  const accepted = await done(call("events", "accept"));
  assert.match(accepted, /The next read, [^\n]* will succeed/);
  assert.match(await done(call("status")), /An operator has accepted this loss/);
  await events.refresh();
  assert.equal((await (await foyer.get("/api/v1/events")).json()).data.length, 4);
  assert.equal((await json(call("status", "--json"))).eventsFailure, null);
});

Deno.test("an operator asks for a read, and a service without notifications shows the edit within a minute", async () => {
  const id = "recAsked000000001";
  await using foyer = await startFoyer({ records: [row({ id, "Name": "Before" })] });
  const { clock } = foyer;
  const nameNow = async () => (await (await foyer.get("/api/v1/events")).json()).data[0].name;
  assert.equal(await nameNow(), "Before");
  foyer.store.setRecords([row({ id, "Name": "After" })]);
  clock.now += 15_000;
  assert.equal(await nameNow(), "Before");
  const asked = await done(callAt(foyer, "events", "read"));
  assert.match(asked, /^The events will be read within a/);
  const askedAt = clock.now;
  await until(async () => {
    clock.now += 1_000;
    return await nameNow() === "After";
  });
  assert.ok(clock.now - askedAt <= 60_000, `${clock.now - askedAt} ms`);
});

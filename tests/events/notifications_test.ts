/**
 * Notifications and their effects, in isolates that share a database, with a stand-in for Airtable and a network that
 * loses, doubles, delays and reorders them.
 */
// Not quick: days of a world.

import assert from "node:assert/strict";
import { readHook } from "../../lib/events/airtable/webhook.ts";
import { readStoredSnapshot } from "../../lib/events/keeping/stored.ts";
import { PublicError } from "../../lib/platform/http/errors.ts";
import type { WebhookRights } from "../../lib/sandbox/airtable_webhooks.ts";
import {
  createNotifiedWorld,
  DAY,
  HOUR,
  MINUTE,
  type NotifiedIsolate,
  type NotifiedWorld,
  SECOND,
  type Shown,
} from "../support/isolates.ts";

function shown(answer: Shown | PublicError): Shown {
  assert.ok(!(answer instanceof PublicError), String(answer));
  return answer;
}

/** What an isolate shows once it has learnt, by a first request, of what is stored. */
async function learns(world: NotifiedWorld, isolate = world.isolates[0]): Promise<Shown> {
  assert.ok(isolate);
  await world.ask(isolate);
  return shown(await world.ask(isolate));
}

Deno.test("a webhook is created, and from then on every isolate shows an edit within seconds", async () => {
  await using world = await createNotifiedWorld();
  const [one, other] = world.isolates as [NotifiedIsolate, NotifiedIsolate];
  await world.run(MINUTE);
  assert.equal(world.airtable.webhooks.ids.length, 1);
  assert.ok(await world.life() !== null, "it is heard");
  for (const isolate of [one, other]) assert.equal(shown(await world.ask(isolate)).name, "first");
  const before = world.reads.length;
  world.edit("second");
  await world.run(6 * SECOND);
  for (const isolate of [one, other]) {
    const { name, maxAgeSeconds } = await learns(world, isolate);
    assert.equal(name, "second");
    assert.ok(maxAgeSeconds <= 60);
  }
  assert.equal(world.reads.length, before + 1);
});

Deno.test("without edits the table is read hourly, and served all the time", async () => {
  await using world = await createNotifiedWorld();
  await world.run(5 * MINUTE);
  const before = world.reads.length;
  for (let minutes = 0; minutes < 24 * 60; minutes += 4) {
    await world.run(4 * MINUTE);
    for (const isolate of world.isolates) shown(await world.ask(isolate));
  }
  assert.equal(world.reads.length - before, 24);
  assert.deepEqual(world.logged, []);
});

Deno.test("a burst of edits is one read, and a long burst is read within the minute, ten seconds apart", async () => {
  await using world = await createNotifiedWorld();
  await world.run(5 * MINUTE);
  const before = world.reads.length;
  const began = world.now();
  for (let edits = 0; edits < 10; edits++) {
    world.edit(`edit ${edits}`);
    await world.run(2 * SECOND);
  }
  await world.run(20 * SECOND);
  assert.equal(world.reads.length, before + 1);
  const later = world.now();
  for (let edits = 0; edits < 60; edits++) {
    world.edit(`more ${edits}`);
    await world.run(3 * SECOND);
  }
  await world.run(MINUTE);
  const reads = world.reads.filter((at) => at > later);
  assert.ok(reads[0] !== undefined && reads[0] - later <= MINUTE && began < later);
  for (const [index, at] of reads.entries()) {
    const next = reads[index + 1];
    if (next !== undefined) assert.ok(next - at >= 10 * SECOND, `${next - at} ms apart`);
  }
  assert.ok(reads.length <= 5, `${reads.length} reads in four minutes`);
});

Deno.test("a crash after the notification loses no edit: another isolate reads when it is asked", async () => {
  for (let operations = 0; operations < 14; operations++) {
    await using world = await createNotifiedWorld({ isolates: 1 });
    await world.run(5 * MINUTE);
    const [receiver] = world.isolates as [NotifiedIsolate];
    const other = world.add();
    await world.ask(other);
    world.edit("edited");
    // The isolate dies at each operation from the notification to the stored snapshot.
    receiver.freeze(operations);
    // A reader that dies keeps the lease for 75 seconds.
    await world.run(2 * MINUTE);
    await world.ask(other);
    await world.run(80 * SECOND);
    assert.equal(shown(await world.ask(other)).name, "edited", `after ${operations} operations`);
  }
});

Deno.test("a hook that is gone or invalid is replaced, and only one is left", async () => {
  for (const end of ["drop", "invalidate"] as const) {
    await using world = await createNotifiedWorld();
    await world.run(5 * MINUTE);
    const [id = ""] = world.airtable.webhooks.ids;
    world.airtable.webhooks[end](id);
    world.edit("silent");
    // The hourly read finds a change that nothing told of.
    await world.run(HOUR + 15 * MINUTE);
    assert.equal(world.airtable.webhooks.ids.length, 1, end);
    assert.notEqual(world.airtable.webhooks.ids[0], id, end);
    world.edit("told");
    await world.run(10 * SECOND);
    assert.equal((await learns(world)).name, "told", end);
  }
});

Deno.test("a hook that Airtable says is gone is polled for at the normal interval, while no other can be made", async () => {
  await using world = await createNotifiedWorld({ isolates: 1, cronMilliseconds: null });
  const [isolate] = world.isolates as [NotifiedIsolate];
  const refresh = async (milliseconds: number) => {
    await world.run(milliseconds);
    await isolate.source.refresh();
  };
  await refresh(0);
  await refresh(MINUTE);
  assert.ok(await world.life() !== null);
  for (const id of world.airtable.webhooks.ids) world.airtable.webhooks.drop(id);
  world.edit("silent");
  await refresh(HOUR);
  // The change without a notification has the hook looked at: its list is right, and its making fails.
  world.airtable.faults.push({ kind: "status", status: 500, nth: 2 });
  await refresh(MINUTE);
  assert.deepEqual(world.airtable.faults.pending, []);
  world.edit("polled");
  await refresh(2 * MINUTE);
  assert.equal(shown(await world.ask(isolate)).name, "polled");
});

Deno.test("notifications that fail for a day are switched off, and the next check replaces the hook", async () => {
  let isRefused = false;
  await using world = await createNotifiedWorld({
    isolates: 1,
    cronMilliseconds: 10 * MINUTE,
    passage: () => isRefused ? "refuse" : "arrive",
  });
  await world.run(20 * MINUTE);
  const [id] = world.airtable.webhooks.ids;
  isRefused = true;
  world.edit("refused");
  await world.run(2 * DAY);
  isRefused = false;
  await world.run(4 * DAY);
  assert.equal(world.airtable.webhooks.ids.length, 1);
  assert.notEqual(world.airtable.webhooks.ids[0], id);
  assert.ok(await world.life() !== null);
});

Deno.test("the hook is refreshed before its seven days are over, so it is the same after two weeks", async () => {
  await using world = await createNotifiedWorld({ isolates: 1, cronMilliseconds: 2 * HOUR });
  await world.run(HOUR);
  const { ids } = world.airtable.webhooks;
  const { length } = world.airtable.requests;
  await world.run(15 * DAY);
  assert.deepEqual(world.airtable.webhooks.ids, ids);
  assert.ok(await world.life() !== null);
  const calls = world.airtable.requests.slice(length).filter(({ url }) =>
    url.includes("/webhooks")
  );
  assert.equal(calls.length, 10, "a look and a refresh every three days");
});

Deno.test("a problem that needs the operator is named with its remedy, and the events are polled", async () => {
  const table = [
    ["no scope", /webhook:manage/],
    ["editor", /role of a creator/],
  ] as const;
  for (const [problem, said] of table) {
    let rights: WebhookRights = problem;
    await using world = await createNotifiedWorld({ standIn: { webhookRights: () => rights } });
    await world.run(10 * MINUTE);
    assert.match(world.logged.join("\n"), said);
    assert.equal(world.logged.length, 1, "once");
    assert.equal(world.reads.length, 3, "whenever the job looks");
    rights = "creator";
    await world.run(61 * MINUTE);
    assert.ok(await world.life() !== null, "tried again hourly");
  }
});

Deno.test("a service that Airtable does not reach is polled, and told of its address once a day", async () => {
  let isReached = false;
  await using world = await createNotifiedWorld({
    isolates: 1,
    passage: () => isReached ? "arrive" : "lose",
  });
  await world.run(MINUTE);
  assert.match(
    (await readHook(world.kv)).problem ?? "",
    /not reached https:\/\/foyer\.example\/.*BASE_URL/,
  );
  await world.run(DAY);
  assert.equal(world.logged.length, 1);
  assert.match(world.logged[0] ?? "", /events are polled: Airtable has not reached/);
  isReached = true;
  world.edit("heard");
  await world.run(10 * SECOND);
  assert.equal((await readHook(world.kv)).problem, null);
});

/** Makes a webhook with the service's own token, as another program may. */
async function makeWebhook({ airtable }: NotifiedWorld, notificationUrl: string): Promise<void> {
  await airtable.substitute("http://store.example/v0/bases/appTest/webhooks", {
    method: "POST",
    headers: { authorization: "Bearer patTest.secret" },
    body: JSON.stringify({
      notificationUrl,
      specification: { options: { filters: { dataTypes: ["tableData"] } } },
    }),
  });
}

Deno.test("a base that has its ten webhooks already is named as the problem", async () => {
  let rights: WebhookRights = "no scope";
  await using world = await createNotifiedWorld({ standIn: { webhookRights: () => rights } });
  rights = "creator";
  for (let made = 0; made < 10; made++) {
    await makeWebhook(world, "https://other.example/hooks/airtable");
  }
  await world.run(61 * MINUTE);
  assert.match(world.logged.join("\n"), /has ten webhooks.*Remove one of another program/);
  assert.equal(world.airtable.webhooks.ids.length, 10);
});

Deno.test("webhooks of its own that are left over are removed, and those of others are not", async () => {
  await using world = await createNotifiedWorld({ isolates: 1, cronMilliseconds: null });
  for (let made = 0; made < 3; made++) {
    await makeWebhook(world, "https://foyer.example/hooks/airtable");
  }
  await makeWebhook(world, "https://other.example/hooks/airtable");
  const before = world.airtable.webhooks.ids;
  await world.isolates[0]?.source.refresh();
  const after = world.airtable.webhooks.ids;
  assert.deepEqual(after.slice(0, 1), before.slice(3));
  assert.equal(after.length, 2);
});

Deno.test("a notification that comes before a failed read is read soon after the failure, without a request", async () => {
  await using world = await createNotifiedWorld({ isolates: 1 });
  await world.run(6 * MINUTE);
  world.edit("edited");
  await world.run(3 * SECOND);
  world.edit("edited again");
  world.airtable.faults.push({ kind: "status", status: 500 });
  await world.run(30 * SECOND);
  const stored = await readStoredSnapshot(world.kv);
  assert.deepEqual(stored?.events.map(({ name }) => name), ["edited again"]);
});

Deno.test("a notification by a clock that is ahead does not count from a later one, while the table cannot be read", async () => {
  await using world = await createNotifiedWorld({ cronMilliseconds: null });
  const [ahead, other] = world.isolates as [NotifiedIsolate, NotifiedIsolate];
  await other.source.refresh();
  await world.run(30 * SECOND);
  await other.source.refresh();
  await world.run(20 * SECOND);
  const readAt = Math.max(...world.reads);
  assert.ok(await world.life() !== null);
  world.airtable.faults.push({ kind: "status", status: 500, sticky: true });
  ahead.ahead = HOUR;
  world.edit("edited");
  await world.run(SECOND);
  ahead.ahead = 0;
  await world.run(200 * SECOND);
  world.edit("edited again");
  await world.run(readAt + 290 * SECOND - world.now());
  shown(await world.ask(other));
  await world.run(readAt + 296 * SECOND - world.now());
  assert.ok(await world.ask(other) instanceof PublicError);
});

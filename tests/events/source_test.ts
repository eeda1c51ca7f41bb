/** The source over the real Airtable store: addresses, copies and what is logged. */

import assert from "node:assert/strict";
import { SNAPSHOT_NAME } from "../../lib/events/keeping/stored.ts";
import { parseListQuery } from "../../lib/events/query.ts";
import { PublicError } from "../../lib/platform/http/errors.ts";
import type { AirtableStandIn } from "../../lib/sandbox/airtable.ts";
import type { StandInRecord } from "../../lib/sandbox/records.ts";
import { createWorld, type Isolate, START, type World } from "../support/isolates.ts";
import { createTable, createTableStore } from "../support/table.ts";

const SECOND = 1_000;
const MINUTE = 60_000;

/** As many as two pages hold, all of one edition of the table. */
const rows = (edition: string, count = 150): StandInRecord[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `rec${String(at).padStart(14, "0")}`,
    createdTime: "2026-01-01T00:00:00.000Z",
    fields: { "Name": edition, "Start Date": "2026-01-01" },
  }));

interface AirtableWorld extends AsyncDisposable {
  readonly world: World;
  readonly airtable: AirtableStandIn;
}

async function createAirtableWorld(records: readonly StandInRecord[]): Promise<AirtableWorld> {
  // The stand-in and the world share a clock, though each needs the other first.
  const clock = { now: () => START };
  const airtable = createTable({ records, now: () => clock.now() });
  const world = await createWorld(createTableStore(airtable));
  clock.now = world.time.now;
  return {
    world,
    airtable,
    async [Symbol.asyncDispose]() {
      airtable.faults.clear();
      await world[Symbol.asyncDispose]();
    },
  };
}

interface List {
  readonly etag: string;
  readonly generatedAt: string;
  // deno-lint-ignore no-explicit-any -- read as a client of the API reads it
  readonly data: any[];
}

/** The list as it would be sent now. @throws {PublicError} if there is none. */
async function list({ source }: Isolate): Promise<List> {
  const { representation } = await (await source.catalog()).list(parseListQuery(""));
  const { data, meta } = await (await representation.send("identity", { maxAgeSeconds: 0 })).json();
  assert.equal(meta.count, data.length);
  return { etag: representation.etag, generatedAt: meta.generatedAt, data };
}

async function assertWhole(isolate: Isolate, edition: string): Promise<void> {
  const { data } = await list(isolate);
  assert.equal(data.length, 150);
  assert.deepEqual([...new Set(data.map(({ name }) => name))], [edition]);
}

/** A row whose logo is the attachment. */
const withLogo = (attachmentId: string): StandInRecord => ({
  id: "recLogo",
  createdTime: "2026-01-01T00:00:00.000Z",
  fields: {
    "Name": "A",
    "Start Date": "2026-01-01",
    "Logo Url": [{
      id: attachmentId,
      filename: "logo.png",
      source: { type: "image/png", bytes: new Uint8Array([1, 2, 3]) },
    }],
  },
});

/** When the stand-in signed an address, which it does for two hours. */
const signedAt = (url: string) => Number(/expires=(\d+)/.exec(url)?.[1]) - 120 * MINUTE;

Deno.test("a signed URL is held for an hour at every isolate, and none is ever handed out that is much older", async () => {
  await using made = await createAirtableWorld([withLogo("attA")]);
  const { world, world: { time } } = made;
  const isolates = world.isolates(2);
  const answers = new Map<string, List>();
  for (let minute = 0; minute < 200; minute++) {
    for (const isolate of isolates) {
      const answer = await list(isolate);
      const url = answer.data[0].logoUrl;
      const age = time.now() - signedAt(url);
      assert.ok(age >= 0 && age <= 65 * MINUTE, `handed out ${age / MINUTE} minutes old`);
      // While the signature is kept, clients' copies stay valid.
      const first = answers.get(url) ?? answer;
      answers.set(url, first);
      assert.equal(answer.etag, first.etag);
      assert.deepEqual(answer.data, first.data);
      await time.through(isolate.source.refresh());
    }
    await time.advance(MINUTE);
  }
  const signings = [...answers.keys()].map(signedAt);
  for (const [at, signing] of signings.entries()) {
    if (at > 0) assert.ok(signing - (signings[at - 1] ?? 0) >= 60 * MINUTE);
  }
  assert.equal(answers.size, 4, "200 minutes");
  assert.equal(new Set([...answers.values()].map(({ etag }) => etag)).size, 4);
});

/** The keys of the stored chunks with the moments of their writing. */
async function storedChunks(kv: Deno.Kv): Promise<[Deno.KvKey, string][]> {
  const chunks: [Deno.KvKey, string][] = [];
  for await (
    const { key, versionstamp } of kv.list({ prefix: ["blob", SNAPSHOT_NAME, "chunks"] })
  ) {
    chunks.push([key, versionstamp]);
  }
  return chunks;
}

Deno.test("a read that finds nothing new moves generatedAt at every isolate, and neither entity tag nor chunks", async () => {
  await using made = await createAirtableWorld(rows("same"));
  const { world, world: { time } } = made;
  const [first, second] = world.isolates(2) as [Isolate, Isolate];
  const before = await list(first);
  await list(second);
  const chunks = await storedChunks(world.kv);
  await time.advance(2 * MINUTE);
  await first.source.refresh();
  await second.source.refresh();
  for (const isolate of [first, second, world.isolate()]) {
    const after = await list(isolate);
    assert.equal(after.generatedAt, new Date(time.now()).toISOString());
    assert.equal(after.etag, before.etag);
    assert.deepEqual(after.data, before.data);
  }
  assert.deepEqual(await storedChunks(world.kv), chunks);
  assert.equal(made.airtable.requests.length, 4, "two reads of two pages");
});

const DAMAGES: readonly [string, (kv: Deno.Kv, key: Deno.KvKey) => Promise<unknown>][] = [
  ["missing", (kv, key) => kv.delete(key)],
  ["empty", (kv, key) => kv.set(key, new Uint8Array())],
  ["cut", (kv, key) => changeBytes(kv, key, (bytes) => bytes.slice(0, -1))],
  ["of other bytes", (kv, key) =>
    changeBytes(kv, key, (bytes) => {
      const middle = bytes.length >> 1;
      return bytes.with(middle, (bytes[middle] ?? 0) ^ 1);
    })],
  ["no bytes at all", (kv, key) => kv.set(key, "text")],
];

async function changeBytes(
  kv: Deno.Kv,
  key: Deno.KvKey,
  change: (bytes: Uint8Array) => Uint8Array,
): Promise<void> {
  const { value } = await kv.get<{ readonly bytes: Uint8Array }>(key);
  assert.ok(value !== null);
  await kv.set(key, { ...value, bytes: change(value.bytes) });
}

for (const [name, damage] of DAMAGES) {
  Deno.test(`a stored chunk that is ${name} is not served: the store is read, and the database mended`, async () => {
    await using made = await createAirtableWorld(rows("good"));
    const { world, airtable } = made;
    await assertWhole(world.isolate(), "good");
    const [[key]] = await storedChunks(world.kv) as [[Deno.KvKey, string]];
    await damage(world.kv, key);
    await assertWhole(world.isolate(), "good");
    assert.equal(airtable.requests.length, 4, "read again");
    assert.match(world.logged.join(), /stored snapshot cannot be read/);
    await assertWhole(world.isolate(), "good");
    assert.equal(airtable.requests.length, 4, "a cold start finds it mended");
  });
}

Deno.test("a cold start answers from the database, and only then asks the store", async () => {
  await using made = await createAirtableWorld(rows("stored"));
  const { world, airtable } = made;
  await assertWhole(world.isolate(), "stored");
  airtable.faults.push({ kind: "reset", sticky: true });
  await world.time.advance(200 * SECOND);
  const cold = world.isolate();
  const asked = airtable.requests.length;
  await assertWhole(cold, "stored");
  assert.equal(airtable.requests.length, asked);
  // The next request finds it older than the interval.
  await assertWhole(cold, "stored");
  await cold.source.refresh();
  assert.ok(airtable.requests.length > asked);
});

Deno.test("a failure is logged once, however many ask, and a bad record once, however often it is read", async () => {
  const bad = { id: "recBad", createdTime: "2026-01-01T00:00:00.000Z", fields: { "Name": "Bad" } };
  await using made = await createAirtableWorld([...rows("good"), bad]);
  const { world, world: { time, logged }, airtable } = made;
  const isolate = world.isolate();
  for (let read = 0; read < 3; read++) {
    await assertWhole(isolate, "good");
    await time.advance(2 * MINUTE);
    await isolate.source.refresh();
  }
  assert.equal(logged.length, 1);
  assert.match(logged[0] ?? "", /recBad.*Start Date/s);
  airtable.faults.push({ kind: "status", status: 503, sticky: true });
  await time.advance(5 * MINUTE);
  for (let asked = 0; asked < 10; asked++) await assert.rejects(list(isolate), PublicError);
  assert.equal(logged.length, 2);
});
